/* SPDX-License-Identifier: MIT */
/*
 * Dialects: how a session speaks. Each is a row of session.c's table. Those that
 * speak JSON differ in rules only, which are plain data.
 */
#ifndef MON_DIALECT_H
#define MON_DIALECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <waymark/monitor.h>

#include "mon/session/hold.h"
#include "mon/session/json_scan.h"

struct call;
struct session;

/* What JSON dialects differ in. */
struct json_rules {
	size_t format; /* jansson's flags for answers */
	bool negotiates; /* no command before qmp_capabilities */
	bool needs_arguments; /* commands that take some cannot be sent without */
	bool id_is_string;
	bool takes_regex; /* patterns are regular expressions, and may match nothing */
	bool state_is_bool; /* of an event; else a word */
};

struct dialect {
	enum waymark_monitor_mode mode;
	unsigned int bit; /* enum dialect_bit */
	const struct json_rules *json; /* NULL: lines of text */
	void (*greet)(struct session *s, FILE *out);
	int (*feed)(struct session *s, const char *bytes, size_t size, FILE *out);
};

struct session {
	const struct dialect *dialect;
	const char *prompt; /* HMP's */
	char *line; /* HMP: what came of the line so far */
	size_t length;
	struct json_scan scan; /* JSON: of the value so far */
	bool negotiated;
	bool ended; /* the client said quit */
	struct holds holds; /* what it has attached to */
};

void hmp_greet(struct session *s, FILE *out);
int hmp_feed(struct session *s, const char *bytes, size_t size, FILE *out);

/*
 * Runs one line of HMP, which ends with a NUL and is changed; its text ends with
 * newlines as they are in C.
 */
void hmp_run(struct session *s, char *line, FILE *out);

#define HMP_BLANKS " \t\r\n\v\f"

/* What follows the command's name, as the call's arguments; changed. False: the call has failed. */
bool hmp_take_arguments(struct call *call, char *line);

/* The rest of a line, without the blanks around it. */
char *hmp_take_line(char **line);

void qmp_greet(struct session *s, FILE *out);
int qmp_feed(struct session *s, const char *bytes, size_t size, FILE *out);

#endif
