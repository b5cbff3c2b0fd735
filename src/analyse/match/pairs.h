/* SPDX-License-Identifier: MIT */
/*
 * Makes spans of records. A scope `x` is recorded as event `x`, whose first field is `scope`, and
 * event `x_end` with `scope` and `scope_tid`, the thread that began it. A pair has the same trace,
 * process, beginning thread, scope number and name; nothing is guessed. Memory is bounded by the
 * scopes open at one time and the threads that begin scopes. One thread.
 */
#ifndef ANALYSE_PAIRS_H
#define ANALYSE_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "read/bytes.h"
#include "read/keys.h"
#include "base/hash.h"
#include "base/vec.h"
#include "read/classes.h"
#include "read/reader.h"
#include "read/record.h"

/* Numbers of synchronous scopes begin here. */
#define PAIRS_FIRST_SYNC (INT64_C(1) << 31)

#define PAIRS_NONE KEYS_NONE

/* True for the key of a synchronous scope of a thread that the trace records. */
static inline bool pairs_is_sync(const struct key *key)
{
	return key->scope >= PAIRS_FIRST_SYNC && key->tid != 0;
}

/* The effect of a record on the scopes. */
enum pairs_result {
	PAIRS_NOTHING, /* no effect: an event of no scope, or a gap */
	PAIRS_BEGUN,
	PAIRS_BEGUN_TWICE, /* begun; an open span of the same key, now `span`, is dropped */
	PAIRS_ENDED, /* `span` is complete */
	PAIRS_UNBEGUN, /* an end whose beginning is before the trace, or before a fork */
	PAIRS_UNBEGUN_LOST, /* the same, but the beginning may be in a gap of its thread */
};

/* Where the end of a pair can be. */
enum pairs_place {
	PAIRS_ANYWHERE, /* in any record of its process */
	PAIRS_STACKED, /* in the key's thread, whose time belongs to the span begun last */
};

struct scope_span {
	const struct event_class *class; /* class of the beginning; NULL: none */
	struct key key; /* with the thread of the beginning; key.name is an index of pairs.names */
	uint32_t end_tid;
	uint32_t tag; /* argument of pairs_begin(); of a scope: its name */
	bool is_nested; /* synchronous, of a thread that the trace records */
	bool is_lost; /* unfinished; the end may be among lost events */
	/* For stacks.c; false at first: */
	bool is_chosen; /* by its own begin or end */
	bool is_inside; /* a selected span is around it */
	bool is_selected; /* spans that begin in it now count */
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t self_ns; /* time while this was the last synchronous span begun by its thread */
	enum pairs_place place;
	uint32_t mark; /* set by the caller through pairs_begun(); PAIRS_NONE at first */
	uint32_t part; /* set by the caller; PAIRS_NONE at first */
	uint32_t held; /* set by the caller; PAIRS_NONE at first */
	uint32_t thread; /* thread with the span on its stack, for pairs_top() and pairs_enter() */
	/* For pairs.c only: */
	uint64_t gaps; /* at the beginning: gaps so far where the end is expected */
	uint32_t below; /* the next span on the thread's stack; PAIRS_NONE: none */
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
	struct texts names; /* of scopes; key.name is a number */
	struct scope_span span; /* span of the last record */
	VEC(uint32_t) left; /* spans that left the stack with it, as their ends may be lost */
	/* For pairs.c only: */
	const struct class_table *known;
	VEC(struct pairs_class) classes; /* by class index */
	struct keys open; /* indices of `spans` */
	VEC(struct scope_span) spans;
	uint32_t begun; /* index of the span that began last */
	uint32_t free; /* the first free entry of `spans`; its `below` is the next one */
	struct keys by_key; /* indices of `threads` */
	VEC(struct pairs_thread) threads;
	struct pairs_recent recent[PAIRS_RECENT];
	bool has_gaps;
};

/*
 * Initializes the pairs. `known` are the reader's classes: an event with a field `scope` is a scope
 * only if it has an end.
 */
void pairs_init(struct pairs *p, const struct class_table *known);
void pairs_fini(struct pairs *p);

/* True if records of the class may belong to a scope, whichever classes are known later. */
bool pairs_may_have(const struct event_class *c);

/* True if the record belongs to a scope: pairs_add() then needs its values. */
bool pairs_wants(struct pairs *p, const struct record *rec);

/* Adds a record, in the order of time, with its values if pairs_wants() it. */
enum pairs_result pairs_add(struct pairs *p, const struct record *rec, const struct value *values);

/* What a record is to the scopes. */
enum pairs_part { PAIRS_OTHER, PAIRS_BEGIN, PAIRS_END };

/* What the records of a class are; they may lack their numbers. */
struct pairs_kind {
	enum pairs_part part;
	uint32_t name; /* of the scope */
};

struct pairs_kind pairs_kind_of(struct pairs *p, const struct event_class *class);

