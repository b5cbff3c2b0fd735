/* SPDX-License-Identifier: MIT */
/*
 * Tables for people: cells are put row by row, and printed as wide as the widest of
 * their column. Texts stand left, numbers right. One thread.
 */
#ifndef CMD_COLUMNS_H
#define CMD_COLUMNS_H

#include <stdint.h>
#include <stdio.h>

#include "base/vec.h"

struct columns {
	const char *titles; /* between blanks; those that begin with `-` stand left */
	size_t count;
	VEC(char *) cells;
};

void columns_init(struct columns *c, const char *titles);
void columns_fini(struct columns *c);

/* The next cell. Control characters in it are shown as escapes. */
void columns_put(struct columns *c, const char *text);

/* A number for people: exact as long as it is short. Other than events, bytes go by 1024. */
void columns_put_number(struct columns *c, uint64_t n);
void columns_put_bytes(struct columns *c, uint64_t n);

/* Prints the titles and all rows; nothing where there is no row. */
void columns_print(const struct columns *c, FILE *out);

/* The same with a tab between two cells, for programs. */
void columns_print_tabs(const struct columns *c, FILE *out);

#endif
