/* SPDX-License-Identifier: MIT */
/*
 * Where time went, by stacks of scopes: a tree of frames, processes and threads first, then
 * scopes within scopes. A span's frame is settled when it begins, below that of the scope it
 * was begun in; its own time is added when it ends. Memory is bounded by the scopes open at
 * one time and the different stacks. Invariant: a frame stands behind its parent. One thread.
 */
#ifndef ANALYSE_STACKS_H
#define ANALYSE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/pairs.h"
#include "analyse/report.h"

/* What a frame stands for, and which one: its id. */
enum stack_kind {
	STACK_ROOT,
	STACK_PROCESS, /* its number, of the trace `trace` */
	STACK_THREAD, /* its number */
	STACK_ASYNC, /* of scopes that are in no other */
	STACK_SCOPE, /* of stacks.pairs.names */
	STACK_KERNEL, /* whatever stacks_child() was told */
};

struct stack_frame {
	enum stack_kind kind;
	uint32_t parent; /* index; of the root its own */
	uint32_t id;
	uint32_t trace; /* of a process */
	const char *name; /* of STACK_KERNEL; else NULL */
	uint64_t self_ns;
	uint64_t count;
	bool is_own; /* of one scope, behind lost events; with no count it is not to be shown */
	uint32_t last; /* the child that was found last; 0: none yet */
	uint64_t events; /* after stacks_end(): its and all its children's count */
};

enum stacks_by { STACKS_BY_THREAD, STACKS_BY_PROCESS, STACKS_BY_NAME };

struct stacks_options {
	enum stacks_by by;
	bool without_async;
	bool with_unfinished; /* whose time goes up to the last record */
	/* Whether stacks begin at scopes of this name; NULL: at all. */
	bool (*is_wanted)(void *data, const char *name);
	void *data;
};

struct stacks {
	struct stacks_options options;
	VEC(struct stack_frame) frames; /* the root first */
	struct unpaired unpaired;
	uint64_t gaps; /* places where events were lost */
	uint64_t elsewhere; /* scopes that another thread ended, which are in no other then */
	uint64_t first_ns; /* of what it has seen */
	uint64_t last_ns;
	struct pairs pairs;
	/* For stacks.c only: */
	VEC(char) verdicts; /* by pairs' names: what is_wanted() says */
	struct keys children; /* indices of `frames`, by parent, kind, trace, id */
};

#define STACKS_NONE PAIRS_NONE

void stacks_init(
	struct stacks *s, const struct class_table *known, const struct stacks_options *options);
void stacks_fini(struct stacks *s);

/* Sees a record's time, of any record. */
static inline void stacks_see(struct stacks *s, uint64_t ns)
{
	s->first_ns = s->last_ns ? s->first_ns : ns;
	s->last_ns = ns > s->last_ns ? ns : s->last_ns;
}

/* Takes a record, in the order of time; `values`: where pairs_wants() it, its values. */
enum pairs_result stacks_add(
	struct stacks *s, const struct record *rec, const struct value *values);

/* The frame below `parent`; made where there is none. `name` outlives the stacks, or is NULL. */
uint32_t stacks_child(
	struct stacks *s, uint32_t parent, enum stack_kind kind, uint32_t id, const char *name);

/* Ends the adding: counts what is unfinished, and sums the counts. */
void stacks_end(struct stacks *s);

#endif
