/* SPDX-License-Identifier: MIT */
/*
 * The asynchronous scopes of a section. Which lane of the levels a scope gets depends on all scopes
 * before it, so each gets a slot here, whose lane the join finds. A slot is freed when its scope
 * ends, and the slot that was freed last is taken first, as the timeline does with lanes. So a new
 * slot is needed in two cases only:
 *
 *	none is free	the slot is the next lane that is free before the section
 *	an end without	the slot is the lane of a scope that is open before the section; if there
 *	a beginning	is no such scope, nothing may have taken the slot
 */
#ifndef TIMELINE_LANES_H
#define TIMELINE_LANES_H

#include "timeline/rows.h"

/* The scopes of one name in a process. */
struct section_group {
	uint32_t trace;
	uint32_t pid;
	uint32_t name; /* of the section's pairs */
	VEC(uint32_t) free; /* slots, the one that was freed last at the end */
	size_t slots;
	uint32_t rest; /* lanes that stay free, for timeline_set_free(); for the join */
};

struct section_slot {
	struct section_row row;
	uint32_t group;
	uint32_t released; /* index of `released`; KEYS_NONE: a lane that is free before */
	uint32_t lane; /* of the levels; KEYS_NONE: not found yet, or it has none */
};

/* A scope that is open. */
struct section_async {
	int64_t scope;
	uint32_t tid;
	uint32_t group;
	int64_t begin_ns;
	uint32_t class;
	uint32_t slot; /* KEYS_NONE: this entry is free */
	uint32_t next; /* in its bucket, or the next free entry */
};

/* The end of a scope that did not begin in the section, or a second end of it. */
struct section_released {
	struct key key; /* its name is the section's */
	uint32_t slot;
	size_t begun; /* count of `begun` before it */
};

/* The group that a class's records had last. */
struct section_known {
	uint32_t trace;
	uint32_t pid;
	uint32_t group; /* KEYS_NONE: not known yet */
};

struct section_lanes {
	struct keys by_key; /* indices of `groups` */
	VEC(struct section_group) groups;
	VEC(struct section_known) known; /* by class index */
	VEC(struct section_slot) slots; /* the first `used` are those of the section */
	VEC(bool) taken; /* a scope began in the slot */
	size_t used;
	VEC(struct section_async) open;
	uint32_t free; /* the first free entry of `open`; KEYS_NONE: none */
	uint32_t *buckets; /* of `open`; KEYS_NONE: empty */
	size_t bucket_count;
	size_t count; /* of scopes that are open */
	VEC(struct section_released) released;
	VEC(uint64_t) begun; /* fingerprints of the scopes, in order */
	int64_t least; /* their least number */
	int64_t most;
};

void section_lanes_init(struct section_lanes *a);
void section_lanes_fini(struct section_lanes *a);

/* Forgets the section. */
void section_lanes_clear(struct section_lanes *a, bool frees_rows);

void section_lanes_begin(struct section_lanes *a, struct section_steps *s, const struct record *rec,
	const struct key *key);

/* False: the scope did not begin in the section. The caller keeps the record for the join. */
bool section_lanes_end(struct section_lanes *a, struct section_steps *s, const struct record *rec,
	const struct key *key);

/* Returns a number that another scope has only by chance, and that is never 0. */
static inline uint64_t section_fingerprint(int64_t scope, uint32_t tid, uint32_t group)
{
	uint64_t x = timeline_mix((uint64_t)scope, (uint64_t)group << 32 | tid);

	return x ? x : 1;
}

/* Returns the key of an open scope. */
static inline struct key section_async_key(
	const struct section_lanes *a, const struct section_async *open)
{
	const struct section_group *g = &a->groups.items[open->group];

	return (struct key){ .trace = g->trace,
		.pid = g->pid,
		.tid = open->tid,
		.name = g->name,
		.scope = open->scope };
}

/* The names of a section and those of the levels. */
struct section_names {
	struct pairs *own;
	struct pairs *levels;
	VEC(uint32_t) to_levels; /* the levels' names by own ones */
	VEC(uint32_t) to_own;
};

void section_names_fini(struct section_names *n);

/* Returns the levels' number of an own name. */
uint32_t section_name_in_levels(struct section_names *n, uint32_t name);

/* True if the section can be joined: scopes that were open before it end before they begin again.
 */
bool section_lanes_fit(struct section_lanes *a, struct levels *l, struct section_names *names);

/* Adds the scopes to the levels: before the kept records were added, and after it. */
void section_lanes_join(struct section_lanes *a, const struct section_steps *s, struct levels *l,
	struct section_names *names);
void section_lanes_end_join(struct section_lanes *a, struct levels *l, struct section_names *names);

#endif
