/* SPDX-License-Identifier: MIT */
/*
 * Makes spans of records: a scope `x` is recorded as event `x`, whose first field is `scope`,
 * and event `x_end` with `scope` and `scope_tid`, the thread that began it. Trace, process,
 * that thread, scope and name make a pair; nothing is guessed. Memory is bounded by the
 * scopes that are open at one time and the threads that begin some. One thread.
 */
#ifndef ANALYSE_PAIRS_H
#define ANALYSE_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "read/keys.h"
#include "base/hash.h"
#include "base/vec.h"
#include "read/classes.h"
#include "read/reader.h"
#include "read/record.h"

/* Scopes from this number on are synchronous. */
#define PAIRS_FIRST_SYNC (INT64_C(1) << 31)

#define PAIRS_NONE KEYS_NONE

/* What a record means for the scopes. */
enum pairs_result {
	PAIRS_NOTHING, /* an event that is of no scope, or a gap */
	PAIRS_BEGUN,
	PAIRS_BEGUN_TWICE, /* and one of the same key was open, which is forgotten: `span` is it */
	PAIRS_ENDED, /* `span` is whole */
	PAIRS_UNBEGUN, /* an end whose beginning was not recorded: before the trace, or a fork */
	PAIRS_UNBEGUN_LOST, /* the same, behind a gap of the thread that began it */
};

/* Where the end of a pair can be recorded. */
enum pairs_place {
	PAIRS_ANYWHERE, /* in its process */
	PAIRS_THREAD, /* by the thread of its key */
	PAIRS_STACKED, /* the same, and the time of a thread is that of the last one begun */
};

struct scope_span {
	const struct event_class *class; /* of its beginning; NULL where there is none */
	struct key key; /* of its beginning's thread; key.name counts in pairs.names */
	uint32_t end_tid;
	uint32_t tag; /* what pairs_begin() was given */
	bool is_nested; /* synchronous, of a thread that the trace tells */
	bool is_lost; /* unfinished, and events were lost where its end would be */
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t self_ns; /* in which no other synchronous one of its thread was begun last */
	enum pairs_place place;
	uint32_t mark; /* what pairs_begun() was told when it began; PAIRS_NONE: nothing */
	uint32_t thread; /* whose stack it is on: for pairs_top() and pairs_enter() */
	/* For pairs.c only: */
	uint64_t gaps; /* of where its end is expected, when it began */
	uint32_t below; /* it on its thread's stack; PAIRS_NONE: none */
	uint32_t above;
};

struct pairs_class;
struct pairs_thread;

#define PAIRS_RECENT 8

struct pairs_recent {
	uint32_t trace;
	uint32_t pid;
	uint32_t tid;
	uint32_t index; /* of `threads` */
	bool is_known;
};

struct pairs {
	VEC(char *) names; /* of scopes; key.name is an index */
	struct scope_span span; /* what the last record was about */
	/* For pairs.c only: */
	const struct class_table *known;
	struct hash by_name; /* values: index + 1 */
	VEC(struct pairs_class) classes; /* by class index */
	struct keys open; /* indices of `spans` */
	VEC(struct scope_span) spans;
	uint32_t begun; /* the last one that did */
	uint32_t free; /* the first one of `spans` that is free; `below` is the next */
	struct keys by_key; /* indices of `threads` */
	VEC(struct pairs_thread) threads;
	struct pairs_recent recent[PAIRS_RECENT];
	bool has_gaps; /* there was one */
};

/* `known`: the reader's classes, which tell scopes from events that only look like one. */
void pairs_init(struct pairs *p, const struct class_table *known);
void pairs_fini(struct pairs *p);

/* Whether pairs_add() wants the record's values: it is of a scope. */
bool pairs_wants(struct pairs *p, const struct record *rec);

/* Takes a record, in the order of time; `values`: where it is wanted, its values. */
enum pairs_result pairs_add(struct pairs *p, const struct record *rec, const struct value *values);

/* The same with what it needs of a record's values, which are those of `r`. */
enum pairs_result pairs_take(struct pairs *p, struct reader *r, const struct record *rec);

/*
 * The parts of pairs_add(), for pairs that are told in another way: by a key that the caller
 * makes of a record, the same for the beginning and its end. A gap's process and thread are
 * those of the keys that it may concern.
 */
enum pairs_result pairs_begin(struct pairs *p, const struct record *rec, const struct key *key,
	enum pairs_place place, uint32_t tag);
enum pairs_result pairs_end(struct pairs *p, const struct record *rec, const struct key *key);
void pairs_gap(struct pairs *p, const struct record *rec);

/* How many are open. */
static inline size_t pairs_open(const struct pairs *p)
{
	return p->open.count;
}

/*
 * The span that the last pairs_add() has begun, for its mark to be set, and the one on its
 * thread's stack that it was begun in; NULL: none. Both until the next call of another kind.
 */
struct scope_span *pairs_begun(struct pairs *p);
struct scope_span *pairs_around(struct pairs *p, const struct scope_span *span);

/* The one that stands on it on its thread's stack; NULL: none. */
struct scope_span *pairs_above(struct pairs *p, const struct scope_span *span);

/* Whether the end of one that is open may be among lost events. */
bool pairs_is_doubtful(struct pairs *p, const struct scope_span *open);

/* The span on top of a thread's stack; NULL: none. */
const struct scope_span *pairs_top(const struct pairs *p, uint32_t thread);

/*
 * What is no scope, on top of a thread's stack: time passes for it, not for the one below.
 * pairs_leave() takes it off and returns its own time; pairs_cancel() gives that to the
 * span below.
 */
uint32_t pairs_enter(struct pairs *p, uint32_t thread, uint32_t mark, uint64_t ns);
uint64_t pairs_leave(struct pairs *p, uint32_t index, uint64_t ns);
void pairs_cancel(struct pairs *p, uint32_t index, uint64_t ns);

/* Lets time pass for what is open: for who counts what is unfinished. */
void pairs_pass(struct pairs *p, uint64_t ns);

/* Calls `found` for each scope that is open, in no order: at the end, what is unfinished. */
void pairs_unfinished(
	struct pairs *p, void (*found)(void *data, const struct scope_span *span), void *data);

#endif
