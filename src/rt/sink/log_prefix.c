/* SPDX-License-Identifier: MIT */
/*
 * Prefixes of log lines, rows of log_prefixes.def. gmtime_r() takes a lock of
 * libc, so the calendar is computed here: lines come from signal handlers too.
 */
#include <inttypes.h>
#include <string.h>

#include "rt/sink/log_prefix.h"

struct date {
	int64_t year;
	unsigned int month;
	unsigned int day;
};

/* Days since 1970 to a date, by eras of 400 years that begin in March. */
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

static void print_default(struct line *l, const struct log_stamp *s)
{
	waymark_line_printf(l, "%d@%" PRId64 ".%06ld:", s->tid, (int64_t)s->time.tv_sec,
		s->time.tv_nsec / 1000);
}

static void print_iso(struct line *l, const struct log_stamp *s)
{
	int64_t days = s->time.tv_sec / 86400;
	unsigned int second = (unsigned int)(s->time.tv_sec % 86400);
	struct date d = date_of(days);

	waymark_line_printf(l, "%04" PRId64 "-%02u-%02uT%02u:%02u:%02u.%06ldZ %d:", d.year, d.month,
		d.day, second / 3600, second / 60 % 60, second % 60, s->time.tv_nsec / 1000,
		s->tid);
}

static void print_none(struct line *l, const struct log_stamp *s)
{
	(void)l;
	(void)s;
}

struct prefix {
	const char *name;
	void (*print)(struct line *l, const struct log_stamp *stamp);
};

static const struct prefix prefixes[] = {
#define WAYMARK_LOG_PREFIX(name, print) { name, print },
#include "rt/sink/log_prefixes.def"
#undef WAYMARK_LOG_PREFIX
};

/* Relaxed: no other memory hangs on it. */
static const struct prefix *chosen = prefixes;

static const struct prefix *find(const char *name)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (strcmp(prefixes[i].name, name) == 0) {
			return &prefixes[i];
		}
	}
	return NULL;
}

const char *waymark_log_prefix_name(const char *name)
{
	const struct prefix *p = find(name);

	return p ? p->name : NULL;
}

void waymark_log_prefix_choose(const char *name)
{
	const struct prefix *p = find(name);

	if (p) {
		__atomic_store_n(&chosen, p, __ATOMIC_RELAXED);
	}
}

void waymark_log_prefix_print(struct line *l, const struct log_stamp *stamp)
{
	__atomic_load_n(&chosen, __ATOMIC_RELAXED)->print(l, stamp);
}
