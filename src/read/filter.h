/* SPDX-License-Identifier: MIT */
/*
 * Selects records by event name, time, process, thread, and an expression on the fields. A filter
 * belongs to one reader, because it keeps its verdict on each of that reader's event classes. One
 * thread.
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
 * A pattern for names: an exact name, a glob with `*` and `?`, or between slashes an extended
 * regular expression that matches anywhere in the name.
 */
struct name_pattern {
	const char *text; /* NULL: every name */
	bool is_excluded; /* names that match are not wanted; for lists of patterns */
	bool is_regex;
	regex_t regex;
};

/*
 * Reads a pattern. Keeps `text`. Returns false with the reason in `why` if it is no regular
 * expression.
 */
bool name_pattern_read(struct name_pattern *p, const char *text, char *why, size_t size);
void name_pattern_fini(struct name_pattern *p);

bool name_pattern_meets(const struct name_pattern *p, const char *name);

/* One end of the time window. Relative ends count from the trace's first record. */
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

struct reader;
struct where;

struct filter {
	VEC(struct name_pattern) patterns; /* the last match counts; empty: all events */
	struct filter_ids pids; /* empty: all processes */
	struct filter_ids tids; /* empty: all threads */
	struct filter_time from; /* included */
	struct filter_time to; /* included */
	struct where *where; /* read/where.h; NULL: no expression. Freed by filter_fini() */
	struct where *condition; /* as `where`, but passes events that lack one of its names */
	struct reader *reader; /* decodes the fields for it */
	/*
	 * Unless NULL, the reader may leave out events of classes for which this is false;
	 * filter_passes() does not ask it.
	 */
	bool (*needs_class)(void *data, const struct event_class *class);
	void *needs_data;
	bool is_part; /* as in struct reader_needs */
	bool is_of_pairs; /* gaps pass by when their events were lost, and if of unknown threads */
	int64_t first_ns; /* time of the first record; set when one was seen */
	bool started;
	VEC(char) verdicts; /* by class index; 0: not decided yet */
};

void filter_init(struct filter *f);
void filter_fini(struct filter *f);

/* Initializes a filter with the selection of another one, which must live as long, for one more
 * reader of the traces. */
void filter_copy(struct filter *f, const struct filter *from);

/* True if the first record decides which others are selected. */
bool filter_is_relative(const struct filter *f);

/* Starts, or restarts, with a reader. */
void filter_start(struct filter *f, struct reader *reader);

/*
 * Lets the reader leave out records that the filter does not want. filter_passes() is needed all
 * the same: a reader decides by packets, or returns all.
 */
void filter_limit(struct filter *f);

/*
 * Adds a pattern; a leading `-` excludes names that match. Keeps the text. Returns false with the
 * reason in `why` if it is no regular expression.
 */
bool filter_add_pattern(struct filter *f, const char *text, char *why, size_t size);

/* Reads `[+|-]SEC[.FRACTION]` or `[+|-].FRACTION`; false if the text is neither. */
bool filter_parse_time(struct filter_time *t, const char *text);

/* True if the filter passes every record. */
static inline bool filter_is_empty(const struct filter *f)
{
	return f->patterns.count == 0 && f->pids.count == 0 && f->tids.count == 0 && !f->from.set &&
	       !f->to.set && !f->where && !f->condition;
}

/* True if an event of that name is wanted by the patterns. */
bool filter_wants_name(const struct filter *f, const char *name);

/* True if the record is wanted. Gaps have neither name nor fields: these let them pass. */
bool filter_passes(struct filter *f, const struct record *rec);

/* Removes the unwanted records; returns the number of the others. */
size_t filter_keep(struct filter *f, struct record *records, size_t count);

#endif
