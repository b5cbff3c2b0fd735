/* SPDX-License-Identifier: MIT */
/*
 * Finds JSON values in a stream of bytes, which may be cut anywhere and has newlines or
 * not. As in QEMU's dialect strings may have single quotes; they become double ones for
 * a parser of JSON. When that parser reports an error, the rest of the line is skipped, so
 * that garbage of any size makes one error a line.
 */
#ifndef MON_JSON_SCAN_H
#define MON_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* All zero at the beginning. */
struct json_scan {
	char *text; /* the value so far, as JSON */
	size_t length;
	size_t capacity;
	unsigned int depth; /* open braces and brackets */
	char quote; /* of the open string; 0: none is open */
	bool escaped; /* after a backslash in a string */
	bool is_word; /* a number, true, false or null: ends before a byte that cannot belong to it
		       */
	bool skips; /* until the end of the line or the next object */
};

enum json_found {
	JSON_NOTHING, /* all bytes are taken, no value is complete */
	JSON_VALUE, /* in `text`, `length` bytes; call again with the remaining bytes */
	JSON_BROKEN, /* a control character in a string: the value and the line are skipped */
	JSON_TOO_LONG, /* a value of more than `max` bytes, or nested too deep: dropped */
	JSON_NO_MEMORY,
};

/*
 * Takes bytes from `*bytes` up to `end`, and moves it on. After JSON_VALUE the next
 * call drops the value.
 */
enum json_found json_scan(struct json_scan *s, const char **bytes, const char *end, size_t max);

/* Skips the rest of the line, or up to the next object: after a value that is not a request. */
void json_scan_skip(struct json_scan *s);

void json_scan_fini(struct json_scan *s);

#endif
