/* SPDX-License-Identifier: MIT */
/*
 * Scopes in numbers, for each name: their count, their lengths, and their own time, without scopes
 * inside. Reads one record at a time and prints nothing. One thread.
 */
#ifndef ANALYSE_SCOPES_H
#define ANALYSE_SCOPES_H

#include "analyse/match/pairs.h"
#include "analyse/numbers/report.h"

/* Rows are grouped by name, and by the process or thread that began the scopes. */
enum scopes_by { SCOPES_BY_NAME, SCOPES_BY_PID, SCOPES_BY_THREAD };

struct scopes {
	struct report report;
	struct pairs pairs;
	enum scopes_by by;
	struct reader *reader; /* has the paths and processes of traces */
	struct where *where; /* only scopes with an event for which it is true; NULL: all */
	VEC(uint32_t) by_name; /* SCOPES_BY_NAME: index of the row + 1; 0: none */
};

void scopes_init(struct scopes *s, struct reader *reader, enum scopes_by by);
void scopes_fini(struct scopes *s);

/* Adds a record of the reader, in the order of time. PAIRS_ENDED: pairs.span is a scope. */
enum pairs_result scopes_add(struct scopes *s, const struct record *rec);

/* Ends an open scope, of which the caller has found the end, and adds it: pairs.span. */
void scopes_end_open(struct scopes *s, const struct key *key, uint64_t ns);

/* Counts the unfinished scopes. The caller then calls report_end(). */
void scopes_end(struct scopes *s);

/*
 * Formats a process or thread as PID or PID/TID; the caller frees the text. If there are several
 * traces, the path precedes it, because their numbers may be equal.
 */
char *scopes_who(const struct reader *r, const struct key *key, bool has_tid);

#endif
