/* SPDX-License-Identifier: MIT */
/* Headers for the unit tests of braces, and random bits that a seed repeats. */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "brace/brace.h"
#include "shapes.h"

static uint64_t random_state = 0x9e3779b97f4a7c15;

/* xorshift64 */
static inline uint64_t random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Returns the number of rounds of a property: BRACE_ROUNDS, or `usual`. */
static inline unsigned long rounds(unsigned long usual)
{
	const char *asked = getenv("BRACE_ROUNDS");

	return asked ? strtoul(asked, NULL, 10) : usual;
}

#endif
