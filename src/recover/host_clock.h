/* SPDX-License-Identifier: MIT */
/*
 * The clock of a host beside that of its guest, computed from measurements: round trips between the
 * two, each of which bounds the host's time at one time of the guest. The guest's clock is taken to
 * run at a constant rate, at most HOST_CLOCK_RATE_MAX off the host's. Among all straight lines
 * through every bound, the middle is the best answer at any time, and half the width its largest
 * error. If no line passes through all, for example because a clock was set, the bounds are widened
 * until one does. Any thread.
 */
#ifndef RECOVER_HOST_CLOCK_H
#define RECOVER_HOST_CLOCK_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

/* The kernel slews a clock by at most 500 ppm, and NTP corrects at most as much. */
#define HOST_CLOCK_RATE_MAX 1e-3

/* One round trip: at `guest_ns`, the host's time was between host_ns - error_ns and host_ns +
 * error_ns. */
struct host_sample {
	uint64_t guest_ns; /* CLOCK_MONOTONIC of the guest */
	uint64_t host_ns; /* CLOCK_REALTIME of the host, since 1970 */
	uint64_t error_ns;
};

struct host_clock {
	const struct host_sample *samples; /* the caller's */
	size_t count;
	const char *host; /* its name */
	const char *boot_id; /* of the guest's boot; `guest_ns` counts from there */
	/* the range of rates of the lines that pass through all bounds */
	double slowest;
	double fastest;
	double widened; /* ns by which bounds had to be widened */
	double misfit; /* if they had to be: how far a line can be from a measurement, in ns */
};

/* Computes the rates of a clock with at least one sample; the other members are set. */
void host_clock_fit(struct host_clock *c);

/* Returns the host's time when the guest's was `guest_ns`; sets its largest error, rounded up. */
uint64_t host_clock_at(const struct host_clock *c, uint64_t guest_ns, uint64_t *error_ns);

#define BOOT_ID_SIZE 37

/* Reads the id that this host's boot has. False: there is none, and `boot_id` is empty. */
bool host_boot_id(char boot_id[BOOT_ID_SIZE]);

#endif
