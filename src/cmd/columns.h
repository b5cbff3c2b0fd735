/* SPDX-License-Identifier: MIT */
/*
 * Tables. Cells are added row by row; each column is as wide as its widest cell. Texts are aligned
 * left, numbers right. One thread.
 */
#ifndef CMD_COLUMNS_H
#define CMD_COLUMNS_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#include "base/vec.h"

struct columns {
	const char *titles; /* separated by blanks; a leading `-` means left-aligned */
	size_t count;
	VEC(char *) cells;
};

void columns_init(struct columns *c, const char *titles);
void columns_fini(struct columns *c);

/* Adds the next cell. Control characters are shown as escapes. */
void columns_put(struct columns *c, const char *text);

/* Adds a number: exact up to five digits, else rounded, with a unit of 1000 (for bytes 1024). */
void columns_put_number(struct columns *c, uint64_t n);
void columns_put_bytes(struct columns *c, uint64_t n);

/* Adds a duration; columns_time() writes it with three digits and a unit. */
#define COLUMNS_TIME_SIZE 48
void columns_put_time(struct columns *c, uint64_t ns);
void columns_time(char text[COLUMNS_TIME_SIZE], uint64_t ns);

/* Adds the time since `then` as a whole number of its largest unit: 59s, 3m, 23h, 400d. */
void columns_put_age(struct columns *c, time_t then);

/* Adds a user's name; the number if the user has none. */
void columns_put_user(struct columns *c, uid_t uid);

/* Writes the user's name or number to a text of USER_NAME_SIZE bytes; returns the text. */
#define USER_NAME_SIZE 256
const char *user_name(char *text, uid_t uid);

/* Prints the titles and all rows; nothing if there is no row. */
void columns_print(const struct columns *c, FILE *out);

/* Prints the table with tabs between cells, for programs. */
void columns_print_tabs(const struct columns *c, FILE *out);

#endif
