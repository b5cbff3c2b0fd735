/* SPDX-License-Identifier: MIT */
/*
 * The tables beside those of events, in `waymark sql` and in exported databases: names, columns and
 * the values of rows. A caller makes a row, and stores or shows its values before the next one. One
 * thread.
 */
#ifndef VIEW_LISTS_H
#define VIEW_LISTS_H

#include "analyse/life/lives.h"
#include "analyse/match/pairs.h"
#include "analyse/summary.h"
#include "read/reader.h"
#include "text/out.h"

enum list_kind {
	LIST_GAPS,
	LIST_SCOPES,
	LIST_LIVES,
	LIST_THREADS,
	LIST_PROCESSES,
	LIST_DECLARATIONS,
	LIST_KINDS,
};

extern const char *const list_names[LIST_KINDS + 1]; /* ends with NULL */
extern const char *const list_columns[LIST_KINDS]; /* definitions in SQL, divided by commas */

/* Limit of a list's columns. */
#define LIST_VALUES 15

/* A value: an integer, else a text, which is valid until the next row; else NULL. */
struct list_value {
	const char *text;
	int64_t integer;
	bool is_integer;
};

struct list_row {
	const struct reader *reader;
	const char *path; /* of a trace without one of its own */
	bool has_nulls; /* a process or thread that is not known is NULL, else as recorded, 0 */
	size_t count;
	struct list_value values[LIST_VALUES];
	struct out text; /* to memory */
};

/* Makes a row of the record of a gap. */
void list_gap(struct list_row *r, const struct record *rec);

/*
 * Makes a row of a scope. `unfinished`: 0: it has ended; 1: it has not; 2: its end may be among
 * lost events.
 */
void list_scope(struct list_row *r, const char *name, const struct scope_span *s, int unfinished);

/* Names of enum life_outcome. */
extern const char *const list_outcomes[];

/* Makes a row of a life that has ended; `key` and `path` are its texts. */
void list_life(struct list_row *r, const char *kind, const struct life *l, const char *key,
	const char *path);

/* Make a row of a sorted summary's thread, and of the process of a trace. */
void list_thread(struct list_row *r, const struct thread_count *t);
void list_process(struct list_row *r, const struct summary *s, size_t trace);

/* Makes a row of a field of an event, whose index may be too large: it has none. */
void list_declaration(struct list_row *r, const struct event_class *class, size_t field);

#endif
