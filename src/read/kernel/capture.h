/* SPDX-License-Identifier: MIT */
/*
 * The reader of captures of the kernel's trace: tracefs' `trace` and `trace_pipe`, and what
 * trace-cmd prints of its files. Markers (read/kernel/marker.h) become the same events as their
 * trace points make in a native trace; the kernel's own events keep their text.
 *
 *	capture.c  the lines: events, losses, remarks
 *	scope.c    the events' threads and processes, and which scope an end ends
 *	shape.c    event classes, by name and fields
 *
 * A scope's end has fewer facts in a marker than in a native trace, so open scopes are kept. Memory
 * is bounded by the number of open scopes, the number of threads, and KERNEL_SHAPES_MAX kinds of
 * events.
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

/*
 * Names may contain arguments of any grammar, so the number of kinds has a limit. All kinds beyond
 * it share one.
 */
#define KERNEL_SHAPES_MAX 65536

/* No machine has more processors; a damaged number must not cost memory. */
#define CAPTURE_CPUS_MAX 65536

/* The kernel writes no longer lines. */
#define CAPTURE_LINE_MAX ((size_t)64 * 1024)

/* A kind of event, in the order of its fields. */
struct shape {
	struct span category; /* text before the name, with a colon; empty: none */
	struct span name;
	const char *number; /* name of the first field, of 64 bits; NULL: none */
	bool is_end; /* end of a scope: has `_end` after the name, and the thread that began it */
	bool has_text;
	const struct marker_field *fields;
	size_t field_count;
};

struct capture_thread {
	uint32_t pid; /* 0: unknown */
	uint32_t top; /* index of its innermost open scope; KEYS_NONE: none */
};

/* A scope that is open. */
struct capture_scope {
	const struct event_class *class; /* NULL: free */
	int64_t number;
	uint32_t pid;
	uint32_t tid;
	uint32_t below; /* scope below on its thread's stack, or next free one; KEYS_NONE: none */
};

struct capture {
	struct reader base;
	struct input input;
	pid_t child; /* trace-cmd, which writes the input; 0: none */
	uint64_t line; /* number of the last line read */
	struct out next; /* copy of the line at `input.pos` */
	size_t next_bytes; /* of that line in the input; 0: it was not copied */
	struct out text; /* text of the current event */
	bool is_continued; /* lines that are no events continue the last event */
	struct losses losses; /* before the next event */
	uint64_t lost_from_ns; /* time of the event before `losses`, of their processor; 0: unknown
				*/
	VEC(uint64_t) last_ns; /* time of the last event, by processor */
	struct record last; /* last event that was returned */
	struct value values[EVENT_ARGS_LIMIT];
	struct out room; /* for values */
	/* of scope.c: */
	struct keys thread_index;
	VEC(struct capture_thread) threads;
	struct keys open; /* indices of `scopes`, by thread, number and kind */
	VEC(struct capture_scope) scopes;
	uint32_t free;
	int64_t number; /* number for the next scope that has none */
	/* of shape.c: */
	struct hash shapes;
	VEC(const struct event_class *) ends; /* classes of ends, by index of the scope's class */
	struct out key;
};

/* Initialize and free the state of scope.c and shape.c. */
void capture_scopes_init(struct capture *c);
void capture_scopes_fini(struct capture *c);
void capture_shapes_init(struct capture *c);
void capture_shapes_fini(struct capture *c);

/* Sets the record's class, values, process and thread from a program's text. */
void capture_set_marker(
	struct capture *c, struct record *rec, const struct kernel_line *line, char *text);

/* Sets them from a kernel event: its name and its text. */
void capture_set_event(struct capture *c, struct record *rec, const struct kernel_line *line,
	struct span name, struct span text);

const struct event_class *capture_class(struct capture *c, const struct shape *shape);

/* Returns the class of the ends of a class's scopes. */
const struct event_class *capture_end_class(struct capture *c, const struct event_class *begin);

#endif
