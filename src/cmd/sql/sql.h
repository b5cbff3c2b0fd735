/* SPDX-License-Identifier: MIT */
/*
 * `waymark sql`: waymark_sql.c has the command line, ask.c reads statements from a terminal or a
 * file, run.c runs them, answer.c prints their rows. One thread.
 */
#ifndef CMD_SQL_SQL_H
#define CMD_SQL_SQL_H

#include "cmd/session.h"
#include "sql/tables.h"

enum answer_style { ANSWER_TABLE, ANSWER_CSV, ANSWER_JSON };

/* The traces, the connection, and how answers look. */
struct asking {
	struct session *session;
	struct sql_source source;
	sqlite3 *db;
	enum answer_style style;
	bool is_over; /* .quit */
	VEC(char *) reported; /* problems that were reported */
};

/* ---- run.c ---- */

/* Runs statements, separated by `;`, or a command that begins with a dot; false if one failed. */
bool asking_run(struct asking *a, const char *text);

/* ---- answer.c ---- */

/* Prints all rows of a statement; returns a result of SQLite. */
int answer(struct asking *a, sqlite3_stmt *statement);

/* ---- ask.c ---- */

/* Runs what standard input has: with a prompt if it is a terminal. False if a statement failed. */
bool ask(struct asking *a);

#endif