/* Makes the key of a record of a scope. `tid` is the thread of the beginning in that of an end. */
static inline struct key pairs_key(
	const struct record *rec, const struct pairs_kind *kind, int64_t scope, uint32_t tid)
{
	return (struct key){
		.trace = rec->trace,
		.pid = rec->pid,
		/* If records have no threads, the key of a beginning has none, either. */
		.tid = kind->part == PAIRS_BEGIN || !rec->tid ? rec->tid : tid,
		.name = kind->name,
		.scope = scope,
	};
}

/* True if the numbers of a record of `r` can be loaded without decoding: as the first arguments. */
static inline bool pairs_is_laid_out(const struct reader *r, const struct record *rec)
{
	return r->form == VALUES_LAID_OUT && !rec->values;
}

/* Loads the key of a record of a scope that is laid out. */
static inline struct key pairs_load(const struct record *rec, const struct pairs_kind *kind)
{
	int64_t scope = (int64_t)load64(rec->payload, false);
	uint32_t tid = kind->part == PAIRS_END ? load32(rec->payload + sizeof(scope), false) : 0;

	return pairs_key(rec, kind, scope, tid);
}

/* Makes the key of any record of `r`; false if it belongs to no scope, or lacks a number. */
bool pairs_read(struct pairs *p, struct reader *r, const struct record *rec, struct key *key);

/* Adds a record of `r`: decodes only the values that are needed. */
enum pairs_result pairs_take(struct pairs *p, struct reader *r, const struct record *rec);

/*
 * The parts of pairs_add(), for callers that make the key of a record themselves: the same key for
 * a beginning and its end. A gap needs the process and thread of the keys that it concerns.
 */
enum pairs_result pairs_begin(struct pairs *p, const struct record *rec, const struct key *key,
	enum pairs_place place, uint32_t tag);
enum pairs_result pairs_end(struct pairs *p, const struct record *rec, const struct key *key);
void pairs_gap(struct pairs *p, const struct record *rec);

/* Returns the open span of a key, or NULL. Valid until the next span begins. */
struct scope_span *pairs_find(const struct pairs *p, const struct key *key);

/* Returns the number of open spans. */
static inline size_t pairs_open(const struct pairs *p)
{
	return p->open.count;
}

/*
 * Begins a scope that was open before the first record. The name in `key` is ignored: the class has
 * it.
 */
enum pairs_result pairs_resume(
	struct pairs *p, const struct key *key, const struct event_class *class, uint64_t begin_ns);

/*
 * Returns the span that the last pairs_add() began, to set its mark. Valid until the next
 * pairs_add().
 */
struct scope_span *pairs_begun(struct pairs *p);

/* A span's mark is also what an expression said of its beginning: PAIRS_NONE is true. */
static inline bool pairs_is_selected(const struct scope_span *span)
{
	return span->mark == PAIRS_NONE;
}

/* Notes that of the span that the last pairs_add() or pairs_begin() began. */
static inline void pairs_select(struct pairs *p, bool is_selected)
{
	if (!is_selected) {
		pairs_begun(p)->mark = 0;
	}
}

/*
 * Return the next outer and the next inner span on the stack of the span's thread, or NULL. Of the
 * last span that ended or was dropped, `span`: those around it when it left the stack.
 */
struct scope_span *pairs_around(struct pairs *p, const struct scope_span *span);
struct scope_span *pairs_above(struct pairs *p, const struct scope_span *span);

/*
 * True if the end of an open span may be among lost events; of the last span that ended or was
 * dropped, `span`: another end and begin of its key may be.
 */
bool pairs_is_doubtful(struct pairs *p, const struct scope_span *open);

/*
 * Returns the innermost open synchronous scope of a record's thread, or NULL. Call before the
 * record is added. Its thread needs memory from then on.
 */
struct scope_span *pairs_inside(struct pairs *p, const struct record *rec);

/* Returns the span on top of a thread's stack, or NULL. */
const struct scope_span *pairs_top(const struct pairs *p, uint32_t thread);

/*
 * Pushes a span that is no scope on a thread's stack: the span below gets no time while it is open.
 * pairs_leave() removes it and returns its own time; pairs_cancel() adds that time to the span
 * below.
 */
uint32_t pairs_enter(struct pairs *p, uint32_t thread, uint32_t mark, uint64_t ns);
uint64_t pairs_leave(struct pairs *p, uint32_t index, uint64_t ns);
void pairs_cancel(struct pairs *p, uint32_t index, uint64_t ns);

/* Adds the time up to `ns` to the open spans. Call before counting unfinished ones. */
void pairs_pass(struct pairs *p, uint64_t ns);

/*
 * Calls `found` for each open scope, in no order. After the last record, these are the unfinished
 * scopes.
 */
void pairs_unfinished(
	struct pairs *p, void (*found)(void *data, const struct scope_span *span), void *data);

#endif
