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

/* ---- Values of JSON in a stream ---- */

/*
 * Finds JSON values in a stream of bytes, which may be cut anywhere, with newlines or without. As
 * in QEMU's dialect, strings may have single quotes, which become double quotes for the JSON
 * parser. If that parser reports an error, the rest of the line is skipped, so that any amount of
 * garbage in a line makes one error.
 */

/* State of a scan; all zero at the start. */
struct json_scan {
	char *text; /* the unfinished value, as JSON */
	size_t length;
	size_t capacity;
	unsigned int depth; /* open braces and brackets */
	char quote; /* quote of the open string; 0: none is open */
	bool escaped; /* after a backslash in a string */
	/* the value is a number, true, false or null: ends before a byte that cannot belong to it
	 */
	bool is_word;
	bool skips; /* skipping to the end of the line or the next object */
};

enum json_found {
	JSON_NOTHING, /* all bytes were read, no value is complete */
	JSON_VALUE, /* a value in `text`, `length` bytes; call again with the remaining bytes */
	JSON_BROKEN, /* a control character in a string: skips the value and the line */
	JSON_TOO_LONG, /* a value of more than `max` bytes, or nested too deep: drops it */
	JSON_NO_MEMORY,
};

/*
 * Reads bytes from `*bytes` up to `end`, and moves it on. After JSON_VALUE, the next call drops the
 * value.
 */
enum json_found json_scan(struct json_scan *s, const char **bytes, const char *end, size_t max);

/*
 * Skips the rest of the line, or up to the next object. For use after a value that is no request.
 */
void json_scan_skip(struct json_scan *s);

void json_scan_fini(struct json_scan *s);

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
