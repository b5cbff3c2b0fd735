/* SPDX-License-Identifier: MIT */
/*
 * Finds the JSON values in a stream of bytes: they follow each other with or
 * without newlines, and may be cut anywhere. As in QEMU's dialect a string may
 * stand between single quotes; what comes out has double ones, for a parser
 * that knows JSON only. That parser finds what is no JSON, and has the rest of it skipped,
 * so that garbage of any size brings one error a line.
 */
#ifndef MON_JSON_SCAN_H
#define MON_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* All zero: nothing came yet. */
struct json_scan {
	char *text; /* the value so far, as JSON */
	size_t length;
	size_t capacity;
	unsigned int depth; /* open braces and brackets */
	char quote; /* of the string that is open; 0: none is */
	bool escaped; /* behind a backslash in it */
	bool is_word; /* a number, or true and its like: ends before what cannot belong to it */
	bool skips; /* up to the line's end or the next object */
};

enum json_found {
	JSON_NOTHING, /* all bytes are taken, no value is complete */
	JSON_VALUE, /* `text` is one, `length` bytes; call again with what is left */
	JSON_BROKEN, /* a byte that no string may have: the value and the rest are skipped */
	JSON_TOO_LONG, /* a value of more than `max` bytes, or nested too deep: it is dropped */
	JSON_NO_MEMORY,
};

/*
 * Takes bytes from `*bytes` up to `end`, and moves it on. After JSON_VALUE the next
 * call drops the value.
 */
enum json_found json_scan(struct json_scan *s, const char **bytes, const char *end, size_t max);

/* After a value that is no request: skips the rest of the line, or up to the next object. */
void json_scan_skip(struct json_scan *s);

void json_scan_fini(struct json_scan *s);

#endif
