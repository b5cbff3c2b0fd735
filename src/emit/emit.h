/* SPDX-License-Identifier: MIT */
/*
 * tracetool's emitters: make the text of one generated file from a model. A format (formats.def,
 * format/) defines the contents of a file, a backend (waymark/backends.def, backend/) what an event
 * does when it fires. Emitters write to memory; they neither print nor fail.
 */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include <stdbool.h>
#include <stddef.h>

#include <waymark/backends.def>

#include "base/arena.h"
#include "model/event.h"
#include "text/diag.h"
#include "text/out.h"

struct emit_context;
struct emit_backend_row;

struct emit_format {
	const char *name;
	const char *help; /* one line */
	void (*emit)(struct emit_context *c);
};

/* Headers that a backend's code includes, and whose macros would replace names. Bits. */
enum macro_place {
	MACRO_SDT = 1, /* <sys/sdt.h> */
	MACRO_LTTNG = 2, /* <lttng/tracepoint.h> */
};

/*
 * The backends that are on for an event are a set of bits. Most bits are in our half of its state
 * word. The bit of a backend that a tracer outside of the process switches is computed from the
 * word which that tracer writes.
 */
struct emit_backend {
	/* Name of its bit in C. NULL: the backend makes no code. */
	const char *mask;
	bool takes_place; /* its function gets the place of calls that pass it */
	bool scopes_only; /* events that are no scopes are built without it */
	bool prints; /* has waymark_<backend>_message() */
	/*
	 * Name in C of its enum waymark_recorder, if its function uses `record_<event>()`; else
	 * NULL.
	 */
	const char *recorder;
	/* Writes the static function `<backend>_<event>()`, called while the backend is on. */
	void (*emit_function)(
		struct emit_context *c, const struct event *e, const struct emit_backend_row *row);
	/*
	 * Templates with the hole ${name}. An expression that is not 0 while an external tracer has
	 * the event on; NULL: the bit in our half shows it.
	 */
	const char *watched;
	/*
	 * Declaration of the word that it reads, unless it is the state word: call sites test it,
	 * too.
	 */
	const char *declaration;
	/* Parts for Rust: a type that is declared once, the foreign item, its AtomicU32. */
	const char *rust_begin;
	const char *rust_declaration;
	const char *rust_word;
	/* Writes the code that the generated source needs before its events; NULL: none. */
	void (*emit_begin)(struct emit_context *c);
	size_t max_args; /* limit of emit_words() of an event; 0: no limit */
	unsigned int macros; /* whose macros would replace an event's name: of enum macro_place */
	/* Returns true if an event can have this backend, else reports why not; NULL: all can. */
	bool (*check)(const struct emit_context *c, const struct event *e, struct diag *d);
};

/* A row of waymark/backends.def, or nop. */
struct emit_backend_row {
	const char *name;
	const char *help; /* one line */
	const struct emit_backend *backend;
};

#define EMIT_FORMAT(id, name, help) void emit_format_##id(struct emit_context *c);
#include "emit/formats.def"
#undef EMIT_FORMAT

extern const struct emit_backend emit_backend_nop;

#define EMIT_EXTERN(bit, upper, lower, kind, help) \
	extern const struct emit_backend emit_backend_##lower;
WAYMARK_ALL_BACKENDS(EMIT_EXTERN)
#undef EMIT_EXTERN

/* Both tables end with a NULL name. */
extern const struct emit_format emit_formats[];
extern const struct emit_backend_row emit_backends[];

const struct emit_format *emit_find_format(const char *name);

/* Returns the index of a backend in emit_backends, -1 if there is none of that name. */
int emit_find_backend(const char *name);

/* The input of one run. The caller sets it; the emitters only read it. */
struct emit_context {
	struct out *out;
	const struct model *model;
	const char *group; /* consists of letters, digits and `_-.` */
	const char *header; /* the header that a generated .c includes */
	const char *ust_header; /* the header with the tracepoints of LTTng-UST */
	const char *directory; /* base of the names shown for inputs with an absolute path */
	unsigned int backends; /* bit n: emit_backends[n] */
	const char *binary; /* the traced program, for SystemTap and bpftrace; may be "" */
	const char *probe_prefix; /* prefix of SystemTap's probe names */
	const char *provider; /* provider of probes and tracepoints: an identifier of C */
	bool provider_is_given; /* by the user, and not made from the group */
	const char *vcpu_tag; /* tag of a CPU's struct: `CPUState` */
	struct arena texts; /* set by emit(): texts for the holes of templates */
	struct out scratch; /* set by emit(): see c_code.c */
};

/*
 * Returns the chosen backend after `row`, the first one for NULL; NULL at the end. Skips backends
 * that make no code and, unless `e` is NULL, those that the event is built without.
 */
const struct emit_backend_row *emit_next_chosen(
	const struct emit_context *c, const struct event *e, const struct emit_backend_row *row);

#define chosen_foreach(c, e, row) \
	for (const struct emit_backend_row *row = NULL; (row = emit_next_chosen((c), (e), row));)

/* Returns the first chosen backend that records, NULL if none does. */
const struct emit_backend_row *emit_first_recorder(const struct emit_context *c);

/* True if some backend of this run makes code for the event. */
bool event_is_on(const struct emit_context *c, const struct event *e);

/* Returns the number of C arguments of an event: text and bytes with their length are two. */
size_t emit_words(const struct event *e);

/* Returns the index of the first C argument of argument `arg`. */
size_t emit_word(const struct event *e, size_t arg);

/* Reports each event that has more arguments than a chosen backend can pass. */
void emit_check_words(const struct emit_context *c, struct diag *d);

/*
 * Returns true if all events that are on can have all chosen backends, else reports to `d` why not.
 * Uses only the context's model, backends and provider.
 */
bool emit_check(const struct emit_context *c, struct diag *d);

/* Returns true if the format can express all events, else reports to `d` why not. */
bool emit_check_format(
	const struct emit_format *format, const struct emit_context *c, struct diag *d);

/* Writes the whole file of a format to `c->out`. */
void emit(const struct emit_format *format, struct emit_context *c);

/* True if emit_context.group may have that name. */
bool emit_group_is_valid(const char *group);

/* True if emit_context.provider may have that name. */
bool emit_provider_is_valid(const char *provider);

/*
 * Returns emit_context.vcpu_tag for the type of a CPU, which names a struct: `CPUState *`, `struct
 * hart` and the like. Returns the default for NULL, and NULL if the text names no struct.
 */
const char *emit_vcpu_tag(struct arena *a, const char *type);

/* The start of every generated file: tracetool overwrites no other files. */
#define EMIT_BANNER "/* Generated by tracetool"

#endif
