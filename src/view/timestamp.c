/* SPDX-License-Identifier: MIT */
/* Times as text: makes the text that records share until more digits of their times differ. */
#include "view/timestamp.h"

#define NS_PER_S UINT64_C(1000000000)

void timestamp_init(
	struct timestamp *t, enum timestamp_mode mode, const char *prefix, bool for_people)
{
	*t = (struct timestamp){ .mode = mode, .prefix = prefix, .for_people = for_people };
}

static char *put_two(char *out, unsigned int n)
{
	*out++ = (char)('0' + n / 10 % 10);
	*out++ = (char)('0' + n % 10);
	return out;
}

/*
 * Writes `2026-11-21 12:34:56` from the seconds since 1970: the calendar repeats every 400 years.
 */
static char *put_date(char *out, uint64_t seconds)
{
	uint64_t days = seconds / 86400 + 719468; /* since March 1st of the year 0 */
	unsigned int day = (unsigned int)(days % 146097);
	unsigned int year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	unsigned int second = (unsigned int)(seconds % 86400);

	day -= 365 * year + year / 4 - year / 100;
	unsigned int month = (5 * day + 2) / 153; /* from March */

	day -= (153 * month + 2) / 5;
	month = month < 10 ? month + 3 : month - 9;
	out = number_decimal(out, days / 146097 * 400 + year + (month <= 2));
	*out++ = '-';
	out = put_two(out, month);
	*out++ = '-';
	out = put_two(out, day + 1);
	*out++ = ' ';
	out = put_two(out, second / 3600);
	*out++ = ':';
	out = put_two(out, second / 60 % 60);
	*out++ = ':';
	return put_two(out, second % 60);
}

static char *put_ns(char *out, uint64_t ns, bool as_date)
{
	uint64_t fraction = ns % NS_PER_S;

	out = as_date ? put_date(out, ns / NS_PER_S) : number_decimal(out, ns / NS_PER_S);
	*out = '.';
	out = number_fixed8(out + 1, fraction / 10);
	*out = (char)('0' + fraction % 10);
	return out + 1;
}

/*
 * The difference from the origin may be negative: threads' times are not in order, and a merged
 * trace may have times before the boot of the first one's host.
 */
void timestamp_prepare(struct timestamp *t, uint64_t ns)
{
	bool is_wall = t->mode == TIMESTAMP_WALL;
	bool negative = !is_wall && (int64_t)(ns - t->origin) < 0;
	uint64_t shown = negative ? t->origin - ns : ns - t->origin;
	char text[TIMESTAMP_ROOM];
	char *end = stpcpy(text, t->prefix);

	if (negative || (t->mode == TIMESTAMP_DELTA && t->for_people)) {
		*end++ = negative ? '-' : '+';
	}
	if (is_wall) {
		shown = ns + t->realtime;
	}
	end = put_ns(end, shown, is_wall && t->for_people);
	memcpy(t->text, text, sizeof(t->text));
	t->length = (unsigned int)(end - text) - 4;
	t->block = ns - shown % NUMBER_E4;
	t->span = negative || t->mode == TIMESTAMP_DELTA ? 0 : NUMBER_E4;
	if (t->mode == TIMESTAMP_DELTA) {
		t->origin = ns;
	}
}
