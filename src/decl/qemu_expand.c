/* SPDX-License-Identifier: MIT */
/*
 * The effect of the properties `tcg` and `vcpu` on an event. A `tcg` event becomes two, in this
 * order: <name>_trans without the values of the translated guest, which exist only at execution,
 * and <name>_exec with them. A `vcpu` event gets its CPU as first argument and at the front of its
 * format.
 *
 * Old declarations print as text values that are no arguments, or that cannot be printed so: `%m`
 * becomes an argument that no call passes, and `%s` of a `uint8_t *` becomes one of type `const
 * char *`. The arguments that calls pass are kept in `passed`.
 */
#include <string.h>

#include "decl/qemu.h"

#define CPU_NAME "cpu"

/* The CPU's name if the event has its own argument `cpu`. */
#define OTHER_CPU_NAME "__cpu"

static const char cpu_format[] = "\"cpu=%p \"";

static struct arena *arena(struct front_end *fe)
{
	return &fe->model->arena;
}

#define TEXT_TYPE "const char *"

/* Returns an argument name that the event does not use. */
static const char *unused_name(struct arena *a, const struct event *e, const char *name)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		if (strcmp(e->args[i].name, name) == 0) {
			return unused_name(a, e, arena_printf(a, "%s_", name));
		}
	}
	return name;
}

/* Makes a text argument for `%m`, or for `%s` of bytes; returns false for other conversions. */
static bool mend(struct front_end *fe, struct event *e, const struct conversion *c)
{
	bool has_cpu = e->properties & EVENT_VCPU; /* an argument will be added later */

	if (c->is_errno && (size_t)c->arg <= e->arg_count &&
		e->arg_count + has_cpu < EVENT_ARGS_LIMIT) {
		struct arg arg = { .name = unused_name(&fe->model->arena, e, "error"),
			.source = ARG_FROM_ERRNO,
			.at = c->at };

		type_parse(&arg.type, &fe->model->arena, TEXT_TYPE, strlen(TEXT_TYPE));
		event_insert_arg(&fe->model->arena, e, (size_t)c->arg, &arg);
		return true;
	}
	if (c->letter != 's' || c->is_errno || (size_t)c->arg >= e->arg_count ||
		!type_is_bytes(&e->args[c->arg].type)) {
		return false;
	}
	struct arg *arg = &e->args[c->arg];

	diag_warning(fe->rules, c->at,
		arena_printf(&fe->model->arena, "declare '%s' as '" TEXT_TYPE "'", arg->name),
		"'%s' prints '%s', which is '%s', as text", conversion_text(&fe->model->arena, c),
		arg->name, arg->type.text);
	type_parse(&arg->type, &fe->model->arena, TEXT_TYPE, strlen(TEXT_TYPE));
	arg->source = ARG_FROM_BYTES;
	return true;
}

/*
 * Makes arguments for values that only an old declaration prints; sets `passed` if there are any.
 */
static void mend_old(struct front_end *fe, struct event *e)
{
	const unsigned int halves = EVENT_TCG_TRANS | EVENT_TCG_EXEC;
	struct arena *a = &fe->model->arena;
	struct event *passed = arena_new(a, struct event);
	struct arg *args = arena_array(a, struct arg, e->arg_count);
	bool mended = false;

	*passed = *e;
	passed->args = args;
	for (size_t i = 0; i < e->arg_count; i++) {
		args[i] = e->args[i];
	}
	for (size_t i = 0; i < e->format.count && !(e->properties & halves); i++) {
		const struct segment *s = &e->format.segments[i];

		mended |= s->has_conversion && mend(fe, e, &s->conversion);
	}
	e->passed = mended ? passed : NULL;
}

static void prepend_cpu_arg(struct front_end *fe, struct event *e)
{
	struct arg cpu = { .name = CPU_NAME, .is_cpu = true, .at = e->at };

	for (size_t i = 0; i < e->arg_count; i++) {
		if (strcmp(e->args[i].name, OTHER_CPU_NAME) == 0) {
			diag_error(fe->rules, e->args[i].at, "choose another name",
				"a 'vcpu' event already has an argument '" OTHER_CPU_NAME "'");
		} else if (strcmp(e->args[i].name, CPU_NAME) == 0) {
			cpu.name = OTHER_CPU_NAME;
		}
	}
	type_parse(&cpu.type, arena(fe), "void *", strlen("void *"));
	event_insert_arg(arena(fe), e, 0, &cpu);
}

