/* SPDX-License-Identifier: MIT */
/*
 * What scopes of each name took, in numbers: how many there were, how long they were, how
 * much of that was their own. Fed record by record; says nothing itself. One thread.
 */
#ifndef ANALYSE_SCOPES_H
#define ANALYSE_SCOPES_H

#include <stdint.h>

#include "analyse/distribution.h"
#include "analyse/pairs.h"
#include "base/vec.h"

/* What did not become a span. */
struct unpaired {
	uint64_t unfinished; /* begun, and the trace has ended first */
	uint64_t end_lost; /* the same, but for lost events there could be an end */
	uint64_t unbegun; /* ended, but begun before the trace, or by a process that forked */
	uint64_t begin_lost; /* the same, but for lost events there could be a beginning */
	uint64_t begun_twice; /* with one number, as after an end that is lost */
};

/* All scopes of one name. */
struct scope_row {
	const char *name; /* of the scopes; NULL: no record of that name */
	uint64_t self_ns;
	struct unpaired unpaired;
	struct distribution *lengths; /* in ns, of those that ended; NULL: none has */
};

struct scopes {
	VEC(struct scope_row) rows; /* by pairs' names, until scopes_end() */
	struct unpaired unpaired; /* of all names */
	struct pairs pairs;
};

void scopes_init(struct scopes *s, const struct class_table *known);
void scopes_fini(struct scopes *s);

/* Takes a record, in the order of time; `values`: where pairs_wants() it, its values. */
void scopes_add(struct scopes *s, const struct record *rec, const struct value *values);

/* Ends the adding: counts what is unfinished, and sorts by total time, the longest first. */
void scopes_end(struct scopes *s);

#endif
