/* SPDX-License-Identifier: MIT */
/*
 * Shared by the headers for translators: trace_<event>_tcg(), which fires one half of a `tcg` event
 * and translates a call of the other. Its arguments are those at execution, in other types; the
 * translated `env` follows the CPU.
 *
 * Here an event means its half at execution, which has all of its arguments.
 */
#ifndef EMIT_FORMAT_TCG_H
#define EMIT_FORMAT_TCG_H

#include "emit/c_code.h"

/* A host's types for values that exist only when the guest runs. */
struct tcg_types {
	const char *env;
	const char *value; /* NULL: as declared, for example `TCGv_i32` */
	bool without_cpu; /* the function that translates a call has no CPU parameter */
};

/* Calls `emit_event` for each `tcg` event. */
void tcg_for_each(struct emit_context *c,
	void (*emit_event)(struct emit_context *c, const struct event *exec));

/* The name of the translated `env`, which no argument can have. */
#define TCG_ENV "__env"

/* Returns the name of an argument in functions that use both halves. */
const char *tcg_name(struct emit_context *c, const struct event *exec, size_t i);

/* Returns `struct CPUState *__cpu, waymark_value __env, uint32_t a`. */
const char *tcg_parameters(
	struct emit_context *c, const struct event *exec, const struct tcg_types *types);

/* Writes the comment with the place of the event's declaration. */
void tcg_emit_begin(struct emit_context *c, const struct event *exec);

/*
 * Writes trace_<event>_tcg(). It calls waymark_translate_<event>(), with the parameters of
 * tcg_parameters(), to translate a call of the other half.
 */
void tcg_emit_function(
	struct emit_context *c, const struct event *exec, const struct tcg_types *types);

#endif
