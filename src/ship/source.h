/* SPDX-License-Identifier: MIT */
/*
 * The traces that are shipped: those of running processes, those in given folders, and given ones.
 * Each is read by a reader of its own, which follows a running process, and goes on where a former
 * shipper ended. One thread.
 */
#ifndef SHIP_SOURCE_H
#define SHIP_SOURCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/hash.h"
#include "base/vec.h"
#include "format/uuid.h"
#include "read/reader.h"
#include "ship/report.h"
#include "view/export/clickhouse_rows.h"

enum source_state {
	SOURCE_NEW, /* not opened yet */
	SOURCE_OPEN,
	SOURCE_DONE, /* all of it was read */
	SOURCE_BAD, /* it cannot be read, which was reported */
	SOURCE_GONE, /* it is not at its path any more: its place is kept, as it may have been moved
		      */
};

struct ship_source {
	char *path;
	enum source_state state;
	char uuid[UUID_TEXT_SIZE]; /* of its trace; "": unknown yet */
	struct reader *reader; /* while open */
	struct rows_trace rows; /* while open */
	int64_t correction; /* ns: see source_open() */
	struct reader_positions positions; /* where it goes on; set while it is not open */
	ino_t inode; /* of its metadata, when it was opened */
	struct timespec changed;
	uint64_t retry_ns; /* when to open it again, as it could not be; 0: never */
	bool is_reported; /* why it cannot be opened */
	bool is_short; /* it could not be read for want of descriptors */
	bool is_given; /* by the user: a problem fails the run */
	bool is_sent; /* the row of the process is in a batch */
	bool is_kept; /* its place is stored by spool_keep_done(); until it is opened again */
};

struct ship_sources {
	VEC(struct ship_source *) all;
	struct hash by_path;
	VEC(const char *) folders; /* whose traces are shipped */
	bool has_processes; /* ship those of running processes */
	bool is_short; /* some were not found, for want of descriptors */
	bool is_cut; /* some were not found, as a container has too many files */
	size_t out_of_reach; /* processes in containers whose traces have no path here */
	const struct ship_report *report;
};

void sources_init(struct ship_sources *s);
void sources_fini(struct ship_sources *s);

/* Takes what sources_save() returned; ignores what is damaged in it. */
void sources_load(struct ship_sources *s, const json_t *traces);

/* Returns the places of all traces that are not kept, for the spool's positions. */
json_t *sources_save(struct ship_sources *s);

/*
 * Returns the places of all traces that are done, for spool_keep_done(), if that is worth it: many
 * were done since the last time; else NULL. Call after their places were stored; they count as kept
 * then.
 */
json_t *sources_save_done(struct ship_sources *s);

/* Adds the trace at a path, unless it is known. */
struct ship_source *sources_add(struct ship_sources *s, const char *path);

/*
 * Looks for new traces, and for those that have changed since they were done. Drops those that are
 * gone and whose places are forgotten.
 */
void sources_find(struct ship_sources *s);

/*
 * Opens a source, at its place. `ahead_s`: the seconds by which the server's clock is ahead; 0:
 * unknown. The times of a trace of this host since its boot are corrected by that. False, reported:
 * it is bad.
 */
bool source_open(struct ship_sources *s, struct ship_source *source, int64_t ahead_s);

/* Ends the reading of a source, at its place, for want of descriptors; it is opened again soon. */
void source_wait(struct ship_source *source);

/* Ends the reading of a source, at its place. */
void source_close(struct ship_source *source, enum source_state state);

#endif
