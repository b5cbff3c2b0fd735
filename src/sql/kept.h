/* SPDX-License-Identifier: MIT */
/*
 * The rows of a list, kept from its second scan on while statements run: SQLite scans the inner
 * table of a join once for each row of the outer one, and lists have no conditions that differ.
 * What a source keeps, here and in join.c, has one limit.
 */
#ifndef SQL_KEPT_H
#define SQL_KEPT_H

#include "base/arena.h"
#include "sql/events.h"

struct kept_rows {
	unsigned int scans; /* so far */
	bool is_complete; /* all rows are here */
	bool is_too_large; /* they are read again for each scan */
	size_t columns;
	VEC(struct cell) cells; /* of one row after the other */
	size_t texts; /* bytes of the texts in the arena */
	size_t bytes; /* counted in source->kept */
	struct arena arena; /* for texts */
};

/* Counts what is kept in place of what was; false if that exceeds the limit. */
static inline bool kept_count(struct sql_source *s, size_t *bytes, size_t now)
{
	s->kept += now - *bytes;
	*bytes = now;
	return s->kept <= s->kept_max;
}

/* Begins a table with `columns` columns. */
void kept_begin(struct kept_rows *k, size_t columns);

/* Adds a row. Returns false, and keeps nothing more, if the limit is reached. */
bool kept_add(struct kept_rows *k, struct sql_source *s, const struct cell *row);

/* Forgets the rows. */
void kept_clear(struct kept_rows *k, struct sql_source *s);

/* Forgets those of all lists, and that they were scanned. */
void kept_clear_all(struct sql_source *s);

/* Returns the items that an array has room for after one more is added. */
static inline size_t kept_room(size_t count, size_t capacity)
{
	return count < capacity ? capacity : 2 * capacity;
}

static inline size_t kept_row_count(const struct kept_rows *k)
{
	return k->cells.count / k->columns;
}

#endif
