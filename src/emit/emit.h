/* SPDX-License-Identifier: MIT */
/*
 * tracetool's emitters: from a model to the text of one generated file. What a
 * file is made of is a format (formats.def, format/), what an event does when it
 * fires is a backend (waymark/backends.def, backend/). Emitters write to memory, and
 * neither print nor fail.
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

/* A header that a backend's code includes and whose macros would replace names: bits. */
enum macro_place {
	MACRO_SDT = 1, /* <sys/sdt.h> */
	MACRO_LTTNG = 2, /* <lttng/tracepoint.h> */
};

/*
 * The backends that are on for an event are a set of bits. Most are in our half of its state
 * word; one that a tracer outside of the process switches is made of the word
 * which that tracer writes.
 */
struct emit_backend {
	/* Its bit, as C names it. NULL: the backend leaves no trace in the code. */
	const char *mask;
	bool takes_place; /* its function takes the call's place where calls have one */
	bool scopes_only; /* other events are built as if it were not chosen */
	bool prints; /* it has waymark_<backend>_message() */
	/*
	 * Of enum waymark_recorder, as C names it: its function uses `record_<event>()`; else NULL.
	 */
	const char *recorder;
	/* Writes the static function `<backend>_<event>()`, called while the backend is on. */
	void (*emit_function)(
		struct emit_context *c, const struct event *e, const struct emit_backend_row *row);
	/*
	 * Templates with the hole ${name}. An expression that is not 0 while a tracer
	 * outside has the event on; NULL: the bit in our half says it.
	 */
	const char *watched;
	/* Of the word that it reads, where that is none of the state's: call sites test it, too. */
	const char *declaration;
	/* The same for Rust: a type that is declared once, the foreign item, its AtomicU32. */
	const char *rust_begin;
	const char *rust_declaration;
	const char *rust_word;
	/* Writes what the generated source needs in front of its events; NULL: nothing. */
	void (*emit_begin)(struct emit_context *c);
	size_t max_args; /* that an event may have, of emit_words(); 0: as many as any */
	unsigned int macros; /* whose macros would replace an event's name: of enum macro_place */
	/* Reports why an event cannot have this backend, else returns true; NULL: all can. */
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

/* The index of a backend in emit_backends, -1 when there is none of that name. */
int emit_find_backend(const char *name);

/* The input of one run. The caller fills it; the emitters only read it. */
struct emit_context {
	struct out *out;
	const struct model *model;
	const char *group; /* made of letters, digits and `_-.` */
	const char *header; /* the header that a generated .c includes */
	const char *ust_header; /* the header with the tracepoints of LTTng-UST */
	const char *directory; /* inputs named by an absolute path are shown relative to it */
	unsigned int backends; /* bit n: emit_backends[n] */
	const char *binary; /* the traced program, for SystemTap and bpftrace; may be "" */
	const char *probe_prefix; /* of SystemTap's probe names */
	const char *provider; /* of probes and tracepoints: an identifier of C */
	bool provider_is_given; /* by the caller's user, and not made of the group */
	const char *vcpu_tag; /* of the struct of a CPU: `CPUState` */
	struct arena texts; /* emit() makes it: what fills the holes of templates */
	struct out scratch; /* emit() makes it: see c_code.c */
};

/*
 * The chosen backend behind `row`, or the first for NULL; NULL at the end. Those that leave no code
 * are left out, and for an event those that it is built without; `e` NULL: for any event.
 */
const struct emit_backend_row *emit_next_chosen(
	const struct emit_context *c, const struct event *e, const struct emit_backend_row *row);

#define chosen_foreach(c, e, row) \
	for (const struct emit_backend_row *row = NULL; (row = emit_next_chosen((c), (e), row));)

/* The first chosen backend that records, NULL when none does. */
const struct emit_backend_row *emit_first_recorder(const struct emit_context *c);

/* True when some backend of this run leaves code for the event. */
bool event_is_on(const struct emit_context *c, const struct event *e);

/* The number of C arguments of an event: text and bytes with their length are two. */
size_t emit_words(const struct event *e);

/* The index of the first of them that argument `arg` becomes. */
size_t emit_word(const struct event *e, size_t arg);

/* Reports each event that has more arguments than a chosen backend can hand over. */
void emit_check_words(const struct emit_context *c, struct diag *d);

/*
 * Returns true when all events that are on can have all chosen backends; reports to `d` why not.
 * Needs of the context the model, the backends and the provider.
 */
bool emit_check(const struct emit_context *c, struct diag *d);

/* Returns true when the format can express all events; reports to `d` why not. */
bool emit_check_format(
	const struct emit_format *format, const struct emit_context *c, struct diag *d);

/* Writes the whole file of a format to `c->out`. */
void emit(const struct emit_format *format, struct emit_context *c);

/* True for a name that emit_context.group takes. */
bool emit_group_is_valid(const char *group);

/* True for a name that emit_context.provider takes. */
bool emit_provider_is_valid(const char *provider);

/*
 * emit_context.vcpu_tag of the type of a CPU: `CPUState *`, `struct hart` and the
 * like all name a struct. The default for NULL; NULL for what names none.
 */
const char *emit_vcpu_tag(struct arena *a, const char *type);

/* The beginning of a generated file: tracetool overwrites no other files. */
#define EMIT_BANNER "/* Generated by tracetool"

#endif
