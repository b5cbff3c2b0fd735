/* SPDX-License-Identifier: MIT */
/*
 * Renders integers of 8 to 128 bits in every radix, and pointers. Decimal output has a sign and the
 * magnitude; other radixes show the two's complement in the value's own width.
 */
#include "base/decimal.h"
#include "brace/internal.h"

/* Digits of the longest integer: 128 bits in binary; and in decimal, for exponents. */
#define INTEGER_DIGITS 128
#define DECIMAL_INTEGER_DIGITS 39

/* An integer without its sign. */
struct magnitude {
	uint64_t high;
	uint64_t low;
	bool negative;
};

/* A type's form of an integer. */
struct radix {
	unsigned int base;
	unsigned int shift; /* bits of a digit if the base is a power of two */
	const char *digits;
	char prefix; /* prefix after the 0 for '#'; NUL: none */
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

/* Divides 128 bits; returns the remainder. Uses 32 bits, as not every compiler has 128. */
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

/* Writes the digits up to `end`; returns the first one. */
static char *digits_of(char *end, struct magnitude m, const struct radix *r)
{
	while (m.high) {
		*--end = r->digits[divide_wide(&m, r->base)];
	}
	if (r->base == 10) { /* for 128 bits, the division above leaves a number above 0 */
		return decimal_before(end, m.low, 1);
	}
	do {
		*--end = r->digits[m.low & (r->base - 1)];
		m.low >>= r->shift;
	} while (m.low);
	return end;
}

/* Returns the value for decimal output: sign and magnitude. */
static struct magnitude magnitude_of(const struct waymark_debug *v)
{
	if (v->kind == WAYMARK_DEBUG_U128 || v->kind == WAYMARK_DEBUG_I128) {
		struct magnitude m = { v->as.wide.high, v->as.wide.low, false };

		if (v->kind == WAYMARK_DEBUG_I128 && m.high >> 63) {
			m.low = ~m.low + 1;
			m.high = ~m.high + (m.low == 0);
			m.negative = true;
		}
		return m;
	}
	if (v->kind >= WAYMARK_DEBUG_I8 && v->as.i < 0) {
		return (struct magnitude){ 0, -(uint64_t)v->as.i, true };
	}
	return (struct magnitude){ 0, v->as.u, false };
}

/* Returns the value for other radixes: two's complement in the value's width. */
static struct magnitude bits_of(const struct waymark_debug *v)
{
	if (v->kind == WAYMARK_DEBUG_U128 || v->kind == WAYMARK_DEBUG_I128) {
		return (struct magnitude){ v->as.wide.high, v->as.wide.low, false };
	}
	/* The kinds of each sign are ordered by width, from 8 bits on. */
	unsigned int unused = 64 - (8u << (v->kind & 3));

	return (struct magnitude){ 0, v->as.u << unused >> unused, false };
}

static void put_in_radix(struct waymark_formatter *f, struct magnitude m, const struct radix *r)
{
	char text[INTEGER_DIGITS];
	char *end = text + sizeof(text);
	struct brace_number n;

	brace_number_sign(&n, &f->spec, m.negative);
	if (f->spec.alternate && r->prefix) {
		n.lead[n.lead_length++] = '0';
		n.lead[n.lead_length++] = r->prefix;
	}
	char *start = digits_of(end, m, r);

	brace_number_add(&n, start, (size_t)(end - start));
	brace_number_put(f, &n);
}

static void put_exponent(struct waymark_formatter *f, struct magnitude m)
{
	char text[DECIMAL_INTEGER_DIGITS];
	char *end = text + sizeof(text);
	struct brace_decimal decimal;
	struct brace_number n;
	char *start = digits_of(end, m, &radixes[BRACE_DISPLAY]);

	brace_decimal_set(&decimal, start, (size_t)(end - start));
	if (f->spec.precision >= 0) {
		brace_decimal_round(&decimal, (size_t)f->spec.precision + 1);
	}
	brace_number_sign(&n, &f->spec, m.negative);
	brace_exponent_put(f, &n, &decimal);
}

void brace_integer_put(struct waymark_formatter *f, const struct waymark_debug *v)
{
	const struct radix *r = &radixes[f->spec.type];

	if (f->spec.type == BRACE_LOWER_EXP || f->spec.type == BRACE_UPPER_EXP) {
		put_exponent(f, magnitude_of(v));
	} else {
		put_in_radix(f, r->base == 10 ? magnitude_of(v) : bits_of(v), r);
	}
}

/* Writes a pointer, always with 0x; '#' pads it with zeros to the width of an address. */
void brace_pointer_put(struct waymark_formatter *f, const struct waymark_debug *v)
{
	struct brace_spec spec = f->spec;
	int32_t size = (int32_t)brace_pointer_size(v);

	if (spec.alternate) {
		f->spec.zero = true;
		f->spec.width = spec.width < 0 ? 2 + 2 * size : spec.width;
	}
	f->spec.alternate = true;
	put_in_radix(f, (struct magnitude){ 0, v->as.u, false }, &radixes[BRACE_LOWER_HEX]);
	f->spec = spec;
}
