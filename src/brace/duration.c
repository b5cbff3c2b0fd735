/* SPDX-License-Identifier: MIT */
/*
 * Renders durations like std::time::Duration: in the largest unit with a whole part above 0, and
 * the rest as a decimal fraction. Rounds to the nearest value, a half to even, and never changes
 * the unit.
 */
#include <string.h>

#include "base/compiler.h"
#include "base/decimal.h"
#include "brace/internal.h"

#define NS_PER_SECOND 1000000000u

/* The largest number of seconds in 64 bits, rounded up. */
#define SECONDS_BEYOND "18446744073709551616"
#define FRACTION_DIGITS 9

/* A duration in its unit. */
struct scaled {
	uint64_t whole;
	bool is_beyond; /* `whole` overflowed: the value is 2^64 */
	uint32_t fraction; /* digits after the point as a number, of `places` digits */
	unsigned int places;
	const char *unit;
};

static struct scaled scale(const struct waymark_debug *v)
{
	static const struct {
		uint32_t ns;
		unsigned int places;
		const char *name;
	} units[] = { { 1000000, 6, "ms" }, { 1000, 3, "µs" }, { 1, 0, "ns" } };
	uint32_t ns = (uint32_t)(v->as.wide.high % NS_PER_SECOND);
	size_t i = 0;

	if (v->as.wide.low) {
		return (struct scaled){ v->as.wide.low, false, ns, FRACTION_DIGITS, "s" };
	}
	while (i < ARRAY_SIZE(units) - 1 && ns < units[i].ns) {
		i++;
	}
	return (struct scaled){ ns / units[i].ns, false, ns % units[i].ns, units[i].places,
		units[i].name };
}

static uint32_t power_of_ten(unsigned int exponent)
{
	uint32_t power = 1;

	while (exponent--) {
		power *= 10;
	}
	return power;
}

/* Rounds to fewer places, half to even. */
static void round_to(struct scaled *s, unsigned int places)
{
	uint32_t cut = power_of_ten(s->places - places);
	uint32_t rest = s->fraction % cut;

	s->fraction /= cut;
	s->places = places;
	bool is_odd = places ? s->fraction % 2 : s->whole % 2;

	if (rest < cut / 2 || (rest == cut / 2 && !is_odd)) {
		return;
	}
	if (++s->fraction == power_of_ten(places)) {
		s->fraction = 0;
		s->is_beyond = ++s->whole == 0;
	}
}

/* Unlike a number, a duration is not padded with zeros, and is left-aligned by default. */
static void put(struct waymark_formatter *f, const struct brace_number *n, const char *unit)
{
	struct brace_spec asked = f->spec;
	bool is_wide = (unsigned char)unit[0] >= 0x80; /* a character of two bytes */

	f->spec.zero = false;
	if (asked.align == BRACE_ALIGN_DEFAULT) {
		f->spec.align = BRACE_ALIGN_LEFT;
	}
	f->spec.width += asked.width >= 0 && is_wide;
	brace_number_put(f, n);
	f->spec = asked;
}

void brace_duration_put(struct waymark_formatter *f, const struct waymark_debug *v)
{
	struct scaled s = scale(v);
	char whole[DECIMAL_MAX];
	char fraction[FRACTION_DIGITS];
	struct brace_number n;

	while (f->spec.precision < 0 && s.places && s.fraction % 10 == 0) {
		s.fraction /= 10;
		s.places--;
	}
	if (f->spec.precision >= 0 && (unsigned int)f->spec.precision < s.places) {
		round_to(&s, (unsigned int)f->spec.precision);
	}
	size_t places = f->spec.precision < 0 ? s.places : (size_t)f->spec.precision;
	const char *first = decimal_before(whole + sizeof(whole), s.whole, 1);

	brace_number_sign(&n, &f->spec, false);
	if (s.is_beyond) {
		brace_number_add(&n, SECONDS_BEYOND, strlen(SECONDS_BEYOND));
	} else {
		brace_number_add(&n, first, (size_t)(whole + sizeof(whole) - first));
	}
	if (places) {
		brace_number_add(&n, ".", 1);
		brace_number_add(&n,
			decimal_before(fraction + sizeof(fraction), s.fraction, s.places),
			s.places);
		brace_number_add(&n, NULL, places - s.places);
	}
	brace_number_add(&n, s.unit, strlen(s.unit));
	put(f, &n, s.unit);
}
