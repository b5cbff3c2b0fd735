/* SPDX-License-Identifier: MIT */
/*
 * The lives of objects as slices in lanes: a group of lanes for each kind of objects of a process.
 * Which events are one life is decided by analyse/life/lives.h, so that counts and durations are
 * those of `waymark track`. The number of lives is bounded: if there are more, the shortest are
 * counted only. One thread.
 */
#ifndef TIMELINE_OBJECTS_H
#define TIMELINE_OBJECTS_H

#include "analyse/life/lives.h"
#include "timeline/near.h"

/* Lives that are kept: some 25 MiB. */
#define OBJECTS_MAX ((size_t)1 << 18)

/* Lives of a group at one time that have a lane of their own. */
#define OBJECTS_LANES 32

struct object_life {
	int64_t begin_ns;
	int64_t end_ns; /* NEAR_OPEN: it was not ended */
	char *key; /* as text */
	uint32_t group;
	uint32_t lane;
};

struct object_group {
	uint32_t trace;
	uint32_t pid;
	uint32_t kind;
	char *name;
	bool taken[OBJECTS_LANES];
	uint32_t lanes; /* in use at most */
	uint64_t count; /* of all lives that have ended */
	uint64_t left; /* lives that are not kept */
};

/* What an event class is for lives. */
struct object_class {
	bool is_step;
	uint32_t kind;
	int key; /* index of the argument */
};

struct objects {
	struct lives lives;
	struct lives_options options;
	struct filter filter; /* that passes all names */
	VEC(struct object_group) groups;
	VEC(struct object_life) all; /* by their ends */
	VEC(struct object_class) classes; /* by class index */
	int64_t shortest_ns; /* shorter lives are not kept */
	char error[512]; /* why not all lives were found; "": no error */
	bool has_lives; /* objects_begin() was called, objects_end() was not */
};

/* Begins with a reader; `text` formats keys. `is_across`: as in struct lives_options. */
void objects_begin(struct objects *o, struct reader *reader, field_text_fn *text, bool is_across);
void objects_add(struct objects *o, const struct record *rec);

/* Ends the lives that are open. Call while the reader is open. */
void objects_end(struct objects *o);
void objects_fini(struct objects *o);

/*
 * Adds the lives that are in a time as slices of near->items: the group is the track, the lane the
 * depth, the index of the life plus 1 the name.
 */
void objects_near(const struct objects *o, struct near *near);

#endif
