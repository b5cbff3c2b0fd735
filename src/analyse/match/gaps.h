/* SPDX-License-Identifier: MIT */
/*
 * The times in which events were lost, and whether what is between two events may lack some. A gap
 * is known only where its stream records again, so a caller may have asked about its time before:
 * `is_late`. One thread.
 */
#ifndef ANALYSE_GAPS_H
#define ANALYSE_GAPS_H

#include <stdbool.h>
#include <stdint.h>

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

/* Empty when zeroed. */
struct gaps {
	bool is_complete; /* all gaps are known, from an earlier pass: gaps_add() adds none */
	bool is_late; /* a gap was added after a question that it may concern */
	/* For gaps.c only: */
	uint64_t asked_ns; /* the last time that was asked about */
	struct keys by_owner; /* indices of `lists` */
	VEC(struct gaps_list) lists;
};

void gaps_fini(struct gaps *g);

/*
 * Takes the gaps out of an analysis, which has none then: for one that reads the same traces once
 * more, from their start, with all gaps known.
 */
struct gaps gaps_take(struct gaps *g);

/*
 * Adds a gap. `owner` is a key with the trace, process and thread that the gap concerns; 0: all of
 * them.
 */
void gaps_add(struct gaps *g, const struct record *rec, const struct key *owner);

/* Does gaps_overlap() if there are gaps. */
bool gaps_overlap_any(
	const struct gaps *g, const struct key *key, uint64_t from_ns, uint64_t to_ns);

/* True if a gap that concerns the key overlaps the time, or touches it. */
static inline bool gaps_overlap(
	struct gaps *g, const struct key *key, uint64_t from_ns, uint64_t to_ns)
{
	g->asked_ns = to_ns > g->asked_ns ? to_ns : g->asked_ns;
	return g->lists.count > 0 && gaps_overlap_any(g, key, from_ns, to_ns);
}

/*
 * True if a gap that concerns the key overlaps the time between two events of it. A gap that only
 * touches that time is before the first event, or after the second.
 */
static inline bool gaps_are_between(
	struct gaps *g, const struct key *key, uint64_t from_ns, uint64_t to_ns)
{
	return from_ns < to_ns && gaps_overlap(g, key, from_ns + 1, to_ns - 1);
}

#endif
