/* SPDX-License-Identifier: MIT */
/*
 * Tables: cells are put row by row; each column is printed as wide as its widest cell.
 * Texts are aligned left, numbers right. One thread.
 */
#ifndef CMD_COLUMNS_H
#define CMD_COLUMNS_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#include "base/vec.h"

struct columns {
	const char *titles; /* between blanks; those that begin with `-` are aligned left */
	size_t count;
	VEC(char *) cells;
};

void columns_init(struct columns *c, const char *titles);
void columns_fini(struct columns *c);

/* The next cell. Control characters in it are shown as escapes. */
void columns_put(struct columns *c, const char *text);

/* A number: exact up to five digits, then rounded with a unit: of 1000, of bytes 1024. */
void columns_put_number(struct columns *c, uint64_t n);
void columns_put_bytes(struct columns *c, uint64_t n);

/* The time since `then`, as a whole number of its largest unit: 59s, 3m, 23h, 400d. */
void columns_put_age(struct columns *c, time_t then);

/* A user's name, or number without one. */
void columns_put_user(struct columns *c, uid_t uid);

/* The same as a text of USER_NAME_SIZE bytes; returns it. */
#define USER_NAME_SIZE 256
const char *user_name(char *text, uid_t uid);

/* Prints the titles and all rows; nothing where there is no row. */
void columns_print(const struct columns *c, FILE *out);

/* The same with a tab between two cells, for programs. */
void columns_print_tabs(const struct columns *c, FILE *out);

#endif
