/* SPDX-License-Identifier: MIT */
/* Numbers at random, the same in every run. */
#ifndef TESTS_ANALYSE_RANDOM_H
#define TESTS_ANALYSE_RANDOM_H

#include <math.h>
#include <stdint.h>

/* Returns a number between 0 and 1. */
static inline double uniform(void)
{
	static uint64_t state = UINT64_C(88172645463325252);

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

/* Returns a number of the normal distribution with mean 0 and variance 1. */
static inline double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

#endif
