/* SPDX-License-Identifier: MIT */
/*
 * Prefixes of log lines, rows of log_prefixes.def. gmtime_r() and localtime_r() take a lock of
 * libc, and signal handlers log too, so dates are computed here.
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "rt/host/hooks.h"
#include "rt/host/message.h"
#include "rt/text/log.h"
#include "rt/text/log_prefix.h"

/* Bytes of a prefix that waymark/host.h promises. */
#define HOST_PREFIX_BYTES 256u

/* ---- The time zone ---- */

#define WEEK (INT64_C(7) * 86400)
#define WEEKS 522 /* ten years */

/*
 * Local time in signal handlers: the changes of the zone in the next ten years are read when a
 * prefix that shows local time is chosen. localtime_r() returns the offset at a time, not when it
 * changes. So it is called for each week, because no zone changes twice within a week, and the
 * change is searched between two weeks that differ.
 *
 * Written once, before `count` (release and acquire); in the order of time.
 */
static struct {
	int64_t from;
	int32_t offset;
} steps[64];
static uint32_t step_count;

static int32_t offset_at(int64_t when)
{
	time_t t = (time_t)when;
	struct tm tm;

	return localtime_r(&t, &tm) ? (int32_t)tm.tm_gmtoff : 0;
}

/*
 * Returns the first second with the offset of `after`, which differs from the offset of `before`.
 */
static int64_t find_change(int64_t before, int64_t after)
{
	int32_t offset = offset_at(after);

	while (after - before > 1) {
		int64_t middle = before + (after - before) / 2;

		if (offset_at(middle) == offset) {
			after = middle;
		} else {
			before = middle;
		}
	}
	return after;
}

/* Reads the zone of the program (TZ), at the first call only. Not in signal handlers. */
static void read_zone(void)
{
	static struct once begun;
	int64_t now = time(NULL);
	uint32_t used = 1;

	if (!once(&begun)) {
		return;
	}
	tzset();
	steps[0].offset = offset_at(now);
	for (int week = 0; week < WEEKS && used < ARRAY_SIZE(steps); week++, now += WEEK) {
		int32_t offset = offset_at(now + WEEK);

		if (offset != steps[used - 1].offset) {
			steps[used].from = find_change(now, now + WEEK);
			steps[used].offset = offset;
			used++;
		}
	}
	__atomic_store_n(&step_count, used, __ATOMIC_RELEASE);
}

/* Returns by how many seconds local time is ahead of UTC at that time. */
static int32_t zone_offset(int64_t time)
{
	uint32_t i = __atomic_load_n(&step_count, __ATOMIC_ACQUIRE);

	while (i > 1 && time < steps[i - 1].from) {
		i--;
	}
	return i ? steps[i - 1].offset : 0;
}

/* ---- Dates ---- */

struct date {
	int64_t year;
	unsigned int month;
	unsigned int day;
};

/* Converts days since 1970 to a date, by eras of 400 years that begin in March. */
static struct date date_of(int64_t days)
{
	days += 719468; /* since 0000-03-01 */
	int64_t era = (days >= 0 ? days : days - 146096) / 146097;
	unsigned int doe = (unsigned int)(days - era * 146097);
	unsigned int yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	unsigned int doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	unsigned int march_month = (5 * doy + 2) / 153;
	unsigned int month = march_month < 10 ? march_month + 3 : march_month - 9;

	return (struct date){
		.year = yoe + era * 400 + (month <= 2),
		.month = month,
		.day = doy - (153 * march_month + 2) / 5 + 1,
	};
}

/* ---- Prefixes ---- */

static struct timespec now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t;
}

/*
 * Asks the kernel each time: a stored id would be wrong in the child of a raw clone(2) that shares
 * our memory, and the write costs ten times as much anyway.
 */
static int thread(void)
{
	return (int)gettid();
}

static void print_default(struct line *l, const struct log_stamp *s)
{
	struct timespec t = now();

	(void)s;
	waymark_line_printf(
		l, "%d@%" PRId64 ".%06ld:", thread(), (int64_t)t.tv_sec, t.tv_nsec / 1000);
}

/* Prints seconds since 1970, in UTC or shifted to a zone, as `2026-01-31T23:59:59`. */
static void print_date(struct line *l, int64_t seconds)
{
	int64_t days = seconds / 86400 - (seconds % 86400 < 0);
	unsigned int second = (unsigned int)(seconds - days * 86400);
	struct date d = date_of(days);

	waymark_line_printf(l, "%04" PRId64 "-%02u-%02uT%02u:%02u:%02u", d.year, d.month, d.day,
		second / 3600, second / 60 % 60, second % 60);
}

static void print_iso(struct line *l, const struct log_stamp *s)
{
	struct timespec t = now();

	(void)s;
	print_date(l, t.tv_sec);
	waymark_line_printf(l, ".%06ldZ %d:", t.tv_nsec / 1000, thread());
}

static void print_stratovirt(struct line *l, const struct log_stamp *s)
{
	struct timespec t = now();

	print_date(l, t.tv_sec + zone_offset(t.tv_sec));
	waymark_line_printf(l, ".%09ld: [%d][%d][", t.tv_nsec, (int)getpid(), thread());
	waymark_line_put(l, "%s:%u]:" LOG_LEVEL_OF_EVENTS ": ", s->file, s->line);
}

static void print_none(struct line *l, const struct log_stamp *s)
{
	(void)l;
	(void)s;
}

/* Prints the program's own prefix, or the default one. */
static void print_hosts(struct line *l, const struct log_stamp *s)
{
	const struct waymark_host *host = waymark_hooks_enter();

	if (host && host->prefix) {
		char text[HOST_PREFIX_BYTES];
		size_t length = host->prefix(text, sizeof(text), host->user);

		waymark_line_add(l, text, length < sizeof(text) ? length : sizeof(text));
	} else {
		print_default(l, s);
	}
	if (host) {
		waymark_hooks_leave();
	}
}

static const struct log_prefix prefixes[] = {
#define WAYMARK_LOG_PREFIX(name, has_brackets, print) { name, has_brackets, print },
#include "rt/text/log_prefixes.def"
#undef WAYMARK_LOG_PREFIX
};

static const struct log_prefix unchosen = { .name = "", .print = print_hosts };

/* Relaxed: it orders no other memory. */
static const struct log_prefix *chosen = &unchosen;

static const struct log_prefix *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (strcmp(prefixes[i].name, name) == 0) {
			return &prefixes[i];
		}
	}
	return NULL;
}

const char *waymark_log_prefix_name(const char *name)
{
	const struct log_prefix *p = find(name);

	return p ? p->name : NULL;
}

void waymark_log_prefix_choose(const char *name)
{
	const struct log_prefix *p = find(name);

	if (p && p->print == print_stratovirt) {
		read_zone();
	}
	if (p) {
		__atomic_store_n(&chosen, p, __ATOMIC_RELAXED);
	}
}

const struct log_prefix *waymark_log_prefix_chosen(void)
{
	return __atomic_load_n(&chosen, __ATOMIC_RELAXED);
}
