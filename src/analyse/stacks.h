/* SPDX-License-Identifier: MIT */
/*
 * Time by stacks of scopes: a tree of frames with processes and threads at the top, then scopes
 * within scopes. A span gets its frame when it begins, below the frame of the scope around it; its
 * own time is added when it ends. Spans from one event to another count as scopes; their time is
 * divided among the events inside: from each to the next, and to the first from the begin. Memory
 * is bounded by the scopes open at one time and the number of different stacks. Invariant: a
 * frame's index is larger than its parent's. One thread.
 *
 * With an expression, only selected spans count: those with a begin or end for which it is true,
 * and all spans inside of them.
 */
#ifndef ANALYSE_STACKS_H
#define ANALYSE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/match/event_spans.h"
#include "analyse/match/held.h"
#include "analyse/match/pairs.h"
#include "analyse/numbers/report.h"

struct where;

/* The kind of a frame, which defines the meaning of its id. */
enum stack_kind {
	STACK_ROOT,
	STACK_PROCESS, /* id: pid in the trace `trace` */
	STACK_THREAD, /* id: tid */
	STACK_ASYNC, /* parent of scopes that are in no other scope */
	STACK_SCOPE, /* id: index of stacks.pairs.names */
	STACK_KERNEL, /* id: argument of stacks_child() */
};

struct stack_frame {
	enum stack_kind kind;
	uint32_t parent; /* index; the root is its own parent */
	uint32_t id;
	uint32_t trace; /* trace of a process */
	const char *name; /* for STACK_KERNEL; else NULL */
	uint64_t self_ns;
	uint64_t count;
	bool is_own; /* of a single scope after lost events; not shown if it has no end */
	bool has_end; /* of an own frame */
	uint32_t last; /* the last child that was found; 0: none yet */
	uint64_t events; /* count of the frame and all below it, after stacks_end() */
};

enum stacks_by { STACKS_BY_THREAD, STACKS_BY_PROCESS, STACKS_BY_NAME };

struct stacks_options {
	enum stacks_by by;
	bool without_async;
	bool with_unfinished; /* counts unfinished scopes up to the last record */
	/* Returns true if stacks begin at scopes of this name; NULL: they begin at all scopes. */
	bool (*is_wanted)(void *data, const char *name);
	void *data;
	struct event_spans *events; /* further spans; NULL: only scopes. Must outlive the stacks */
	struct where *where; /* selects spans, not with kernel events; NULL: all */
	struct reader *reader; /* for `where` */
};

struct stacks {
	struct stacks_options options;
	VEC(struct stack_frame) frames; /* the root is first */
	struct unpaired unpaired;
	uint64_t gaps; /* places where events were lost */
	uint64_t elsewhere; /* scopes ended by another thread: shown outside of all others */
	uint64_t first_ns; /* first time of all records seen */
	uint64_t last_ns;
	struct pairs pairs;
	bool is_before; /* spans that end now are no part of the wanted time: they do not count */
	/* For stacks.c only: */
	VEC(char) verdicts; /* results of is_wanted(), by index of pairs.names */
	bool passes; /* the expression is true for the last record */
	struct held held; /* counts of ended spans in spans that are not selected, or not yet */
	struct keys children; /* indices of `frames`, by parent, kind, trace, id */
};

#define STACKS_NONE PAIRS_NONE

void stacks_init(
	struct stacks *s, const struct class_table *known, const struct stacks_options *options);
void stacks_fini(struct stacks *s);

/* Notes the time of a record, even of one that is not wanted. */
static inline void stacks_see(struct stacks *s, uint64_t ns)
{
	s->first_ns = s->last_ns ? s->first_ns : ns;
	s->last_ns = ns > s->last_ns ? ns : s->last_ns;
}

/* True if the record is of a scope or span: stacks_add() then needs its values. */
static inline bool stacks_wants(struct stacks *s, const struct record *rec)
{
	return pairs_wants(&s->pairs, rec) ||
	       (s->options.events && rec->kind == RECORD_EVENT &&
		       event_spans_sides(s->options.events, rec->class));
}

/* Begins a scope that was open before the first record: see pairs_resume(). */
void stacks_resume(struct stacks *s, const struct key *key, const struct event_class *class,
	uint64_t begin_ns);

/* Adds a record, in the order of time, with its values if stacks_wants() it. */
enum pairs_result stacks_add(
	struct stacks *s, const struct record *rec, const struct value *values);

/*
 * Returns the frame below `parent`; makes it if needed. `name` must outlive the stacks, or is NULL.
 */
uint32_t stacks_child(
	struct stacks *s, uint32_t parent, enum stack_kind kind, uint32_t id, const char *name);

/* Adds an ended span to a frame, unless it is STACKS_NONE. */
void stacks_count(struct stacks *s, uint32_t frame, uint64_t self_ns);

/* Counts the unfinished scopes and sums the counts. Call after the last record. */
void stacks_end(struct stacks *s);

#endif
