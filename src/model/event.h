/* SPDX-License-Identifier: MIT */
/*
 * The content of a declaration file as plain data: front ends make it, emitters and readers use it.
 * Everything is allocated in the model's arena and is read-only after the front end has finished.
 */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

#include <stddef.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/value_name.h"
#include "base/vec.h"
#include "model/format.h"
#include "model/type.h"
#include "text/diag.h"

/* QEMU's own limit. --max-args can raise it to EVENT_ARGS_LIMIT. */
#define EVENT_ARGS_DEFAULT 10
#define EVENT_ARGS_LIMIT 32

enum event_property {
	EVENT_DISABLE = 1 << 0,
	EVENT_VCPU = 1 << 1,
	EVENT_TCG_TRANS = 1 << 2, /* the half of a `tcg` event that fires at translation */
	EVENT_TCG_EXEC = 1 << 3, /* the half that fires at execution */
	EVENT_SCOPE = 1 << 4, /* a scope: the event recorded at its start */
	EVENT_SCOPE_END = 1 << 5, /* recorded at a scope's end; follows the scope in the model */
};

/* The source of an argument's value. */
enum arg_source {
	ARG_FROM_CALL,
	ARG_FROM_BYTES, /* text passed as a pointer to bytes */
	ARG_FROM_ERRNO, /* text of errno, which is not passed */
};

struct arg {
	struct type type;
	const char *name; /* as declared, for traces and readers */
	/*
	 * Name in the C signature, unique in the event. Differs from `name` if that is a keyword of
	 * C++, a macro or a generated name.
	 */
	const char *c_name;
	enum arg_source source;
	bool is_scope; /* the number of a scope: added by us, no parameter of the program's calls */
	bool is_cpu; /* the CPU of a `vcpu` event: a pointer to the host's struct in C */
	/*
	 * For an event at execution, the type of a value for which the translator knows only a
	 * place, such as `TCGv_i32`; NULL if it knows the value itself.
	 */
	const char *guest_type;
	/* Declared by model/meaning.h; NULL and false: nothing. */
	const struct value_name *names; /* of its values, or of its bits */
	bool is_flags;
	bool is_key; /* names an object */
	bool is_secret; /* is not sent to other hosts */
	const char *unit;
	struct location at;
};

/* The part of an object's life at which an event happens. */
enum life_part { LIFE_NONE, LIFE_BEGIN, LIFE_STEP, LIFE_END };

struct event {
	const char *name;
	const char *upper; /* NAME, as in TRACE_NAME_ENABLED */
	unsigned int properties; /* of enum event_property */
	unsigned int line; /* of the declaration, from 1 */
	struct arg *args;
	size_t arg_count;
	/*
	 * The event with the arguments that calls pass, if an old declaration has others; else
	 * NULL.
	 */
	struct event *passed;
	struct format format;
	const char *meaning; /* statements of model/meaning.h, each with a newline; NULL: none */
	bool is_hot; /* expected to be on, so that it costs less then, and more while it is off */
	const char *life;
	enum life_part life_part;
	struct location at; /* place of the name */
	/* For the halves of a `tcg` event: the declared name, and the other half. */
	const char *whole;
	struct event *trans;
	struct event *exec;
	/*
	 * For a scope, the event of its end; for that event, the scope. Both are switched as one.
	 */
	struct event *end;
	struct event *begin;
};

/* Returns the event with the arguments that calls pass. */
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

/* Returns the index of the argument of that name; -1 if the event has none. */
int event_find_arg(const struct event *e, const char *name, size_t length);

/* Inserts a copy of an argument at index `at`, before the present one. */
void event_insert_arg(struct arena *a, struct event *e, size_t at, const struct arg *arg);

/* Returns the event of that name, NULL if there is none. */
struct event *model_find(const struct model *m, const char *name);

#endif
