/* SPDX-License-Identifier: MIT */
/*
 * The content of a declaration file as plain data: front ends make it, emitters
 * and readers consume it. Everything lives in the model's
 * arena and is read-only once the front end is done.
 */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

#include <stddef.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/format.h"
#include "model/type.h"
#include "text/diag.h"

/* QEMU's own limit; EVENT_ARGS_LIMIT is what --max-args can raise it to. */
#define EVENT_ARGS_DEFAULT 10
#define EVENT_ARGS_LIMIT 32

enum event_property {
	EVENT_DISABLE = 1 << 0,
	EVENT_VCPU = 1 << 1,
	EVENT_TCG_TRANS = 1 << 2, /* the half of a `tcg` event that fires at translation */
	EVENT_TCG_EXEC = 1 << 3, /* the half that fires at execution */
	EVENT_SCOPE = 1 << 4, /* a scope: the event that its beginning records */
	EVENT_SCOPE_END = 1 << 5, /* what its end records, behind it in the model */
};

/* The source of an argument's value. */
enum arg_source {
	ARG_FROM_CALL,
	ARG_FROM_BYTES, /* text that is passed as a pointer to bytes */
	ARG_FROM_ERRNO, /* text of errno: not passed */
};

struct arg {
	struct type type;
	const char *name; /* as declared: what traces and readers show */
	/*
	 * What the C signature uses: differs where `name` is a keyword of C++, or a
	 * macro's or a generated name; unique in the event.
	 */
	const char *c_name;
	enum arg_source source;
	bool is_scope; /* which one it was: made by us, no parameter of the program's calls */
	bool is_cpu; /* the CPU of a `vcpu` event: in C a pointer to the host's struct */
	/*
	 * Of an event at execution: the type, `TCGv_i32` for one, of a value that the
	 * translator knows only a place of; NULL where it knows the value itself.
	 */
	const char *guest_type;
	struct location at;
};

struct event {
	const char *name;
	const char *upper; /* NAME, as in TRACE_NAME_ENABLED */
	unsigned int properties; /* of enum event_property */
	unsigned int line; /* of the declaration, from 1 */
	struct arg *args;
	size_t arg_count;
	/* The event as calls pass its arguments, where an old declaration has others; else NULL. */
	struct event *passed;
	struct format format;
	struct location at; /* the name */
	/* Of the halves of a `tcg` event: the name as declared, and the other half. */
	const char *whole;
	struct event *trans;
	struct event *exec;
	/* Of a scope, which is one to control: what its end records; of that, the scope. */
	struct event *end;
	struct event *begin;
};

/* The event whose arguments are those that calls pass. */
static inline const struct event *event_passed(const struct event *e)
{
	return e->passed ? e->passed : e;
}

struct model {
	struct arena arena;
	VEC(struct event *) events; /* in declaration order: an event's index is its id */
	struct hash by_name;
};

void model_init(struct model *m);
void model_fini(struct model *m);

/* Inserts a copy of an argument at index `at`, in front of the one that was there. */
void event_insert_arg(struct arena *a, struct event *e, size_t at, const struct arg *arg);

/* The event of that name, NULL when there is none. */
struct event *model_find(const struct model *m, const char *name);

#endif
