/* SPDX-License-Identifier: MIT */
/*
 * Makes digits by long division of exact fractions, after Steele and White (1990). The number and
 * half its distances to both neighbours have a common scale; division ends when the remainder is
 * smaller than half the distance to a neighbour. Numbers whose fraction fits into 128 bits have a
 * faster path.
 */
#include "brace/internal.h"

#include <stdint.h>
#include <string.h>

#include "base/decimal.h"

/* ---- Big numbers ---- */

/*
 * Natural numbers of bounded size, on the stack. The largest number that a double needs, a mantissa
 * times 10^324, has 1140 bits. Bits beyond BIG_LIMBS are dropped, never written out of bounds.
 */

#define BIG_LIMBS 40

/* 32-bit limbs, lowest first; the highest limb is not zero. */
struct big {
	uint32_t limbs[BIG_LIMBS];
	unsigned int count;
};

static void big_push(struct big *b, uint64_t limb)
{
	if (limb && b->count < BIG_LIMBS) {
		b->limbs[b->count++] = (uint32_t)limb;
	}
}

static void big_set(struct big *b, uint64_t n)
{
	b->count = 0;
	if (n >> 32) {
		b->limbs[b->count++] = (uint32_t)n;
		n >>= 32;
	}
	big_push(b, n);
}

static void big_multiply(struct big *b, uint32_t factor)
{
	uint64_t carry = 0;

	for (unsigned int i = 0; i < b->count; i++) {
		carry += (uint64_t)b->limbs[i] * factor;
		b->limbs[i] = (uint32_t)carry;
		carry >>= 32;
	}
	big_push(b, carry);
}

static void big_multiply_power_of_ten(struct big *b, unsigned int exponent)
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

static void big_shift(struct big *b, unsigned int bits)
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
static int big_compare(const struct big *a, const struct big *b)
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

static uint32_t big_limb(const struct big *b, unsigned int i)
{
	return i < b->count ? b->limbs[i] : 0;
}

/* Compares a + b with c. */
static int big_compare_sum(const struct big *a, const struct big *b, const struct big *c)
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
static void big_subtract(struct big *a, const struct big *b, uint32_t factor)
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
static unsigned int big_digit(struct big *a, const struct big *b)
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

/* ---- Digits ---- */

/* value / scale is the number divided by a power of ten; low and high are half the distances. */
struct fraction {
	struct big value;
	struct big scale;
	struct big low;
	struct big high;
	int point;
	bool even; /* the mantissa is even: a decimal halfway to a neighbour reads back as this */
};

void brace_decimal_trim(struct brace_decimal *d)
{
	size_t zeros = 0;

	while (d->count && d->digits[d->count - 1] == '0') {
		d->count--;
	}
	while (zeros < d->count && d->digits[zeros] == '0') {
		zeros++;
	}
	d->count -= zeros;
	memmove(d->digits, d->digits + zeros, d->count);
	d->point = d->count ? d->point - (int)zeros : 1;
}

void brace_decimal_increment(struct brace_decimal *d)
{
	while (d->count && d->digits[d->count - 1] == '9') {
		d->count--;
	}
	if (d->count) {
		d->digits[d->count - 1]++;
		return;
	}
	d->digits[d->count++] = '1';
	d->point++;
}

void brace_decimal_set(struct brace_decimal *d, const char *digits, size_t count)
{
	memcpy(d->digits, digits, count);
	d->count = count;
	d->point = (int)count;
	brace_decimal_trim(d);
}

void brace_decimal_round(struct brace_decimal *d, size_t count)
{
	if (count >= d->count) {
		return;
	}
	bool odd = d->digits[count - 1] & 1;
	bool more = d->count > count + 1; /* above a half: the last digit is not zero */
	char next = d->digits[count];

	d->count = count;
	if (next > '5' || (next == '5' && (more || odd))) {
		brace_decimal_increment(d);
	}
	brace_decimal_trim(d);
}

static unsigned int bits_of(uint64_t n)
{
	return n ? 64 - (unsigned int)__builtin_clzll(n) : 0;
}

/* Estimates the power of ten above the number; may be one too small. */
static int estimate_point(const struct brace_binary *b)
{
	int log2 = b->exponent + (int)bits_of(b->mantissa) - 1;

	/* 78913 / 2^18 is log10(2), exact enough for doubles; rounded down. */
	int scaled = log2 * 78913;

	return (scaled >= 0 ? scaled >> 18 : -((-scaled + (1 << 18) - 1) >> 18)) + 1;
}

static void scale_by_ten(struct fraction *f)
{
	big_multiply(&f->value, 10);
	big_multiply(&f->low, 10);
	big_multiply(&f->high, 10);
}

static void shift_all(struct fraction *f, unsigned int bits)
{
	big_shift(&f->value, bits);
	big_shift(&f->low, bits);
	big_shift(&f->high, bits);
}

