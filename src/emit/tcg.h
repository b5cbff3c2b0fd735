/* SPDX-License-Identifier: MIT */
/*
 * What the headers for translators share: trace_<event>_tcg(), which fires one
 * half of a `tcg` event and has a call of the other translated. Its arguments are
 * those at execution, in other types; behind the CPU stands the translated `env`.
 *
 * An event is here its half at execution, which has all of its arguments.
 */
#ifndef EMIT_TCG_H
#define EMIT_TCG_H

#include "emit/c_code.h"

/* How a host writes the types of what exists only when the guest runs. */
struct tcg_types {
	const char *env;
	const char *value; /* NULL: as declared, `TCGv_i32` for one */
};

/* Calls `emit_event` for each `tcg` event. */
void tcg_for_each(struct emit_context *c,
	void (*emit_event)(struct emit_context *c, const struct event *exec));

/* The names of an argument and of `env`: no others in the functions of the event are the same. */
const char *tcg_name(struct emit_context *c, const struct event *exec, size_t i);
const char *tcg_env_name(struct emit_context *c, const struct event *exec);

/* `struct CPUState *cpu, waymark_value env, uint32_t a`, and `cpu, env, a`. */
const char *tcg_parameters(
	struct emit_context *c, const struct event *exec, const struct tcg_types *types);
const char *tcg_arguments(struct emit_context *c, const struct event *exec);

/* The comment that says where the event is declared, and what c_event_begin() says. */
void tcg_emit_begin(struct emit_context *c, const struct event *exec);
void tcg_emit_end(struct emit_context *c, const struct event *exec);

/*
 * Writes trace_<event>_tcg(). What it calls to have the other half called is
 * waymark_translate_<event>(), with the same arguments.
 */
void tcg_emit_function(
	struct emit_context *c, const struct event *exec, const struct tcg_types *types);

#endif
