/* SPDX-License-Identifier: MIT */
/*
 * Texts that programs write into the kernel's trace_marker: crosvm's lines, which waymark/scope.h
 * writes too, lines of events declared in TOML, and the grammars of Android and OpenHarmony.
 * Written by src/rt/text/site_text.h, and by text.c and ftrace.c there. Any other text is plain
 * text; nothing is guessed. Pure functions.
 */
#ifndef READ_KERNEL_MARKER_H
#define READ_KERNEL_MARKER_H

#include <stddef.h>
#include <stdint.h>

#include "read/record.h"
#include "text/scan.h"

enum marker_kind {
	MARKER_TEXT, /* any other text: `message` is all of it */
	MARKER_INSTANT,
	MARKER_COUNTER,
	MARKER_STEP, /* step of the flow `number` */
	/* beginnings: */
	MARKER_ENTER, /* start of a thread's scope with a number */
	MARKER_BEGIN, /* start of a scope that the next MARKER_END of its thread ends */
	MARKER_ASYNC, /* start of a scope with a number and name, which any thread may end */
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

/* Splits the text. The marker's parts point into it; the ends of parts are overwritten. */
void marker_parse(struct marker *m, char *text);

struct marker_field {
	struct span expression;
	struct value value; /* of TYPE_DEBUG */
};

/* Extra bytes of room that a value needs, besides its text. */
#define MARKER_VALUE_ROOM 16

/* Returns the end of the expression if the text begins with an argument, else NULL. */
const char *marker_expression_end(const char *text);

/*
 * Splits a text that ends with a NUL into at most `max` arguments; the last one gets the rest.
 * `room` is for values: the bytes of the text, and MARKER_VALUE_ROOM for each argument. Returns
 * their number.
 */
size_t marker_fields(struct marker_field *fields, size_t max, struct span arguments, char *room);

/* Returns the value of a text: a number, a string, or else the text as it is. Moves *room on. */
struct value marker_value(struct span text, char **room);

#endif
