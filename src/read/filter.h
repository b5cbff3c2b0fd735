/* SPDX-License-Identifier: MIT */
/*
 * Which records of a trace somebody wants to see: by event name, time, process
 * and thread. A filter belongs to one reader, because it keeps its verdict on
 * each of that reader's event classes.
 */
#ifndef READ_FILTER_H
#define READ_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "read/name_pattern.h"
#include "read/record.h"

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
	VEC(struct name_pattern) patterns; /* the last met counts; empty: all events */
	struct filter_ids pids; /* empty: all processes */
	struct filter_ids tids; /* empty: all threads */
	struct filter_time from; /* included */
	struct filter_time to; /* included */
	int64_t first_ns; /* of the trace, once a record was seen */
	bool started;
	VEC(char) verdicts; /* by class index: 0 not asked yet */
};

void filter_init(struct filter *f);
void filter_fini(struct filter *f);

/* Begins anew, with another reader of the same traces. */
void filter_restart(struct filter *f);

/*
 * Adds a pattern, of names that are not wanted where `-` stands in front, and keeps the text.
 * False: `why` says what is wrong with it.
 */
bool filter_add_pattern(struct filter *f, const char *text, char *why, size_t size);

/*
 * Reads `SEC[.FRACTION]` or `.FRACTION`, behind a `+`, a `-` or nothing;
 * false when it is neither.
 */
bool filter_parse_time(struct filter_time *t, const char *text);

/* Whether it lets everything pass. */
static inline bool filter_is_empty(const struct filter *f)
{
	return f->patterns.count == 0 && f->pids.count == 0 && f->tids.count == 0 && !f->from.set &&
	       !f->to.set;
}

/* True when the record is wanted. Gaps have no name: patterns let them pass. */
bool filter_passes(struct filter *f, const struct record *rec);

/* Keeps the records that are wanted, in their order; returns how many. */
size_t filter_keep(struct filter *f, struct record *records, size_t count);

#endif
