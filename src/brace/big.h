/* SPDX-License-Identifier: MIT */
/*
 * Natural numbers of bounded size, on the stack. The largest number that a double needs, a mantissa
 * times 10^324, has 1140 bits. Bits beyond BIG_LIMBS are dropped, never written out of bounds.
 */
#ifndef BRACE_BIG_H
#define BRACE_BIG_H

#include <stdint.h>

#define BIG_LIMBS 40

/* 32-bit limbs, lowest first; the highest limb is not zero. */
struct big {
	uint32_t limbs[BIG_LIMBS];
	unsigned int count;
};

static inline void big_push(struct big *b, uint64_t limb)
{
	if (limb && b->count < BIG_LIMBS) {
		b->limbs[b->count++] = (uint32_t)limb;
	}
}

static inline void big_set(struct big *b, uint64_t n)
{
	b->count = 0;
	if (n >> 32) {
		b->limbs[b->count++] = (uint32_t)n;
		n >>= 32;
	}
	big_push(b, n);
}

static inline void big_multiply(struct big *b, uint32_t factor)
{
	uint64_t carry = 0;

	for (unsigned int i = 0; i < b->count; i++) {
		carry += (uint64_t)b->limbs[i] * factor;
		b->limbs[i] = (uint32_t)carry;
		carry >>= 32;
	}
	big_push(b, carry);
}

static inline void big_multiply_power_of_ten(struct big *b, unsigned int exponent)
{
	static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000,
		100000000 };

	for (; exponent >= 9; exponent -= 9) {
		big_multiply(b, 1000000000);
	}
	if (exponent) {
		big_multiply(b, powers[exponent]);
	}
}

static inline void big_shift(struct big *b, unsigned int bits)
{
	unsigned int whole = bits / 32;

	big_multiply(b, 1u << bits % 32);
	if (whole == 0 || b->count == 0 || b->count + whole > BIG_LIMBS) {
		return;
	}
	for (unsigned int i = b->count; i-- > 0;) {
		b->limbs[i + whole] = b->limbs[i];
	}
	for (unsigned int i = 0; i < whole; i++) {
		b->limbs[i] = 0;
	}
	b->count += whole;
}

/* Compares two numbers; the result is like strcmp()'s. */
static inline int big_compare(const struct big *a, const struct big *b)
{
	if (a->count != b->count) {
		return a->count < b->count ? -1 : 1;
	}
	for (unsigned int i = a->count; i-- > 0;) {
		if (a->limbs[i] != b->limbs[i]) {
			return a->limbs[i] < b->limbs[i] ? -1 : 1;
		}
	}
	return 0;
}

static inline uint32_t big_limb(const struct big *b, unsigned int i)
{
	return i < b->count ? b->limbs[i] : 0;
}

/* Compares a + b with c. */
static inline int big_compare_sum(const struct big *a, const struct big *b, const struct big *c)
{
	struct big sum = { .count = 0 };
	unsigned int count = a->count > b->count ? a->count : b->count;
	uint64_t carry = 0;

	if (count < c->count - (c->count > 0)) {
		return -1;
	}
	for (unsigned int i = 0; i < count; i++) {
		carry += (uint64_t)big_limb(a, i) + big_limb(b, i);
		sum.limbs[i] = (uint32_t)carry;
		carry >>= 32;
	}
	sum.count = count;
	big_push(&sum, carry);
	return big_compare(&sum, c);
}

/* Subtracts b * `factor`, which is at most a, from a. */
static inline void big_subtract(struct big *a, const struct big *b, uint32_t factor)
{
	uint64_t product = 0;
	uint64_t borrow = 0;

	for (unsigned int i = 0; i < a->count; i++) {
		product += (uint64_t)big_limb(b, i) * factor;
		uint64_t rest = (uint64_t)a->limbs[i] - (uint32_t)product - borrow;

		a->limbs[i] = (uint32_t)rest;
		borrow = rest >> 63;
		product >>= 32;
	}
	while (a->count && a->limbs[a->count - 1] == 0) {
		a->count--;
	}
}

/*
 * Returns a / b, which must be below 10; a becomes the remainder. The highest limb of b must be at
 * least 8 and below 2^28: then the quotient of the highest limbs is the digit or one less.
 */
static inline unsigned int big_digit(struct big *a, const struct big *b)
{
	if (a->count < b->count) {
		return 0;
	}
	uint32_t digit = a->limbs[b->count - 1] / (b->limbs[b->count - 1] + 1);

	if (digit) {
		big_subtract(a, b, digit);
	}
	while (big_compare(a, b) >= 0) {
		big_subtract(a, b, 1);
		digit++;
	}
	return digit;
}

#endif
