/* SPDX-License-Identifier: MIT */
/*
 * Dialects, the protocols of a session. Each is a row of session.c's table. JSON dialects differ
 * only in rules, which are plain data.
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

struct monitor_session;

/* Differences between dialects of JSON. */
struct json_rules {
	size_t format; /* jansson's flags for answers */
	bool negotiates; /* no command before qmp_capabilities */
	bool needs_arguments; /* commands with required parameters need the member */
	bool id_is_string;
	bool takes_regex; /* patterns are regular expressions, and need not match */
	bool state_is_bool; /* an event's state is a boolean, not a word */
};

struct dialect {
	enum waymark_monitor_mode mode;
	unsigned int bit; /* enum dialect_bit */
	const struct json_rules *json; /* NULL: lines of text */
	void (*greet)(struct monitor_session *s, FILE *out);
	int (*feed)(struct monitor_session *s, const char *bytes, size_t size, FILE *out);
};

struct monitor_session {
	const struct dialect *dialect;
	const char *prompt; /* HMP's */
	char *line; /* HMP: the unfinished line */
	size_t length;
	struct json_scan scan; /* JSON: the unfinished value */
	bool negotiated;
	bool ended; /* the client said quit */
	struct holds holds; /* events that it is attached to */
};

void hmp_greet(struct monitor_session *s, FILE *out);
int hmp_feed(struct monitor_session *s, const char *bytes, size_t size, FILE *out);

void qmp_greet(struct monitor_session *s, FILE *out);
int qmp_feed(struct monitor_session *s, const char *bytes, size_t size, FILE *out);

#endif
