/* SPDX-License-Identifier: MIT */
/*
 * What programs write into the kernel's trace_marker: the lines of waymark/scope.h, which are
 * crosvm's, those of events declared in TOML, and the grammars of Android and OpenHarmony.
 * src/rt/text/site_text.h, text.c and ftrace.c there write them. Any text is one of these or
 * plain text; nothing is guessed. Pure functions.
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
	/* What begins: */
	MARKER_ENTER, /* a scope of a thread, by its number */
	MARKER_BEGIN, /* one that the next MARKER_END of its thread ends */
	MARKER_ASYNC, /* one by its number and name, which any thread ends */
	/* What ends, in the same order: */
	MARKER_EXIT,
	MARKER_END,
	MARKER_ASYNC_END,
};

struct marker {
	enum marker_kind kind;
	uint32_t pid; /* 0: the line does not say it */
	int64_t number;
	struct span category; /* empty: there is none, or it is in the name */
	struct span name;
	struct span arguments; /* `(expression: value)...`; empty: none */
	struct span message; /* text NULL: there is none */
	struct span value; /* of a counter that has no arguments */
};

/* Takes the text apart, whose parts the marker has then; it is changed where those end. */
void marker_parse(struct marker *m, char *text);

/* An argument. */
struct marker_field {
	struct span expression;
	struct value value; /* of TYPE_DEBUG */
};

/* Bytes of room that values need beside those of their own text. */
#define MARKER_VALUE_ROOM 16

/* Whether a text begins with an argument: where its expression ends; NULL: it does not. */
const char *marker_expression_end(const char *text);

/*
 * The arguments of a text that ends with a NUL, at most `max`: the last one has what is too much.
 * `room` is for values, with a byte for each of the text and MARKER_VALUE_ROOM for each argument.
 */
size_t marker_fields(struct marker_field *fields, size_t max, struct span arguments, char *room);

/* The value that a text is: a number, a string, or else the text as it is. Moves *room on. */
struct value marker_value(struct span text, char **room);

#endif
