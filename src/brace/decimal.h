/* SPDX-License-Identifier: MIT */
/*
 * Converts binary floating point to decimal digits, exactly: the shortest digits that read back as
 * the same number, or a given count, rounded half to even. No allocation, no tables of powers.
 */
#ifndef BRACE_DECIMAL_H
#define BRACE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "brace/names.h"

/* Limit of digits. A double has at most 767 significant digits. */
#define DECIMAL_DIGITS 776

/* 0.DIGITS x 10^point, without leading zeros; zero has no digits and the point 1. */
struct brace_decimal {
	size_t count;
	int point;
	char digits[DECIMAL_DIGITS];
};

/* A positive number: mantissa x 2^exponent. */
struct brace_binary {
	uint64_t mantissa;
	int exponent;
	bool uneven; /* the next smaller number is half as far away as the next greater one */
};

/* Sets the fewest digits that read back as this number; of these, the nearest. */
void brace_decimal_shortest(struct brace_decimal *d, const struct brace_binary *b);

/* Sets the digits, rounded to `places` after the point. */
void brace_decimal_places(struct brace_decimal *d, const struct brace_binary *b, int places);

/* Sets the digits, rounded to `digits` > 0 significant ones. */
void brace_decimal_digits(struct brace_decimal *d, const struct brace_binary *b, int digits);

/* Sets the digits of an integer with `count` decimal digits. */
void brace_decimal_set(struct brace_decimal *d, const char *digits, size_t count);

/* Rounds half to even to `count` > 0 digits. `d` must be exact. */
void brace_decimal_round(struct brace_decimal *d, size_t count);

/* Removes zeros from both ends. */
void brace_decimal_trim(struct brace_decimal *d);

/* Adds one to the last digit. */
void brace_decimal_increment(struct brace_decimal *d);

#endif
