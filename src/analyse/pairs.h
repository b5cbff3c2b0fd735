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

#include "analyse/keys.h"
#include "base/hash.h"
#include "base/vec.h"
#include "read/classes.h"
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

struct scope_span {
	const struct event_class *class; /* of its beginning; NULL where there is none */
	struct key key; /* of its beginning's thread; key.name counts in pairs.names */
	uint32_t end_tid;
	bool is_nested; /* synchronous, of a thread that the trace tells */
	bool is_lost; /* unfinished, and events were lost where its end would be */
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t self_ns; /* in which no other synchronous one of its thread was begun last */
	/* For pairs.c only: */
	uint64_t gaps; /* of where its end is expected, when it began */
	uint32_t thread;
	uint32_t below; /* it on its thread's stack; PAIRS_NONE: none */
	uint32_t above;
};

struct pairs_class;
struct pairs_thread;

struct pairs {
	VEC(char *) names; /* of scopes; key.name is an index */
	struct scope_span span; /* what the last record was about */
	/* For pairs.c only: */
	const struct class_table *known;
	struct hash by_name; /* values: index + 1 */
	VEC(struct pairs_class) classes; /* by class index */
	struct keys open; /* indices of `spans` */
	VEC(struct scope_span) spans;
	uint32_t free; /* the first one of `spans` that is free; `below` is the next */
	struct keys by_key; /* indices of `threads` */
	VEC(struct pairs_thread) threads;
};

/* `known`: the reader's classes, which tell scopes from events that only look like one. */
void pairs_init(struct pairs *p, const struct class_table *known);
void pairs_fini(struct pairs *p);

/* Whether pairs_add() wants the record's values: it is of a scope. */
bool pairs_wants(struct pairs *p, const struct record *rec);

/* Takes a record, in the order of time; `values`: where it is wanted, its values. */
enum pairs_result pairs_add(struct pairs *p, const struct record *rec, const struct value *values);

/* Calls `found` for each scope that is open, in no order: at the end, what is unfinished. */
void pairs_unfinished(
	struct pairs *p, void (*found)(void *data, const struct scope_span *span), void *data);

#endif
