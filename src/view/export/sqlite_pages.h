/* SPDX-License-Identifier: MIT */
/*
 * Tables of a database, written row by row at a multiple of the speed of SQLite's insertions: rows
 * come in the order of their numbers, so each page is full and complete before the next one of its
 * table begins, and no page is read or changed again. Memory is a page for each level of each
 * table's tree. SQLite makes the tables afterwards; then each root page replaces that of an empty
 * table. One thread.
 */
#ifndef VIEW_EXPORT_SQLITE_PAGES_H
#define VIEW_EXPORT_SQLITE_PAGES_H

#include "format/sqlite.h"
#include "view/export/sqlite_row.h"

/* The pages of a file, in the order of their numbers. */
struct sqlite_pages {
	struct out out;
	uint32_t count; /* of pages so far */
};

/* Begins behind the first page of a file, which has this page only. */
void sqlite_pages_begin(struct sqlite_pages *p, int fd);

/* Ends the pages, and counts them in the file's header. Returns 0 or an errno. */
int sqlite_pages_end(struct sqlite_pages *p);

/* Levels of a tree: an inner page has at least 270 children, and a file 2^32 pages. */
#define SQLITE_LEVELS 6

struct sqlite_level;

/* The rows of a table. Empty when zeroed. */
struct sqlite_tree {
	struct sqlite_level *levels[SQLITE_LEVELS]; /* open pages: the leaf is first */
	size_t depth;
	int64_t last; /* number of the last row */
};

/* Adds a row; its number is above that of the last one. */
void sqlite_tree_add(struct sqlite_tree *t, struct sqlite_pages *p, int64_t number,
	const struct sqlite_row *row);

/* Writes all pages but the root. Call before sqlite_pages_end(). */
void sqlite_tree_end(struct sqlite_tree *t, struct sqlite_pages *p);

/* Replaces page `number` of a file by the tree's root. Returns 0 or an errno. */
int sqlite_tree_put_root(const struct sqlite_tree *t, int fd, uint32_t number);

void sqlite_tree_fini(struct sqlite_tree *t);

#endif
