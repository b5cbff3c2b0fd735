/* SPDX-License-Identifier: MIT */
/*
 * Selects records by event name, time, process and thread. A filter belongs to
 * one reader, because it keeps its verdict on each of that reader's event
 * classes. One thread.
 */
#ifndef READ_FILTER_H
#define READ_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "read/record.h"

/*
 * A pattern over names: the name itself, one with `*` and `?`, or between slashes an extended
 * regular expression that matches anywhere in the name.
 */
struct name_pattern {
	const char *text; /* NULL: every name */
	bool is_excluded; /* names that match are not wanted; for a list of patterns */
	bool is_regex;
	regex_t regex;
};

/* Reads a pattern, and keeps the text. False: it is no regular expression, for the reason `why`. */
bool name_pattern_read(struct name_pattern *p, const char *text, char *why, size_t size);
void name_pattern_fini(struct name_pattern *p);

bool name_pattern_meets(const struct name_pattern *p, const char *name);

/* One end of the time window; relative ends count from the trace's first record. */
struct filter_time {
	int64_t ns;
	bool relative;
	bool set;
};

struct filter_ids {
	uint32_t *items;
	size_t count;
	size_t capacity;
};

struct filter {
	VEC(struct name_pattern) patterns; /* the last that matches counts; empty: all events */
	struct filter_ids pids; /* empty: all processes */
	struct filter_ids tids; /* empty: all threads */
	struct filter_time from; /* included */
	struct filter_time to; /* included */
	int64_t first_ns; /* of the trace, once a record was seen */
	bool started;
	VEC(char) verdicts; /* by class index; 0: not asked yet */
};

void filter_init(struct filter *f);
void filter_fini(struct filter *f);

/* Begins again, with another reader of the same traces. */
void filter_restart(struct filter *f);

/*
 * Adds a pattern, with `-` in front one of names that are not wanted; keeps the text. False: it is
 * no regular expression, for the reason `why`.
 */
bool filter_add_pattern(struct filter *f, const char *text, char *why, size_t size);

/* Reads `[+|-]SEC[.FRACTION]` or `[+|-].FRACTION`; false if it is neither. */
bool filter_parse_time(struct filter_time *t, const char *text);

/* True if it lets everything pass. */
static inline bool filter_is_empty(const struct filter *f)
{
	return f->patterns.count == 0 && f->pids.count == 0 && f->tids.count == 0 && !f->from.set &&
	       !f->to.set;
}

/* True if the record is wanted. Gaps have no name: patterns let them pass. */
bool filter_passes(struct filter *f, const struct record *rec);

/* Removes the records that are not wanted; returns the number of those left. */
size_t filter_keep(struct filter *f, struct record *records, size_t count);

#endif
