/* SPDX-License-Identifier: MIT */
/*
 * Reads the part of TOML 1.0 that declarations use: keys and tables in the file's order, strings
 * and booleans with their values; of numbers and dates only the kind, for messages. Independent of
 * events.
 *
 *	toml_string.c	characters: blanks, comments, strings and their escapes
 *	toml.c		tables, keys, values
 *
 * A fault is reported with its place, and reading continues after it. The faulty value is TOML_BAD,
 * or its table is `damaged` if a key was not understood. The caller, which has the list of keys,
 * must check for a key or a table that appears twice.
 */
#ifndef DECL_TOML_H
#define DECL_TOML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/vec.h"
#include "text/placed.h"

enum toml_kind {
	TOML_BAD, /* already reported */
	TOML_STRING,
	TOML_BOOLEAN,
	TOML_NUMBER,
	TOML_DATE,
	TOML_ARRAY,
	TOML_TABLE, /* an inline table */
};

struct toml_table;

struct toml_value {
	enum toml_kind kind;
	struct location at; /* its first byte */
	struct placed string; /* TOML_STRING */
	bool truth; /* TOML_BOOLEAN */
	struct toml_table *table; /* TOML_TABLE */
	struct toml_value *items; /* first element of a TOML_ARRAY */
	struct toml_value *next; /* next element of the array */
};

/* An entry `key = value`. */
struct toml_entry {
	struct placed key; /* a dotted key as a whole, as written */
	bool is_dotted;
	struct toml_value value;
	struct toml_entry *next; /* in the file's order */
};

struct toml_table {
	struct location at; /* place of its header or `{` */
	struct placed name; /* name in the header; empty: none */
	bool is_dotted;
	bool is_element; /* [[name]] */
	bool damaged; /* keys may be missing here that the file has */
	struct toml_entry *entries;
};

/* Starts with the entries before all headers, then has a table for each header, in order. */
struct toml_document {
	VEC(struct toml_table *) tables;
};

/* The state of reading one file. */
struct toml_reader {
	struct arena *arena;
	struct diag *diag;
	struct scan scan;
	unsigned int depth; /* depth of arrays and inline tables */
	VEC(char) text; /* the string that is being decoded, with each byte's place */
	VEC(size_t) places;
};

/*
 * Reads a source. Strings are allocated in the arena; `d` gets the faults and may be NULL. The
 * caller frees the document by vec_fini(&doc->tables).
 */
void toml_read(struct toml_document *doc, struct arena *a, struct diag *d, const struct source *s);

/* Returns the name of a kind for messages: `a string`. */
const char *toml_kind_name(enum toml_kind kind);

/* ---- For toml.c, of toml_string.c. Each that can meet a fault returns false after it. ---- */

/* Reports a fault at an offset of the source. Returns false. */
bool toml_fail(struct toml_reader *r, size_t at, const char *help, const char *message);

void toml_skip_blanks(struct toml_reader *r);

/* Accepts a newline, LF or CRLF. */
bool toml_accept_newline(struct toml_reader *r);

/* Skips a comment, if one begins here, up to its newline. */
bool toml_skip_comment(struct toml_reader *r);

/* Skips blanks, comments and newlines. */
bool toml_skip_space(struct toml_reader *r);

/* Reads a string from its quote. `may_span`: accepts strings of three quotes, too. */
bool toml_read_string(struct toml_reader *r, struct placed *to, bool may_span);

#endif