static void fraction_init(struct fraction *f, const struct brace_binary *b)
{
	unsigned int shift = b->uneven ? 2 : 1;

	f->even = (b->mantissa & 1) == 0;
	f->point = estimate_point(b);
	big_set(&f->value, b->mantissa << shift);
	big_set(&f->scale, 1u << shift);
	big_set(&f->low, 1);
	big_set(&f->high, b->uneven ? 2 : 1);
	if (f->point >= 0) {
		big_multiply_power_of_ten(&f->scale, (unsigned int)f->point);
	} else {
		big_multiply_power_of_ten(&f->value, (unsigned int)-f->point);
		big_multiply_power_of_ten(&f->low, (unsigned int)-f->point);
		big_multiply_power_of_ten(&f->high, (unsigned int)-f->point);
	}
	if (b->exponent >= 0) {
		shift_all(f, (unsigned int)b->exponent);
	} else {
		big_shift(&f->scale, (unsigned int)-b->exponent);
	}
	/* Shifts the highest limb of the scale into the range that big_digit() requires. */
	shift = (28 + 32 - bits_of(f->scale.limbs[f->scale.count - 1])) % 32;
	big_shift(&f->scale, shift);
	shift_all(f, shift);
}

/* True if a result of big_compare() is above 0, or is 0 and `inclusive`. */
static bool beyond(int comparison, bool inclusive)
{
	return comparison > 0 || (comparison == 0 && inclusive);
}

static void shortest_of_fraction(struct brace_decimal *d, const struct brace_binary *b)
{
	struct fraction f;
	bool down;
	bool up;

	fraction_init(&f, b);
	if (beyond(big_compare_sum(&f.value, &f.high, &f.scale), f.even)) {
		f.point++;
	} else {
		scale_by_ten(&f);
	}
	d->count = 0;
	d->point = f.point;
	for (;;) {
		d->digits[d->count++] = (char)('0' + big_digit(&f.value, &f.scale));
		down = beyond(big_compare(&f.low, &f.value), f.even);
		up = beyond(big_compare_sum(&f.value, &f.high, &f.scale), f.even);
		if (down || up) {
			break;
		}
		scale_by_ten(&f);
	}
	if (up && (!down || big_compare_sum(&f.value, &f.value, &f.scale) >= 0)) {
		brace_decimal_increment(d);
	}
	brace_decimal_trim(d);
}

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 u128;

/* Bits of the scale that leave room for one more digit and the number before the point. */
#define FIXED_BITS 120

/*
 * Works like shortest_of_fraction(), with a scale of 2^scale_bits. All digits before the point are
 * needed, as the neighbours are nearer than 1. No shorter decimal is exactly halfway between two
 * numbers: the middle has more binary places than the number, and so more decimal places.
 */
static void shortest_of_fixed(struct brace_decimal *d, const struct brace_binary *b)
{
	unsigned int shift = b->uneven ? 2 : 1;
	unsigned int scale_bits = (unsigned int)-b->exponent + shift;
	u128 one = (u128)1 << scale_bits;
	u128 value = (u128)b->mantissa << shift;
	u128 low = 1;
	u128 high = b->uneven ? 2 : 1;
	bool down = false;
	bool up = false;
	char whole[DECIMAL_MAX];
	const char *first =
		decimal_before(whole + sizeof(whole), (uint64_t)(value >> scale_bits), 0);

	d->count = value >= one ? (size_t)(whole + sizeof(whole) - first) : 0;
	d->point = (int)d->count;
	memcpy(d->digits, first, d->count);
	value &= one - 1;
	while (value && !down && !up) {
		value *= 10;
		low *= 10;
		high *= 10;
		d->digits[d->count++] = (char)('0' + (unsigned int)(value >> scale_bits));
		value &= one - 1;
		down = value < low;
		up = value + high > one;
	}
	if (up && (!down || value * 2 >= one)) {
		brace_decimal_increment(d);
	}
	brace_decimal_trim(d);
}

#endif

void brace_decimal_shortest(struct brace_decimal *d, const struct brace_binary *b)
{
#ifdef __SIZEOF_INT128__
	if (b->exponent < 0 && b->exponent >= 2 - FIXED_BITS) {
		shortest_of_fixed(d, b);
		return;
	}
#endif
	shortest_of_fraction(d, b);
}

static void take_digits(struct brace_decimal *d, struct fraction *f, int count)
{
	for (int i = 0; i < count && f->value.count && d->count < DECIMAL_DIGITS; i++) {
		if (i) {
			big_multiply(&f->value, 10);
		}
		d->digits[d->count++] = (char)('0' + big_digit(&f->value, &f->scale));
	}
	int half = big_compare_sum(&f->value, &f->value, &f->scale);

	if (beyond(half, d->digits[d->count - 1] & 1)) {
		brace_decimal_increment(d);
	}
}

/* Rounds to `digits`, or to `places` after the point if `digits` is 0. */
static void exact(struct brace_decimal *d, const struct brace_binary *b, int digits, int places)
{
	struct fraction f;

	fraction_init(&f, b);
	if (big_compare(&f.value, &f.scale) >= 0) {
		f.point++;
	} else {
		big_multiply(&f.value, 10);
	}
	int count = digits ? digits : f.point + places;

	d->count = 0;
	d->point = f.point;
	if (count > 0) {
		take_digits(d, &f, count);
	} else if (count == 0) {
		/* Below the last digit: rounds to zero or, above half of it, to one. */
		big_multiply(&f.scale, 5);
		if (big_compare(&f.value, &f.scale) > 0) {
			brace_decimal_increment(d);
		}
	}
	brace_decimal_trim(d);
}

void brace_decimal_places(struct brace_decimal *d, const struct brace_binary *b, int places)
{
	exact(d, b, 0, places);
}

void brace_decimal_digits(struct brace_decimal *d, const struct brace_binary *b, int digits)
{
	exact(d, b, digits, 0);
}
