/* SPDX-License-Identifier: MIT */
/*
 * A trace as it is seen from far: for each thread and lane, rows of equally wide steps of time,
 * with the number of slices and events that begin in a step, the time that slices cover, and the
 * name that covers most of it. Made in one pass; the steps become wider as the trace gets longer
 * and has more rows, so memory is bounded. Every number of a step is exact; only the name is a
 * vote.
 *
 * From time to time the pass keeps which scopes are open, so that a part of the trace can be
 * read without what is before it (timeline/near.h). One thread at a time.
 */
#ifndef TIMELINE_LEVELS_H
#define TIMELINE_LEVELS_H

#include "timeline/cells.h"
#include "timeline/timeline.h"

/* Bytes of all rows, and the least steps of a row: with more rows, they take more. */
#define LEVELS_ROW_BYTES ((size_t)96 << 20)
#define LEVELS_STEPS_MIN ((size_t)1 << 6)

/* Slices that are deeper are counted in the last row. */
#define LEVELS_DEPTH_MAX 32

/* Lanes of a name in a process that have a track; the last one has the scopes of all others. */
#define LEVELS_LANES_MAX 256

struct level_row {
	struct level_cell *cells;
	size_t count; /* up to the last one in use */
};

/* Steps in a row, counted by someone else. */
struct level_cells {
	const struct level_cell *cells;
	size_t count;
	size_t first; /* number of the first step, in steps of its own width */
	unsigned int shift;
};

struct level_open {
	int64_t begin_ns;
	uint32_t name;
};

/* A thread, or a lane of asynchronous scopes. */
struct level_track {
	uint32_t process; /* index of timeline.processes */
	uint32_t tid; /* of a thread; 0: of all of the process */
	bool is_lane;
	bool is_more; /* of several lanes: slices may overlap */
	const char *name; /* of a lane */
	struct level_row events; /* that are no slices */
	struct level_row losses;
	VEC(struct level_row) slices; /* by depth */
	VEC(struct level_open) open; /* of a thread */
};

/* A scope that was open at the time of a checkpoint. It is stored, so it has no padding. */
struct level_scope {
	struct key key; /* as in struct scope_span */
	uint32_t class; /* index of its class */
	uint16_t is_doubtful; /* as in struct timeline_slice */
	uint16_t is_dropped; /* it has no slice */
	int64_t begin_ns;
};

_Static_assert(sizeof(struct level_scope) == sizeof(struct key) + 16, "no padding is stored");

/* Records from `ns` on need only these scopes. */
struct level_checkpoint {
	int64_t ns;
	struct level_scope *scopes;
	size_t count;
};

struct levels {
	struct timeline timeline;
	struct timeline_counters counters;
	VEC(struct level_track) tracks;
	VEC(uint32_t) of_threads; /* tracks by index of the timeline's threads */
	VEC(uint32_t) of_lanes; /* by index of its lanes */
	struct keys by_lane; /* tracks by process, name, and number in place of a thread */
	int64_t base_ns; /* the begin of the first step */
	int64_t first_ns; /* of the records */
	int64_t last_ns;
	int64_t read_ns; /* all records before it were added */
	uint64_t records;
	uint64_t lost; /* events */
	bool has_base;
	bool has_records;
	unsigned int shift; /* a step has 1 << shift ns */
	size_t steps; /* of a row, at most */
	size_t rows;
	VEC(struct level_checkpoint) checkpoints; /* by time */
	size_t scopes; /* in all checkpoints */
	uint64_t spacing; /* records between two checkpoints */
	uint64_t next; /* number of the record with the next checkpoint */
};

void levels_init(struct levels *l, struct reader *reader);
void levels_fini(struct levels *l);

/*
 * Sets the begin of the first step, and the time of the last record as far as it is known, so that
 * steps are as wide as they must be from the start.
 */
void levels_expect(struct levels *l, int64_t base_ns, int64_t last_ns);

/* Adds records, in the order of time. */
void levels_add(struct levels *l, const struct record *records, size_t count);

/*
 * The parts of levels_add(), for section.c. Counts records in a time, ends included, that were or
 * will be added to the rows.
 */
void levels_count_records(struct levels *l, uint64_t records, int64_t first_ns, int64_t last_ns);

/* Makes steps at least 1 << shift ns wide, as for more rows. */
void levels_widen(struct levels *l, unsigned int shift);

/* Adds cells that are 1 << shift ns wide, at most as wide as the steps; not none. */
void levels_add_cells(struct levels *l, struct level_row *row, const struct level_cells *cells);

/* Returns the row of slices at a depth. */
struct level_row *level_row_at(struct level_track *t, size_t depth);

/* A place for a checkpoint: all records before it, and none of the others, are older. */
struct level_point {
	int64_t ns;
	uint64_t records; /* before it */
	const struct level_scope *more; /* open scopes that were not added */
	size_t count;
};

/* Keeps the scopes that are open there, if it is time for the next checkpoint. */
void levels_check(struct levels *l, const struct level_point *point);

/* Covers the slices that are still open up to the last record. Call after the last record. */
void levels_end(struct levels *l);

#define LEVELS_NONE UINT32_MAX

/* Adds the track of a process's next lane of a name, an index of pairs.names. */
void levels_add_lane(struct levels *l, uint32_t process, uint32_t name);

/* Return the index of a thread's track, and of the track of a process's lane of a name, from 0. */
uint32_t levels_thread(const struct levels *l, uint32_t trace, uint32_t pid, uint32_t tid);
uint32_t levels_lane(const struct levels *l, const struct timeline_process *process,
	const char *name, size_t number);

/* What lies between two times of a row, in steps that are `1 << shift` ns wide. */
struct level_view {
	int64_t from_ns; /* of the first cell: the begin of a step */
	unsigned int shift; /* at least that of the levels */
	struct level_cell *cells; /* of the caller */
	size_t count;
};

/*
 * Returns the shift of steps of which at most `columns` cover a time; at least that of the levels.
 */
unsigned int levels_shift(const struct levels *l, int64_t from_ns, int64_t to_ns, size_t columns);

/* Fills in view->cells from a row, by its other members. */
void levels_view(const struct levels *l, const struct level_row *row, struct level_view *view);

/* Returns an upper bound of the number of records in a time. */
uint64_t levels_count(const struct levels *l, int64_t from_ns, int64_t to_ns);

/* Returns the class of a checkpoint's scope in another reader of the traces; NULL: it has none. */
static inline struct event_class *levels_class_in(
	const struct levels *l, const struct level_scope *scope, const struct reader *reader)
{
	return classes_like(&reader->classes, l->timeline.reader->classes.all.items[scope->class]);
}

/* Returns the last checkpoint that is not after a time; NULL: read from the start. */
const struct level_checkpoint *levels_checkpoint(const struct levels *l, int64_t ns);

#endif
