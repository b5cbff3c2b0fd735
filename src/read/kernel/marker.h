/* SPDX-License-Identifier: MIT */
/*
 * Texts that programs write into the kernel's trace_marker: the lines of waymark/scope.h, which are
 * crosvm's, those of events declared in TOML, and the grammars of Android and OpenHarmony.
 * src/rt/text/site_text.h, text.c and ftrace.c there write them. Any other text is plain text;
 * nothing is guessed. Pure functions.
 */
#ifndef READ_KERNEL_MARKER_H
#define READ_KERNEL_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/record.h"
#include "text/scan.h"

enum marker_kind {
	MARKER_TEXT, /* none of the others: `message` is all of it */
	MARKER_INSTANT,
	MARKER_COUNTER,
	MARKER_STEP, /* of the flow `number` */
	/* beginnings: */
	MARKER_ENTER, /* of a thread's scope with a number */
	MARKER_BEGIN, /* of a scope that the next MARKER_END of its thread ends */
	MARKER_ASYNC, /* of a scope with a number and name, which any thread ends */
	/* ends, in the same order: */
	MARKER_EXIT,
	MARKER_END,
	MARKER_ASYNC_END,
};

struct marker {
	enum marker_kind kind;
	uint32_t pid; /* 0: not in the line */
	int64_t number;
	struct span category; /* empty: none, or part of the name */
	struct span name;
	struct span arguments; /* `(expression: value)...`; empty: none */
	struct span message; /* text NULL: none */
	struct span value; /* of a counter without arguments */
};

/* Splits the text, whose parts the marker points to; the ends of parts are overwritten. */
void marker_parse(struct marker *m, char *text);

struct marker_field {
	struct span expression;
	struct value value; /* of TYPE_DEBUG */
};

/* Bytes of room that a value needs besides its text. */
#define MARKER_VALUE_ROOM 16

/* The end of the expression if the text begins with an argument, else NULL. */
const char *marker_expression_end(const char *text);

/*
 * The arguments of a text that ends with a NUL, at most `max`: the last one has the rest. `room` is
 * for values: the bytes of the text, and MARKER_VALUE_ROOM for each argument. Returns their number.
 */
size_t marker_fields(struct marker_field *fields, size_t max, struct span arguments, char *room);

/* The value of a text: a number, a string, or else the text as it is. Moves *room on. */
struct value marker_value(struct span text, char **room);

#endif
