/* SPDX-License-Identifier: MIT */
/* Integers of 8 to 128 bits in every radix, and pointers. */
#include <string.h>

#include "brace/internal.h"

/* Digits of the longest: 128 bits in binary. */
#define INTEGER_DIGITS 128

/* An integer without its sign. */
struct magnitude {
	uint64_t high;
	uint64_t low;
	bool negative;
};

/* How a type writes an integer. */
struct radix {
	unsigned int base;
	unsigned int shift; /* bits of a digit, where the base is a power of two */
	const char *digits;
	char prefix; /* of '#', after the 0; NUL: none */
};

static const char lower_digits[] = "0123456789abcdef";
static const char upper_digits[] = "0123456789ABCDEF";

static const struct radix radixes[BRACE_TYPES] = {
	[BRACE_DISPLAY] = { 10, 0, lower_digits, 0 },
	[BRACE_DEBUG] = { 10, 0, lower_digits, 0 },
	[BRACE_DEBUG_LOWER] = { 16, 4, lower_digits, 'x' },
	[BRACE_DEBUG_UPPER] = { 16, 4, upper_digits, 'x' },
	[BRACE_LOWER_HEX] = { 16, 4, lower_digits, 'x' },
	[BRACE_UPPER_HEX] = { 16, 4, upper_digits, 'x' },
	[BRACE_OCTAL] = { 8, 3, lower_digits, 'o' },
	[BRACE_BINARY] = { 2, 1, lower_digits, 'b' },
	[BRACE_LOWER_EXP] = { 10, 0, lower_digits, 0 },
	[BRACE_UPPER_EXP] = { 10, 0, lower_digits, 0 },
	[BRACE_POINTER_TYPE] = { 10, 0, lower_digits, 0 },
};

/* Divides 128 bits; returns the remainder. Limbs of 32 bits: not every compiler has 128. */
static unsigned int divide_wide(struct magnitude *m, unsigned int base)
{
	uint32_t limbs[4] = { (uint32_t)(m->high >> 32), (uint32_t)m->high,
		(uint32_t)(m->low >> 32), (uint32_t)m->low };
	uint64_t rest = 0;

	for (int i = 0; i < 4; i++) {
		uint64_t n = rest << 32 | limbs[i];

		limbs[i] = (uint32_t)(n / base);
		rest = n % base;
	}
	m->high = (uint64_t)limbs[0] << 32 | limbs[1];
	m->low = (uint64_t)limbs[2] << 32 | limbs[3];
	return (unsigned int)rest;
}

/* Decimal digits of 64 bits, by pairs; returns where they begin. */
static char *decimal_digits(char *end, uint64_t n)
{
	for (; n >= 10; n /= 100) {
		unsigned int pair = (unsigned int)(n % 100);

		*--end = (char)('0' + pair % 10);
		*--end = (char)('0' + pair / 10);
	}
	if (n || !*end) {
		*--end = (char)('0' + n);
	}
	return end;
}

/* Writes the digits before `end`, where a NUL stands; returns where they begin. */
static char *digits_of(char *end, struct magnitude m, const struct radix *r)
{
	while (m.high) {
		*--end = r->digits[divide_wide(&m, r->base)];
	}
	if (r->base == 10) {
		return decimal_digits(end, m.low);
	}
	do {
		*--end = r->digits[m.low & (r->base - 1)];
		m.low >>= r->shift;
	} while (m.low);
	return end;
}

static uint64_t mask_of(unsigned int bits)
{
	return bits < 64 ? (1ull << bits) - 1 : ~0ull;
}

static struct magnitude negated(struct magnitude m)
{
	m.low = ~m.low + 1;
	m.high = ~m.high + (m.low == 0);
	m.negative = true;
	return m;
}

/* The bits of a value as decimal numbers take them: a sign and the rest. */
static struct magnitude magnitude_of(const struct brace_value *v)
{
	if (v->kind == BRACE_UNSIGNED128 || v->kind == BRACE_SIGNED128) {
		struct magnitude m = { v->wide.high, v->wide.low, false };

		return v->kind == BRACE_SIGNED128 && m.high >> 63 ? negated(m) : m;
	}
	if (v->kind == BRACE_SIGNED && v->i < 0) {
		return (struct magnitude){ 0, -(uint64_t)v->i, true };
	}
	return (struct magnitude){ 0, v->u, false };
}

/* The same as all others take them: two's complement of the value's width. */
static struct magnitude bits_of(const struct brace_value *v)
{
	if (v->kind == BRACE_UNSIGNED128 || v->kind == BRACE_SIGNED128) {
		return (struct magnitude){ v->wide.high, v->wide.low, false };
	}
	return (struct magnitude){ 0, v->u & mask_of(v->bits), false };
}

static void put_in_radix(struct brace_debug *d, struct magnitude m, const struct radix *r)
{
	char text[INTEGER_DIGITS + 1];
	char *end = text + INTEGER_DIGITS;
	struct brace_number n;

	*end = '\0';
	brace_number_sign(&n, &d->spec, m.negative);
	if (d->spec.alternate && r->prefix) {
		n.lead[n.lead_length++] = '0';
		n.lead[n.lead_length++] = r->prefix;
	}
	char *start = digits_of(end, m, r);

	brace_number_add(&n, start, (size_t)(end - start));
	brace_number_put(d, &n);
}

static void put_exponent(struct brace_debug *d, struct magnitude m)
{
	char text[INTEGER_DIGITS + 1];
	char *end = text + INTEGER_DIGITS;
	struct brace_decimal decimal;
	struct brace_number n;

	*end = '\0';
	char *start = digits_of(end, m, &radixes[BRACE_DISPLAY]);

	brace_decimal_set(&decimal, start, (size_t)(end - start));
	if (d->spec.precision >= 0) {
		brace_decimal_round(&decimal, (size_t)d->spec.precision + 1);
	}
	brace_number_sign(&n, &d->spec, m.negative);
	brace_exponent_put(d, &n, &decimal);
}

void brace_integer_put(struct brace_debug *d, const struct brace_value *v)
{
	const struct radix *r = &radixes[d->spec.type];

	if (d->spec.type == BRACE_LOWER_EXP || d->spec.type == BRACE_UPPER_EXP) {
		put_exponent(d, magnitude_of(v));
	} else {
		put_in_radix(d, r->base == 10 ? magnitude_of(v) : bits_of(v), r);
	}
}

/* Always with 0x; '#' fills it up to the width of an address. */
void brace_pointer_put(struct brace_debug *d, const struct brace_value *v)
{
	struct brace_spec spec = d->spec;

	if (spec.alternate) {
		d->spec.zero = true;
		d->spec.width = spec.width < 0 ? 2 + 2 * (int32_t)sizeof(void *) : spec.width;
	}
	d->spec.alternate = true;
	put_in_radix(d, (struct magnitude){ 0, (uintptr_t)v->pointer, false },
		&radixes[BRACE_LOWER_HEX]);
	d->spec = spec;
}
