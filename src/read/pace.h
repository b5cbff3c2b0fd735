/* SPDX-License-Identifier: MIT */
/*
 * How long whoever follows a trace waits before he looks again: short while
 * something comes, longer and longer while nothing does. Header-only.
 */
#ifndef READ_PACE_H
#define READ_PACE_H

#include <stdbool.h>

#define PACE_MIN_MS 10u
#define PACE_MAX_MS 100u

struct pace {
	unsigned int ms; /* of the last wait; 0: there was none */
};

/* The next wait, in milliseconds. */
static inline unsigned int pace_next(struct pace *p, bool something_came)
{
	p->ms = something_came || p->ms == 0 ? PACE_MIN_MS : 2 * p->ms;
	p->ms = p->ms < PACE_MAX_MS ? p->ms : PACE_MAX_MS;
	return p->ms;
}

#endif
