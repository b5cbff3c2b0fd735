/* SPDX-License-Identifier: MIT */
/*
 * What scopes of each name took, in numbers: how many there were, how long they were, how
 * much of that was their own. Fed record by record; says nothing itself. One thread.
 */
#ifndef ANALYSE_SCOPES_H
#define ANALYSE_SCOPES_H

#include "analyse/pairs.h"
#include "analyse/report.h"

/* What else than the name a row is of: of the thread that began them, or its process. */
enum scopes_by { SCOPES_BY_NAME, SCOPES_BY_PID, SCOPES_BY_THREAD };

struct scopes {
	struct report report;
	struct pairs pairs;
	enum scopes_by by;
	struct reader *reader; /* which tells traces apart */
	VEC(uint32_t) by_name; /* rows + 1, where names are all they are of; 0: none */
};

void scopes_init(struct scopes *s, struct reader *reader, enum scopes_by by);
void scopes_fini(struct scopes *s);

/* Takes a record of the reader, in the order of time. */
void scopes_add(struct scopes *s, const struct record *rec);

/* Ends the adding: counts what is unfinished; report_end() is the caller's. */
void scopes_end(struct scopes *s);

/*
 * Who that is, as text on the heap: PID, or PID/TID; with the trace's path in front where
 * there are several, for their numbers may be the same.
 */
char *scopes_who(const struct reader *r, const struct key *key, bool has_tid);

#endif
