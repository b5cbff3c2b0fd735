/* SPDX-License-Identifier: MIT */
/* Times as text, see view/timestamp.h. */
#include "view/timestamp.h"

#include <string.h>

#include "view/number.h"

#define NS_PER_S UINT64_C(1000000000)

void timestamp_init(struct timestamp *t, enum timestamp_mode mode)
{
	*t = (struct timestamp){ .mode = mode };
}

static COLD void set_second(struct timestamp *t, uint64_t ns)
{
	char text[NUMBER_ROOM];
	char *end = number_decimal(text, ns / NS_PER_S);

	*end++ = '.';
	t->length = (unsigned int)(end - text);
	t->second = ns - ns % NS_PER_S;
	memcpy(t->text, text, sizeof(t->text));
}

static char *put_ns(struct timestamp *t, char *out, uint64_t ns)
{
	if (UNLIKELY(ns - t->second >= NS_PER_S || t->length == 0)) {
		set_second(t, ns);
	}
	uint64_t fraction = ns - t->second;

	memcpy(out, t->text, sizeof(t->text));
	out = number_fixed8(out + t->length, fraction / 10);
	*out = (char)('0' + fraction % 10);
	return out + 1;
}

/* The difference to the origin; times of different threads may run backwards. */
static char *put_difference(struct timestamp *t, char *out, uint64_t ns)
{
	bool negative = ns < t->origin;

	if (negative || t->mode == TIMESTAMP_DELTA) {
		*out++ = negative ? '-' : '+';
	}
	return put_ns(t, out, negative ? t->origin - ns : ns - t->origin);
}

char *timestamp_put(struct timestamp *t, char *out, uint64_t ns)
{
	if (t->mode == TIMESTAMP_ABSOLUTE) {
		return put_ns(t, out, ns);
	}
	out = put_difference(t, out, ns);
	if (t->mode == TIMESTAMP_DELTA) {
		t->origin = ns;
	}
	return out;
}
