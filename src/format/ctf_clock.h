/* SPDX-License-Identifier: MIT */
/*
 * The clock of a native trace, computed from two readings of three clocks, and the time of an event
 * on it, to the nanosecond as in other readers of CTF. Only ctf_clock_span() uses floating point;
 * the runtime calls the other functions in any context.
 */
#ifndef FORMAT_CTF_CLOCK_H
#define FORMAT_CTF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "format/buffer.h"

#define CTF_CLOCK_SECOND UINT64_C(1000000000)
#define CTF_CLOCK_FREQ_MAX (16 * CTF_CLOCK_SECOND)

/* The clock of the metadata: tick 0 is (offset_s + offset / freq) seconds after 1970 began. */
struct ctf_clock {
	uint64_t freq; /* ticks per second */
	uint64_t offset_s;
	uint64_t offset; /* ticks, below one second's */
};

/*
 * Returns the ticks per second between two readings, rounded; 0 if they give no rate. Equal clocks
 * give 1e9.
 */
static inline uint64_t ctf_clock_freq(
	const struct buffer_clock *begin, const struct buffer_clock *now)
{
	if (now->ticks <= begin->ticks || now->monotonic_ns <= begin->monotonic_ns) {
		return 0;
	}
	uint64_t ticks = now->ticks - begin->ticks;
	uint64_t ns = now->monotonic_ns - begin->monotonic_ns;

	if (ticks / ns >= CTF_CLOCK_FREQ_MAX / CTF_CLOCK_SECOND) {
		return 0;
	}
	uint64_t whole = ticks / ns * CTF_CLOCK_SECOND;
	uint64_t rest = ticks % ns;

	/* Keeps products with 1e9 within 64 bits; half a minute leaves 34 bits of precision. */
	while (ns > UINT64_MAX / CTF_CLOCK_SECOND - CTF_CLOCK_SECOND) {
		ns >>= 1;
		rest >>= 1;
	}
	return whole + (rest * CTF_CLOCK_SECOND + ns / 2) / ns;
}

/* Sets the offset so that `begin->ticks` is at `begin->realtime_ns`, but never before 1970. */
static inline void ctf_clock_place(struct ctf_clock *c, const struct buffer_clock *begin)
{
	uint64_t seconds = begin->realtime_ns / CTF_CLOCK_SECOND;
	uint64_t rest = begin->realtime_ns % CTF_CLOCK_SECOND;
	uint64_t ticks = (rest * c->freq + CTF_CLOCK_SECOND / 2) / CTF_CLOCK_SECOND;
	uint64_t back_s = begin->ticks / c->freq;
	uint64_t back = begin->ticks % c->freq;

	if (ticks < back) {
		ticks += c->freq;
		back_s++;
	}
	c->offset_s = seconds >= back_s ? seconds - back_s : 0;
	c->offset = seconds >= back_s ? ticks - back : 0;
	if (c->offset >= c->freq) { /* rounding made the fraction a second */
		c->offset -= c->freq;
		c->offset_s++;
	}
}

/* Computes the clock from two readings. Returns false, with `c` unchanged, if they give no rate. */
static inline bool ctf_clock_from(
	struct ctf_clock *c, const struct buffer_clock *begin, const struct buffer_clock *now)
{
	uint64_t freq = ctf_clock_freq(begin, now);

	if (freq == 0) {
		return false;
	}
	c->freq = freq;
	ctf_clock_place(c, begin);
	return true;
}

/* Converts ticks to nanoseconds, with the rounding that readers of CTF share. */
static inline uint64_t ctf_clock_span(const struct ctf_clock *c, uint64_t ticks)
{
	return c->freq == CTF_CLOCK_SECOND ? ticks
					   : (uint64_t)(1e9 * (double)ticks / (double)c->freq);
}

/* Returns the time of tick 0 in nanoseconds since 1970. */
static inline uint64_t ctf_clock_base(const struct ctf_clock *c)
{
	return c->offset_s * CTF_CLOCK_SECOND + ctf_clock_span(c, c->offset);
}

#endif
