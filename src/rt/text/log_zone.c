/* SPDX-License-Identifier: MIT */
/*
 * See log_zone.h. localtime_r() says the offset at any time, not when it changes: it is asked
 * week by week, for no zone has a change and another one back within one, and where two
 * weeks differ the second is looked for.
 */
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/compiler.h"
#include "rt/host/once.h"
#include "rt/text/log_zone.h"

#define WEEK (INT64_C(7) * 86400)
#define WEEKS 522 /* ten years */

/* Written once, before `count` (release and acquire); in the order of time. */
static struct {
	int64_t from;
	int32_t offset;
} steps[64];
static uint32_t count;

static int32_t ask(int64_t when)
{
	time_t t = (time_t)when;
	struct tm tm;

	return localtime_r(&t, &tm) ? (int32_t)tm.tm_gmtoff : 0;
}

/* The first second with the offset of `after`, which is not that of `before`. */
static int64_t find_change(int64_t before, int64_t after)
{
	int32_t offset = ask(after);

	while (after - before > 1) {
		int64_t middle = before + (after - before) / 2;

		if (ask(middle) == offset) {
			after = middle;
		} else {
			before = middle;
		}
	}
	return after;
}

void waymark_log_zone_read(void)
{
	static struct once begun;
	int64_t now = time(NULL);
	uint32_t used = 1;

	if (!once(&begun)) {
		return;
	}
	tzset();
	steps[0].offset = ask(now);
	for (int week = 0; week < WEEKS && used < ARRAY_SIZE(steps); week++, now += WEEK) {
		int32_t offset = ask(now + WEEK);

		if (offset != steps[used - 1].offset) {
			steps[used].from = find_change(now, now + WEEK);
			steps[used].offset = offset;
			used++;
		}
	}
	__atomic_store_n(&count, used, __ATOMIC_RELEASE);
}

int32_t waymark_log_zone_offset(int64_t time)
{
	uint32_t i = __atomic_load_n(&count, __ATOMIC_ACQUIRE);

	while (i > 1 && time < steps[i - 1].from) {
		i--;
	}
	return i ? steps[i - 1].offset : 0;
}
