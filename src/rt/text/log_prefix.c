/* SPDX-License-Identifier: MIT */
/*
 * Prefixes of log lines, rows of log_prefixes.def. gmtime_r() and localtime_r() take
 * a lock of libc, so the calendar is computed here: lines come from signal handlers too.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "rt/host/hooks.h"
#include "rt/text/log_level.h"
#include "rt/text/log_prefix.h"
#include "rt/text/log_zone.h"

/* What waymark/host.h promises a prefix. */
#define HOST_PREFIX_BYTES 256u

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

/* `2026-01-31T23:59:59` of seconds since 1970, be they of UTC or of some zone. */
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
	print_date(l, s->time.tv_sec);
	waymark_line_printf(l, ".%06ldZ %d:", s->time.tv_nsec / 1000, s->tid);
}

static void print_stratovirt(struct line *l, const struct log_stamp *s)
{
	print_date(l, s->time.tv_sec + waymark_log_zone_offset(s->time.tv_sec));
	waymark_line_printf(l, ".%09ld: [%d][%d][", s->time.tv_nsec, (int)getpid(), s->tid);
	waymark_line_put(l, "%s:%u]:" LOG_LEVEL_OF_EVENTS ": ", s->file, s->line);
}

static void print_none(struct line *l, const struct log_stamp *s)
{
	(void)l;
	(void)s;
}

/* The program's own prefix, or the default. */
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

/* Relaxed: no other memory hangs on it. */
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
		waymark_log_zone_read();
	}
	if (p) {
		__atomic_store_n(&chosen, p, __ATOMIC_RELAXED);
	}
}

const struct log_prefix *waymark_log_prefix_chosen(void)
{
	return __atomic_load_n(&chosen, __ATOMIC_RELAXED);
}