/*
 * Adds the CPU to the format. An event with other arguments and no format gets none, as half a
 * format would mislead.
 */
static void prepend_cpu_format(struct front_end *fe, struct event *e, bool is_usable)
{
	struct source source = { "", cpu_format, strlen(cpu_format) };
	struct scan scan = { &source, 0, source.len };
	struct format *f = &e->format;
	struct format prefix;

	if (!f->source && e->arg_count > 1) {
		return;
	}
	format_parse(&prefix, &(struct format_reading){ .arena = arena(fe) }, &scan);
	prefix.segments[0].conversion.at = e->at;
	format_prepend(f, arena(fe), &prefix);
	if (!is_usable) {
		format_drop(f);
	}
}

/* Adds an event. `is_usable`: the format was understood. */
static struct event *add(
	struct front_end *fe, struct event *e, const struct format *format, bool is_usable)
{
	e->format = *format;
	if (!is_usable) {
		format_drop(&e->format);
	} else {
		if (fe->old) {
			mend_old(fe, e);
		}
		is_usable = decl_check_format(fe, e);
	}
	if (e->properties & EVENT_VCPU) {
		prepend_cpu_arg(fe, e);
		if (e->passed) {
			prepend_cpu_arg(fe, e->passed);
		}
		prepend_cpu_format(fe, e, is_usable);
	}
	return decl_add_event(fe, e);
}

/* Adds one half of a `tcg` event. */
static struct event *add_half(struct front_end *fe, const struct qemu_line *line, unsigned int half)
{
	const struct event *whole = &line->event;
	size_t second = half == EVENT_TCG_EXEC && line->format_count > 1;
	struct event e = *whole;
	const char *suffix = half == EVENT_TCG_TRANS ? "trans" : "exec";

	e.whole = whole->name;
	e.name = arena_printf(arena(fe), "%s_%s", whole->name, suffix);
	e.properties = (whole->properties & ~(unsigned int)QEMU_TCG) | half;
	e.args = arena_array(arena(fe), struct arg, whole->arg_count);
	e.arg_count = 0;
	for (size_t i = 0; i < whole->arg_count; i++) {
		struct arg arg = whole->args[i];

		if (arg.type.class == TYPE_TCG) {
			const char *text = type_of_execution(&arg.type);

			if (half == EVENT_TCG_TRANS) {
				continue;
			}
			arg.guest_type = arg.type.text;
			type_parse(&arg.type, arena(fe), text, strlen(text));
		}
		e.args[e.arg_count++] = arg;
	}
	return add(fe, &e, &line->formats[second], line->formats_ok);
}

static bool check_format_count(struct front_end *fe, const struct qemu_line *line)
{
	bool is_tcg = line->event.properties & QEMU_TCG;

	if (is_tcg && line->format_count < 2) {
		diag_error(fe->rules, line->event.at,
			"write: \"format at translation\", \"format at execution\"",
			"a 'tcg' event needs two formats");
	} else if (!is_tcg && line->format_count > 1) {
		diag_error(fe->rules, line->formats[1].at, "remove it, or declare the event 'tcg'",
			"a second format in an event without 'tcg'");
	} else {
		return true;
	}
	return fe->lenient;
}

void qemu_expand(struct front_end *fe, struct qemu_line *line)
{
	if (line->formats_ok && !check_format_count(fe, line)) {
		return;
	}
	if (line->event.properties & QEMU_TCG) {
		struct event *trans = add_half(fe, line, EVENT_TCG_TRANS);
		struct event *exec = add_half(fe, line, EVENT_TCG_EXEC);

		trans->exec = exec;
		exec->trans = trans;
	} else {
		add(fe, &line->event, &line->formats[0], line->formats_ok);
	}
}
