/* SPDX-License-Identifier: MIT */
/*
 * What a section of a trace's time adds to the levels, made without what is before it, so that
 * threads make sections at the same time. Sections are joined in the order of time.
 *
 * Slices that begin and end in the section are counted here: those of threads in rows by their
 * depth relative to its begin, those of asynchronous scopes in slots (lanes.h). Records that need
 * what is before the section are kept and added to the levels when it is joined: ends of scopes
 * that are open already, and gaps. Scopes that stay open begin in the levels after that.
 *
 * A section is odd, that is, it cannot be joined, and its records must be added one by one: if a
 * scope of a thread begins twice or ends in another thread; if lost events may have the end of a
 * slice that is cut; if there are too many records to keep, or open scopes, or slices that are cut;
 * or if records are not in its time.
 */
#ifndef TIMELINE_SECTION_H
#define TIMELINE_SECTION_H

#include "timeline/lanes.h"
#include "timeline/rows.h"

/* A slice that is open. */
struct section_open {
	int64_t scope;
	int64_t begin_ns; /* of the scope */
	struct section_slice slice;
	uint32_t name; /* of pairs.names */
	bool is_doubtful; /* its end may be among lost events */
};

/* The end of a scope that began before the section. */
struct section_end {
	int64_t scope;
	uint32_t name;
};

struct section_thread {
	uint32_t trace;
	uint32_t pid;
	uint32_t tid;
	bool is_used; /* in this section */
	struct section_row events;
	struct section_row deep; /* slices of LEVELS_DEPTH_MAX - 1 and more */
	VEC(struct section_row) slices; /* by depth: 0, -1, 1, -2, 2 ... */
	VEC(struct section_open) open;
	VEC(struct section_end) ends;
	int64_t least_scope; /* of those that begin in it */
	int64_t most_scope;
};

/* A record to be added when the section is joined. */
struct section_kept {
	size_t number;
	struct record rec;
	struct value ids[2]; /* the first fields of an event */
};

#define SECTION_RECENT 8

/* A place for a checkpoint inside the section. */
struct section_mark {
	size_t number; /* of the first record behind it */
	int64_t ns;
	size_t first; /* of `marked`, the scopes that are open there */
	size_t count;
};

struct level_section {
	struct reader *reader; /* declares all classes */
	size_t spacing; /* records between two places for checkpoints */
	struct pairs pairs; /* knows which classes are scopes, and their names */
	struct keys by_key; /* indices of `threads` */
	VEC(struct section_thread) threads;
	VEC(uint32_t) used; /* threads in the order of their first records */
	VEC(struct section_kept) kept;
	VEC(struct section_mark) marks;
	VEC(struct level_scope) marked;
	struct section_lanes lanes;
	struct section_names names;
	uint32_t recent[SECTION_RECENT]; /* threads by their tid; KEYS_NONE: none */
	struct pairs_kind *kinds; /* of the reader's classes */
	/* Of the section: */
	struct section_steps steps;
	uint64_t records;
	size_t looks; /* at open slices, of which a record may need many */
	uint64_t next_mark; /* number of the record that may have the next mark */
	int64_t first_ns; /* of its records */
	int64_t last_ns; /* the latest */
	bool has_gaps;
};

void level_section_init(struct level_section *s, struct reader *reader);
void level_section_fini(struct level_section *s);

/* True if it cannot be joined. */
static inline bool level_section_is_odd(const struct level_section *s)
{
	return s->steps.is_odd;
}

/* Begins a section of levels whose last record's time is known. `until_ns` is not in it. */
void level_section_begin(
	struct level_section *s, const struct levels *l, int64_t from_ns, int64_t until_ns);

/* Adds records in the order of time. */
void level_section_add(struct level_section *s, const struct record *records, size_t count);

/*
 * Adds the section to the levels, which have all before it. Returns false, and adds nothing, if
 * its records must be added one by one. The levels' reader must have the same classes.
 */
bool level_section_join(struct level_section *s, struct levels *l);

#endif
