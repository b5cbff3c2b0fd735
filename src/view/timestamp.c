/* SPDX-License-Identifier: MIT */
/* Times as text, see view/timestamp.h. */
#include "view/timestamp.h"

#define NS_PER_S UINT64_C(1000000000)

void timestamp_init(struct timestamp *t, enum timestamp_mode mode, bool plus)
{
	*t = (struct timestamp){ .mode = mode, .plus = plus };
}

static char *put_ns(char *out, uint64_t ns)
{
	uint64_t fraction = ns % NS_PER_S;

	out = number_decimal(out, ns / NS_PER_S);
	*out = '.';
	out = number_fixed8(out + 1, fraction / 10);
	*out = (char)('0' + fraction % 10);
	return out + 1;
}

/* The difference to the origin; times of different threads may run backwards. */
void timestamp_prepare(struct timestamp *t, uint64_t ns)
{
	bool negative = ns < t->origin;
	uint64_t shown = negative ? t->origin - ns : ns - t->origin;
	char text[TIMESTAMP_ROOM];
	char *end = text;

	if (negative || (t->mode == TIMESTAMP_DELTA && t->plus)) {
		*end++ = negative ? '-' : '+';
	}
	end = put_ns(end, shown);
	memcpy(t->text, text, sizeof(t->text));
	t->length = (unsigned int)(end - text) - 4;
	t->block = ns - shown % NUMBER_E4;
	t->span = negative || t->mode == TIMESTAMP_DELTA ? 0 : NUMBER_E4;
	if (t->mode == TIMESTAMP_DELTA) {
		t->origin = ns;
	}
}
