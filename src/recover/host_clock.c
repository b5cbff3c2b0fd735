/* SPDX-License-Identifier: MIT */
/*
 * Computes the lines of recover/host_clock.h. A line is offset + rate * x, in nanoseconds relative
 * to the first sample, where x is the guest's time and the line the host's time less x. For a given
 * rate, the offsets of the lines through all bounds are an interval. Its lower end is a convex
 * function of the rate, its upper end a concave one, so ternary searches find the extremes.
 */
#include "recover/host_clock.h"

#include <math.h>
#include <stdio.h>

/* They narrow the range of rates to below 2^-60. */
#define STEPS 100

static double x_of(const struct host_clock *c, uint64_t guest_ns)
{
	return (double)(int64_t)(guest_ns - c->samples[0].guest_ns);
}

/* Sets the interval of offsets at a rate, for the bounds as measured. */
static void offsets_at(const struct host_clock *c, double rate, double *low, double *high)
{
	const struct host_sample *first = &c->samples[0];

	*low = -INFINITY;
	*high = INFINITY;
	for (size_t i = 0; i < c->count; i++) {
		const struct host_sample *s = &c->samples[i];
		double x = x_of(c, s->guest_ns);
		double y = (double)(int64_t)((s->host_ns - first->host_ns) -
					     (s->guest_ns - first->guest_ns));

		*low = fmax(*low, y - (double)s->error_ns - rate * x);
		*high = fmin(*high, y + (double)s->error_ns - rate * x);
	}
}

static double width_at(const struct host_clock *c, double rate)
{
	double low;
	double high;

	offsets_at(c, rate, &low, &high);
	return high - low;
}

/* Returns where the line with the rate and the lowest or highest offset is at `x`. */
static double line_at(const struct host_clock *c, double rate, double x, double sign)
{
	double low;
	double high;

	offsets_at(c, rate, &low, &high);
	return (sign < 0 ? low - c->widened : high + c->widened) + rate * x;
}

/* Returns the rate at which the interval is widest. */
static double best_rate(const struct host_clock *c)
{
	double from = -HOST_CLOCK_RATE_MAX;
	double to = HOST_CLOCK_RATE_MAX;

	for (int i = 0; i < STEPS; i++) {
		double third = (to - from) / 3;

		if (width_at(c, from + third) < width_at(c, to - third)) {
			from += third;
		} else {
			to -= third;
		}
	}
	return (from + to) / 2;
}

/* Returns the rate between `inside`, which has a line, and `limit` beyond which none has. */
static double edge_rate(const struct host_clock *c, double inside, double limit)
{
	if (width_at(c, limit) + 2 * c->widened >= 0) {
		return limit;
	}
	for (int i = 0; i < STEPS; i++) {
		double middle = (inside + limit) / 2;

		if (width_at(c, middle) + 2 * c->widened >= 0) {
			inside = middle;
		} else {
			limit = middle;
		}
	}
	return inside;
}

void host_clock_fit(struct host_clock *c)
{
	double rate = best_rate(c);

	c->widened = fmax(0, -width_at(c, rate) / 2);
	for (size_t i = 0; i < c->count && c->widened > 0; i++) {
		c->misfit = fmax(c->misfit, c->widened + (double)c->samples[i].error_ns);
	}
	c->slowest = edge_rate(c, rate, -HOST_CLOCK_RATE_MAX);
	c->fastest = edge_rate(c, rate, HOST_CLOCK_RATE_MAX);
}

/* Returns the lowest (sign -1) or highest (sign 1) that a line is at `x`. */
static double extreme_at(const struct host_clock *c, double x, double sign)
{
	double from = c->slowest;
	double to = c->fastest;

	for (int i = 0; i < STEPS; i++) {
		double third = (to - from) / 3;

		if (sign * line_at(c, from + third, x, sign) <
			sign * line_at(c, to - third, x, sign)) {
			from += third;
		} else {
			to -= third;
		}
	}
	return line_at(c, (from + to) / 2, x, sign);
}

uint64_t host_clock_at(const struct host_clock *c, uint64_t guest_ns, uint64_t *error_ns)
{
	double x = x_of(c, guest_ns);
	double low = extreme_at(c, x, -1);
	double high = extreme_at(c, x, 1);

	*error_ns = (uint64_t)ceil(fmax(0, (high - low) / 2) + c->misfit);
	return c->samples[0].host_ns + (guest_ns - c->samples[0].guest_ns) +
	       (uint64_t)(int64_t)llround((low + high) / 2);
}

bool host_boot_id(char boot_id[BOOT_ID_SIZE])
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	bool found = f && fscanf(f, "%36[0-9a-f-]", boot_id) == 1;

	if (f) {
		fclose(f);
	}
	boot_id[found ? BOOT_ID_SIZE - 1 : 0] = '\0';
	return found;
}
