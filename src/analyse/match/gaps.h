/* SPDX-License-Identifier: MIT */
/*
 * The times in which events were lost. A gap is known only where its thread records again, so its
 * time begins with the thread's record before it; spans that ended meanwhile are checked too early.
 * One thread.
 */
#ifndef ANALYSE_GAPS_H
#define ANALYSE_GAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/vec.h"
#include "read/keys.h"
#include "read/record.h"

struct gaps_window {
	uint64_t from_ns;
	uint64_t to_ns;
};

/* The windows of one owner: disjoint, in the order of time. */
struct gaps_list {
	VEC(struct gaps_window) windows;
};

#define GAPS_RECENT 8

struct gaps_thread {
	uint32_t trace;
	uint32_t pid;
	uint32_t tid;
	bool is_known;
	uint64_t ns; /* of its last record */
};

/* Empty when zeroed. */
struct gaps {
	bool is_complete; /* all gaps are known, from an earlier pass: gaps_add() adds none */
	/* For gaps.c only: */
	struct gaps_thread recent[GAPS_RECENT]; /* threads whose time is newer than in `threads` */
	struct keys by_thread; /* indices of `threads` */
	VEC(uint64_t) threads; /* time of the last record */
	struct keys by_owner; /* indices of `lists` */
	VEC(struct gaps_list) lists;
};

void gaps_fini(struct gaps *g);

/* Forgets the threads: the traces are read once more, from their start, with all gaps known. */
void gaps_restart(struct gaps *g);

void gaps_see_slowly(struct gaps *g, const struct record *rec);

/* Notes the time of an event. Call for all events, in the order of time. */
static inline void gaps_see(struct gaps *g, const struct record *rec)
{
	struct gaps_thread *t = &g->recent[rec->tid % GAPS_RECENT];

	if (UNLIKELY(t->tid != rec->tid || t->pid != rec->pid || t->trace != rec->trace ||
		     !t->is_known)) {
		gaps_see_slowly(g, rec);
		return;
	}
	t->ns = rec->ns;
}

/*
 * Adds a gap. `owner` is a key with the trace, process and thread that the gap concerns; 0: all of
 * them. Returns the time at which the gap begins.
 */
uint64_t gaps_add(struct gaps *g, const struct record *rec, const struct key *owner);

/* True if a gap that concerns the key overlaps the time. */
bool gaps_overlap(const struct gaps *g, const struct key *key, uint64_t from_ns, uint64_t to_ns);

#endif
