/* SPDX-License-Identifier: MIT */
/*
 * The reader of captures of the kernel's trace: tracefs' `trace` and `trace_pipe`, and what
 * trace-cmd makes of its files. Markers (read/kernel/marker.h) are the events that the same
 * trace points make in a native trace; the kernel's own events have their text.
 *
 *	open.c     what is a capture
 *	capture.c  the lines: what is an event, what was lost, what is none
 *	scope.c    whose the events are, and which beginning an end ends
 *	shape.c    event classes, by name and fields
 *
 * A scope's end in a marker says less than its record in a native trace: what is open is kept,
 * so memory is bounded by that, by the threads, and by KERNEL_SHAPES_MAX kinds of events.
 */
#ifndef READ_KERNEL_CAPTURE_H
#define READ_KERNEL_CAPTURE_H

#include "base/hash.h"
#include "base/vec.h"
#include "read/kernel/marker.h"
#include "read/kernel/text.h"
#include "read/keys.h"
#include "read/reader.h"
#include "text/out.h"

/* Names may have arguments in them that are none for us: those beyond this many are one. */
#define KERNEL_SHAPES_MAX 65536

/* The kernel makes no longer lines. */
#define CAPTURE_LINE_MAX ((size_t)64 * 1024)

/* What an event has: in the order of its fields. */
struct shape {
	struct span category; /* in front of the name, with a colon; empty: none */
	struct span name;
	const char *number; /* the name of the first field, of 64 bits; NULL: there is none */
	bool is_end; /* of a scope: `_end` behind the name, and the thread that began it */
	bool has_text;
	const struct marker_field *fields;
	size_t field_count;
};

struct capture_thread {
	uint32_t pid; /* 0: not known */
	uint32_t top; /* of what it has begun and not ended; KEYS_NONE: nothing */
};

/* A scope that is open. */
struct capture_scope {
	const struct event_class *class; /* NULL: free */
	int64_t number;
	uint32_t pid;
	uint32_t tid;
	uint32_t below; /* on its thread's stack, or the next free one; KEYS_NONE: none */
};

struct capture {
	struct reader base;
	struct input input;
	pid_t child; /* trace-cmd, that writes the input; 0: none */
	uint64_t line; /* the number of the last one */
	struct out next; /* the line at `input.pos`, once it was looked at */
	size_t next_bytes; /* of it in the input; 0: it was not */
	struct out text; /* of the event at hand */
	bool is_continued; /* lines that are no events belong to it */
	struct losses losses; /* before the next event */
	struct record last; /* event that was handed out */
	struct value values[EVENT_ARGS_LIMIT];
	struct out room; /* for values */
	/* For scope.c: */
	struct keys thread_index;
	VEC(struct capture_thread) threads;
	struct keys open; /* indices of `scopes`, by thread, number and kind */
	VEC(struct capture_scope) scopes;
	uint32_t free;
	int64_t number; /* of the next scope that has none of its own */
	/* For shape.c: */
	struct hash shapes;
	VEC(const struct event_class *) ends; /* by the index of the beginning's class */
	struct out key;
};

enum read_result capture_next(struct reader *base, struct record *rec);

/* Whether that is the first line of tracefs' `trace`. */
bool capture_is_head(const char *line);

/* Appends a line's text, without a carriage return at its end, and a NUL that is not counted. */
void capture_copy_line(struct out *out, const unsigned char *line, size_t length);

/* Begins and ends scope.c's and shape.c's parts. */
void capture_scopes_init(struct capture *c);
void capture_scopes_fini(struct capture *c);
void capture_shapes_init(struct capture *c);
void capture_shapes_fini(struct capture *c);

/* Sets the record's class, values, process and thread, for what a program wrote. */
void capture_set_marker(
	struct capture *c, struct record *rec, const struct kernel_line *line, char *text);

/* The same of a kernel's event, which is its name and a text. */
void capture_set_event(struct capture *c, struct record *rec, const struct kernel_line *line,
	struct span name, struct span text);

const struct event_class *capture_class(struct capture *c, const struct shape *shape);

/* The class of what ends the scopes of a class. */
const struct event_class *capture_end_class(struct capture *c, const struct event_class *begin);

#endif
