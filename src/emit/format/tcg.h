/* SPDX-License-Identifier: MIT */
/*
 * Shared by the headers for translators: trace_<event>_tcg(), which fires one
 * half of a `tcg` event and has a call of the other translated. Its arguments are
 * those at execution, in other types; behind the CPU stands the translated `env`.
 *
 * An event is here its half at execution, which has all of its arguments.
 */
#ifndef EMIT_FORMAT_TCG_H
#define EMIT_FORMAT_TCG_H

#include "emit/c_code.h"

/* How a host writes the types of what exists only when the guest runs. */
struct tcg_types {
	const char *env;
	const char *value; /* NULL: as declared, `TCGv_i32` for one */
	bool without_cpu; /* what is called to translate a call takes no CPU */
};

/* Calls `emit_event` for each `tcg` event. */
void tcg_for_each(struct emit_context *c,
	void (*emit_event)(struct emit_context *c, const struct event *exec));

/* The name of the translated `env`, which no argument can have. */
#define TCG_ENV "__env"

/* The name of an argument in functions that know both halves. */
const char *tcg_name(struct emit_context *c, const struct event *exec, size_t i);

/* `struct CPUState *__cpu, waymark_value __env, uint32_t a` */
const char *tcg_parameters(
	struct emit_context *c, const struct event *exec, const struct tcg_types *types);

/* Writes the comment that says where the event is declared. */
void tcg_emit_begin(struct emit_context *c, const struct event *exec);

/*
 * Writes trace_<event>_tcg(). It calls waymark_translate_<event>(), whose
 * parameters are those of tcg_parameters(), to have the other half called.
 */
void tcg_emit_function(
	struct emit_context *c, const struct event *exec, const struct tcg_types *types);

#endif
