/* SPDX-License-Identifier: MIT */
/*
 * What traced programs reported about their tracing (format/own_events.h): which triggers fired,
 * and how many calls of which event were left out by limits. One thread.
 */
#ifndef ANALYSE_REPORTS_H
#define ANALYSE_REPORTS_H

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "format/own_events.h"
#include "read/reader.h"

/* Calls of an event that the same limits left out. */
struct left_out {
	const char *event;
	const char *limits;
	uint64_t calls;
};

/* A trigger that fired. */
struct fired_trigger {
	const char *text; /* `when ...` */
	const char *event; /* that fired it first, as the next three */
	uint32_t pid;
	uint32_t tid;
	int64_t first_ns;
	int64_t last_ns;
	uint64_t times;
};

struct reports {
	VEC(struct fired_trigger *) triggers; /* in the order of their first firings */
	VEC(struct left_out *) left_out; /* in the order of their first reports */
	struct hash left_out_by_name; /* of event and limits */
	struct hash triggers_by_text;
	struct arena arena; /* of all texts */
};

void reports_init(struct reports *r);
void reports_fini(struct reports *r);

/* Adds the record of an event of the runtime. For reports_add(). */
void reports_add_own(struct reports *r, struct reader *reader, const struct record *rec);

/* Adds a record, if it is a report. */
static inline void reports_add(struct reports *r, struct reader *reader, const struct record *rec)
{
	if (rec->kind == RECORD_EVENT && rec->class->is_own) {
		reports_add_own(r, reader, rec);
	}
}

/* Returns the calls that all limits left out. */
uint64_t reports_left_out(const struct reports *r);

#endif
