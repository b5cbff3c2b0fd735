/* SPDX-License-Identifier: MIT */
/*
 * Renders floating point numbers: decimal.c makes the digits, this file writes them in Rust's form,
 * with a point or an exponent, and adds sign, width and precision.
 */
#include <string.h>

#include "base/decimal.h"
#include "brace/internal.h"

/* {:?} uses an exponent below 1e-4 and from 1e16 on; these are limits of brace_decimal's point. */
#define DEBUG_POINT_MIN (-3)
#define DEBUG_POINT_MAX 16

struct real {
	bool negative;
	const char *word; /* "NaN" or "inf"; NULL for a finite number */
	bool zero;
	struct brace_binary binary;
};

/* A format of IEEE 754. `bias` is for the exponents of integral mantissas. */
struct float_format {
	unsigned int fraction_bits;
	unsigned int exponent_bits;
	int bias;
};

static struct real split(uint64_t bits, const struct float_format *l)
{
	uint64_t fraction = bits & ((1ull << l->fraction_bits) - 1);
	unsigned int top = (1u << l->exponent_bits) - 1;
	unsigned int exponent = (unsigned int)(bits >> l->fraction_bits) & top;
	struct real r = { .negative = bits >> (l->fraction_bits + l->exponent_bits) & 1 };

	if (exponent == top) {
		r.word = fraction ? "NaN" : "inf";
		return r;
	}
	r.zero = exponent == 0 && fraction == 0;
	r.binary.mantissa = fraction | (uint64_t)(exponent != 0) << l->fraction_bits;
	r.binary.exponent = (int)exponent + (exponent == 0) - l->bias;
	r.binary.uneven = fraction == 0 && exponent > 1;
	return r;
}

static struct real real_of(const struct waymark_debug *v)
{
	static const struct float_format f32 = { 23, 8, 150 };
	static const struct float_format f64 = { 52, 11, 1075 };

	if (v->kind == WAYMARK_DEBUG_F32) {
		uint32_t bits;

		memcpy(&bits, &v->as.f32, sizeof(bits));
		return split(bits, &f32);
	}
	uint64_t bits;

	memcpy(&bits, &v->as.f64, sizeof(bits));
	return split(bits, &f64);
}

/* NaN has no sign. */
static void put_word(struct waymark_formatter *f, const struct real *r)
{
	struct brace_spec spec = f->spec;
	struct brace_number n;

	spec.plus = spec.plus && *r->word == 'i';
	brace_number_sign(&n, &spec, r->negative && *r->word == 'i');
	brace_number_add(&n, r->word, strlen(r->word));
	brace_number_put(f, &n);
}

/* Adds the digits before the point. */
static void add_whole(struct brace_number *n, const struct brace_decimal *m)
{
	size_t point = m->point > 0 ? (size_t)m->point : 0;

	if (m->count == 0 || point == 0) {
		brace_number_add(n, NULL, 1);
	} else if (m->count < point) {
		brace_number_add(n, m->digits, m->count);
		brace_number_add(n, NULL, point - m->count);
	} else {
		brace_number_add(n, m->digits, point);
	}
}

/* Adds the point and the digits after it, at least `places`. */
static void add_fraction(struct brace_number *n, const struct brace_decimal *m, size_t places)
{
	size_t whole = m->point > 0 ? (size_t)m->point : 0;
	size_t digits = m->count > whole ? m->count - whole : 0;
	size_t zeros = digits && m->point < 0 ? (size_t)-m->point : 0;

	if (digits || places) {
		brace_number_add(n, ".", 1);
	}
	brace_number_add(n, NULL, zeros);
	brace_number_add(n, m->digits + whole, digits);
	if (places > zeros + digits) {
		brace_number_add(n, NULL, places - zeros - digits);
	}
}

static void put_plain(
	struct waymark_formatter *f, const struct real *r, struct brace_decimal *m, size_t places)
{
	struct brace_number n;

	brace_number_sign(&n, &f->spec, r->negative);
	add_whole(&n, m);
	add_fraction(&n, m, places);
	brace_number_put(f, &n);
}

void brace_exponent_put(
	struct waymark_formatter *f, struct brace_number *n, const struct brace_decimal *m)
{
	char text[2 + DECIMAL_MAX];
	int exponent = m->point - 1;
	char *end = text + sizeof(text);
	char *first = decimal_before(end, (uint64_t)(exponent < 0 ? -exponent : exponent), 1);
	size_t digits = m->count ? m->count - 1 : 0;
	size_t places = f->spec.precision > 0 ? (size_t)f->spec.precision : 0;

	brace_number_add(n, m->count ? m->digits : NULL, 1);
	if (digits || places) {
		brace_number_add(n, ".", 1);
	}
	brace_number_add(n, m->digits + 1, digits);
	if (places > digits) {
		brace_number_add(n, NULL, places - digits);
	}
	if (exponent < 0) {
		*--first = '-';
	}
	*--first = f->spec.type == BRACE_UPPER_EXP ? 'E' : 'e';
	brace_number_add(n, first, (size_t)(end - first));
	brace_number_put(f, n);
}

static void put_exponent(struct waymark_formatter *f, const struct real *r, struct brace_decimal *m)
{
	struct brace_number n;

	brace_number_sign(&n, &f->spec, r->negative);
	brace_exponent_put(f, &n, m);
}

static bool asks_exponent(const struct brace_spec *spec)
{
	return spec->type == BRACE_LOWER_EXP || spec->type == BRACE_UPPER_EXP;
}

static void put_rounded(struct waymark_formatter *f, const struct real *r, struct brace_decimal *m)
{
	if (asks_exponent(&f->spec)) {
		if (!r->zero) {
			brace_decimal_digits(m, &r->binary, f->spec.precision + 1);
		}
		put_exponent(f, r, m);
		return;
	}
	if (!r->zero) {
		brace_decimal_places(m, &r->binary, f->spec.precision);
	}
	put_plain(f, r, m, (size_t)f->spec.precision);
}

static void put_shortest(struct waymark_formatter *f, const struct real *r, struct brace_decimal *m)
{
	bool debug = brace_is_debug(&f->spec);

	if (!r->zero) {
		brace_decimal_shortest(m, &r->binary);
	}
	if (asks_exponent(&f->spec) ||
		(debug && (m->point < DEBUG_POINT_MIN || m->point > DEBUG_POINT_MAX))) {
		put_exponent(f, r, m);
	} else {
		put_plain(f, r, m, debug ? 1 : 0);
	}
}

void brace_float_put(struct waymark_formatter *f, const struct waymark_debug *v)
{
	struct real r = real_of(v);
	struct brace_decimal m;

	if (r.word) {
		put_word(f, &r);
		return;
	}
	m.count = 0;
	m.point = 1;
	if (f->spec.precision >= 0) {
		put_rounded(f, &r, &m);
	} else {
		put_shortest(f, &r, &m);
	}
}
