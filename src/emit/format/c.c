/* SPDX-License-Identifier: MIT */
/*
 * The generated source: each event's state word, its descriptor, the functions of its backends, and
 * the one out-of-line function that its call sites share.
 */
#include <string.h>

#include "base/compiler.h"
#include "emit/backend/record.h"
#include "emit/c_code.h"
#include "emit/format/scope.h"

/* Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char file_begin[] =
	"${banner}"
	"#include \"${header}\"\n"
	"\n"
	"#include <waymark/${record}>\n";

static const char event_state[] =
	"\n"
	"/* ${file}:${line} */\n"
	"uint32_t waymark_state_${name} WAYMARK_STATE_SECTION = 0;\n";

static const char args_begin[] =
	"\n"
	"static const struct waymark_arg waymark_args_${name}[] = {\n";

static const char arg_entry[] = "\t{ ${kind}, ${size}, ${part} },\n";

static const char arg_texts[] = "\n\t\"${name}\\0${type}\\0\"";

static const char args_end[] = "};\n";

static const char event_descriptor[] =
	"\n"
	"static struct waymark_event waymark_event_${name} = {\n"
	"\t&waymark_state_${state},\n"
	"\t\"${name}\\0\"\n"
	"\t${format}${texts}${meaning},\n"
	"\t${file},\n"
	"\t${args},\n"
	"\t${line},\n"
	"\t${masks},\n"
	"\t${count},\n"
	"\t${flags},\n"
	"\t0,\n"
	"\tNULL,\n"
	"\t${end},\n"
	"};\n";
static const char state_of_end[] =
	"#define waymark_state_${name}_end waymark_state_${name}\n";

static const char emit_begin[] =
	"\n"
	"${linkage}_${name}(${parameters})\n"
	"{\n"
	"${texts}"
	"\tunsigned int waymark_on = ${on};\n"
	"\n"
	"${watched}";

static const char text_of_errno[] =
	"\tchar waymark_spare_${name}[WAYMARK_ERROR_SPARE];\n"
	"\tconst char *${name} = waymark_error_text(waymark_spare_${name});\n";

static const char text_of_bytes[] = "\tconst char *${name} = (const char *)${passed};\n";

static const char on[] = "WAYMARK_BACKENDS(waymark_state_${name})";

static const char on_of_all[] = "waymark_vcpu_alike(&waymark_event_${name})";

static const char on_of_vcpu[] = "waymark_vcpu_backends(&waymark_event_${name}, ${cpu})";

static const char vcpu_state[] =
	"\n"
	"unsigned int waymark_on_${name}(const void *cpu)\n"
	"{\n"
	"${body}"
	"}\n";

static const char vcpu_state_body[] = "\treturn ${on};\n";

static const char vcpu_state_watched[] =
	"\tunsigned int waymark_on = ${on};\n"
	"\n"
	"${watched}"
	"\treturn waymark_on;\n";

static const char emit_call[] =
	"\tif (waymark_on & ${mask}) {\n"
	"\t\t${backend}_${name}(${arguments});\n"
	"\t}\n";

static const char emit_end[] = "}\n";

/* For one backend: anything else in the mask means a condition or a trigger. */
static const char emit_one[] =
	"\tif (waymark_on == ${mask}) {\n"
	"\t\t${backend}_${name}(${arguments});\n"
	"\t} else if (waymark_on) {\n"
	"\t\t${decided};\n"
	"\t}\n"
	"}\n";

static const char emit_one_of_several[] =
	"\tif (waymark_on == ${mask}) {\n"
	"\t\t${backend}_${name}(${arguments});\n"
	"\t} else {\n"
	"\t\tseveral_${name}(${placed});\n"
	"\t}\n"
	"}\n";

static const char emit_alone[] =
	"${else}if (waymark_on == ${mask}) {\n"
	"\t\t${backend}_${name}(${arguments});\n"
	"\t}";

static const char emit_several[] =
	" else {\n"
	"\t\twaymark_several(&waymark_event_${name}, ${printf});\n"
	"\t}\n"
	"}\n";

static const char list_begin[] =
	"\n"
	"static struct waymark_event *const waymark_group[] WAYMARK_EVENT_SECTION = {\n";

static const char list_entry[] = "\t&waymark_event_${name},\n";

static const char list_end[] =
	"};\n"
	"\n"
	"WAYMARK_KEEP(waymark_group)\n"
	"WAYMARK_REGISTER_OBJECT()\n";
/* clang-format on */

#define MASKS_OF_A_LINE 5

/* Returns `WAYMARK_LOG | WAYMARK_SIMPLE`. */
static const char *masks(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);
	size_t count = 0;

	chosen_foreach (c, e, row) {
		out_str(o, count == 0 ? "" : count % MASKS_OF_A_LINE ? " | " : " |\n\t\t");
		out_str(o, row->backend->mask);
		count++;
	}
	return c_end(c);
}

/* Returns the properties that the runtime needs. */
static const char *flags(struct emit_context *c, const struct event *e)
{
	static const struct {
		unsigned int property;
		const char *flag;
	} table[] = {
		{ EVENT_VCPU, "WAYMARK_EVENT_VCPU" },
		{ EVENT_TCG_TRANS, "WAYMARK_EVENT_TRANS" },
		{ EVENT_TCG_EXEC, "WAYMARK_EVENT_EXEC" },
		{ EVENT_SCOPE, "WAYMARK_EVENT_SCOPE" },
		{ EVENT_SCOPE_END, "WAYMARK_EVENT_SCOPE_END" },
	};
	struct out *o = c_begin(c);

	out_str(o, e->format.style == FORMAT_BRACES ? "WAYMARK_EVENT_BRACES" : "");
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (e->properties & table[i].property) {
			OUT(o, "${or}${flag}", { "or", o->len ? " | " : "" },
				{ "flag", table[i].flag });
		}
	}
	return o->len ? c_end(c) : "0";
}

static const char *kind(const struct type *t)
{
	static const char *const kinds[] = {
		[TYPE_FLOAT] = "WAYMARK_FLOAT",
		[TYPE_POINTER] = "WAYMARK_POINTER",
		[TYPE_STRING] = "WAYMARK_STRING",
		[TYPE_TEXT] = "WAYMARK_TEXT",
		[TYPE_BYTES] = "WAYMARK_BYTES",
		[TYPE_DEBUG] = "WAYMARK_DEBUG",
		[TYPE_TCG] = NULL,
	};

	if (kinds[t->class]) {
		return kinds[t->class];
	}
	if (t->is_char) {
		return "WAYMARK_CHAR";
	}
	return t->is_signed ? "WAYMARK_SIGNED" : "WAYMARK_UNSIGNED";
}

/*
 * Returns an argument's size in bytes, 0 for a type without a size. For text of old declarations,
 * returns the size that simple records.
 */
static const char *size(struct emit_context *c, const struct arg *a)
{
	const struct type *t = &a->type;

	if (a->source != ARG_FROM_CALL) {
		return a->source == ARG_FROM_BYTES ? "sizeof(void *)" : "WAYMARK_NOT_IN_SIMPLE";
	}
	if (t->class != TYPE_INTEGER && t->class != TYPE_FLOAT && t->class != TYPE_POINTER) {
		return "0";
	}
	OUT(c_begin(c), "sizeof(${type})", { "type", t->c_text });
	return c_end(c);
}

/* Returns how much of a string is recorded, or the placeholder of a `{:?}` value. */
static const char *part(struct emit_context *c, const struct event *e, size_t arg)
{
	const struct conversion *v = c_precise(e, arg);

	if (c_is_address(e, arg)) {
		return "WAYMARK_ONLY_ADDRESS";
	}
	if (e->args[arg].type.class == TYPE_DEBUG) {
		return c_number(c, c_placeholder(e, arg));
	}
	if (!v) {
		return "0";
	}
	if (v->precision_arg != FORMAT_NO_ARG) {
		return arena_printf(&c->texts, "WAYMARK_FIRST_BY(%d)", v->precision_arg);
	}
	return arena_printf(&c->texts, "WAYMARK_FIRST(%d)", v->precision);
}

/* Returns the literal of a text that another one follows. */
static const char *ended_literal(struct emit_context *c, const char *text)
{
	const char *literal = c_literal(c, text);

	return arena_printf(&c->texts, "%.*s\\0\"", (int)strlen(literal) - 1, literal);
}

/* Returns the literals of names and types of the arguments. */
static const char *arg_literals(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < e->arg_count; i++) {
		OUT(o, arg_texts, { "name", e->args[i].name }, { "type", e->args[i].type.text });
	}
	return c_end(c);
}

static void emit_descriptor(struct emit_context *c, const struct event *e)
{
	const struct out_hole holes[] = {
		{ "name", e->name },
		{ "state", e->begin ? e->begin->name : e->name },
		{ "format", ended_literal(c, e->format.source ? e->format.source : "") },
		{ "texts", arg_literals(c, e) },
		{ "meaning", e->meaning
				     ? arena_printf(&c->texts, "\n\t%s", c_literal(c, e->meaning))
				     : "" },
		{ "file", c_file_literal(c, e) },
		{ "line", c_number(c, e->line) },
		{ "args", e->arg_count ? arena_printf(&c->texts, "waymark_args_%s", e->name)
				       : "NULL" },
		{ "count", c_number(c, e->arg_count) },
		{ "masks", masks(c, e) },
		{ "flags", flags(c, e) },
		{ "end", e->end ? arena_printf(&c->texts, "&waymark_event_%s", e->end->name)
				: "NULL" },
		{ NULL, NULL },
	};

	if (e->arg_count > 0) {
		OUT(c->out, args_begin, { "name", e->name });
		for (size_t i = 0; i < e->arg_count; i++) {
			const struct arg *a = &e->args[i];

			OUT(c->out, arg_entry, { "kind", kind(&a->type) }, { "size", size(c, a) },
				{ "part", part(c, e, i) });
		}
		out_str(c->out, args_end);
	}
	out_template(c->out, event_descriptor, holes);
}

/* True if text backends print just the recorded arguments of the event, by printf. */
static bool prints_alike(struct emit_context *c, const struct event *e)
{
	return e->format.style != FORMAT_BRACES && !(e->properties & EVENT_VCPU) && !e->end &&
	       !e->begin && c_prints_as_recorded(c, e);
}

/*
 * True if one call of the runtime serves all backends of the event: a recorder, and text backends
 * that print just the recorded arguments.
 */
static bool is_alike(struct emit_context *c, const struct event *e)
{
	bool prints = false;

	chosen_foreach (c, e, row) {
		if (!row->backend->prints && !row->backend->recorder) {
			return false;
		}
		prints = prints || row->backend->prints;
	}
	return prints && emit_first_recorder(c) && prints_alike(c, e);
}

static void emit_descriptor_and_functions(struct emit_context *c, const struct event *e)
{
	bool prints_by_itself = !(e->end || e->begin) && !is_alike(c, e);

	emit_descriptor(c, e);
	chosen_foreach (c, e, row) {
		if (!row->backend->prints || prints_by_itself) {
			row->backend->emit_function(c, e, row);
		}
	}
}

/*
 * Returns our backends that are on for the event. For a `vcpu` event, those for this CPU; NULL for
 * all CPUs.
 */
static const char *backends_on(struct emit_context *c, const struct event *e, const char *cpu)
{
	const char *of_vcpu = cpu ? on_of_vcpu : on_of_all;

	OUT(c_begin(c), e->properties & EVENT_VCPU ? of_vcpu : on, { "name", e->name },
		{ "cpu", cpu });
	return c_end(c);
}

/*
 * Writes the variables for the texts of an old declaration. They are set before anything is called.
 */
static const char *texts(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);
	const struct arg *passed = event_passed(e)->args;

	for (size_t i = 0; i < e->arg_count; i++) {
		const struct arg *a = &e->args[i];

		if (a->source == ARG_FROM_ERRNO) {
			OUT(o, text_of_errno, { "name", a->c_name });
			continue;
		}
		if (a->source == ARG_FROM_BYTES) {
			OUT(o, text_of_bytes, { "name", a->c_name }, { "passed", passed->c_name });
		}
		passed++;
	}
	return c_end(c);
}

/*
 * Writes the start of a function. `is_shared`: the function that call sites share, with their
 * arguments.
 */
static void emit_function_begin(
	struct emit_context *c, const struct event *e, bool is_shared, const char *cpu)
{
	const struct event *passed = is_shared ? event_passed(e) : e;

	OUT(c->out, emit_begin,
		{ "linkage", is_shared ? "void waymark_emit" : "WAYMARK_COLD static void several" },
		{ "parameters", c_placed_parameters(c, passed) },
		{ "texts", is_shared ? texts(c, e) : "" }, { "name", e->name },
		{ "on", backends_on(c, e, cpu) }, { "watched", c_watched(c, e) });
}

static void emit_dispatcher(struct emit_context *c, const struct event *e, bool is_shared)
{
	emit_function_begin(c, e, is_shared, e->arg_count ? e->args[0].c_name : "");
	out_str(c->out, emit_record_decide(c, e, ""));
	chosen_foreach (c, e, row) {
		OUT(c->out, emit_call, { "backend", row->name }, { "name", e->name },
			{ "mask", row->backend->mask },
			{ "arguments", row->backend->takes_place ? c_placed_arguments(c, e)
								 : c_arguments(c, e) });
	}
	out_str(c->out, emit_end);
}

/* Writes the function that call sites share, if one call serves all backends of the event. */
static void emit_alike(struct emit_context *c, const struct event *e)
{
	bool first = true;

	emit_function_begin(c, e, true, NULL);
	chosen_foreach (c, e, row) {
		if (row->backend->recorder) {
			OUT(c->out, emit_alone, { "else", first ? "\t" : " else " },
				{ "name", e->name }, { "mask", row->backend->mask },
				{ "backend", row->name }, { "arguments", c_arguments(c, e) });
			first = false;
		}
	}
	OUT(c->out, emit_several, { "name", e->name }, { "printf", c_printf(c, e) });
}

/* Returns the event's backend if it has no other. */
static const struct emit_backend_row *only_backend(struct emit_context *c, const struct event *e)
{
	const struct emit_backend_row *only = NULL;
	size_t count = 0;

	chosen_foreach (c, e, row) {
		only = row;
		count++;
	}
	return count == 1 ? only : NULL;
}

/*
 * Returns the call that decides on the condition of an event with that one backend, and then does
 * what it does; NULL if there is no such call.
 */
static const char *decided_call(
	struct emit_context *c, const struct event *e, const struct emit_backend_row *row)
{
	if (emit_record_is_alone(c, e)) {
		const char *arguments = c_arguments(c, e);

		return arena_printf(&c->texts, "decided_%s(%s)", e->name, arguments);
	}
	if (row->backend->prints && prints_alike(c, e)) {
		const char *text = c_printf(c, e);

		return arena_printf(
			&c->texts, "waymark_several(&waymark_event_%s, %s)", e->name, text);
	}
	return NULL;
}

/*
 * Writes the function that call sites share, if the event has one backend. Returns false if a
 * condition needs more than a call.
 */
static bool emit_only(struct emit_context *c, const struct event *e)
{
	const struct emit_backend_row *row = only_backend(c, e);
	const char *decided = row ? decided_call(c, e, row) : NULL;

	if (!decided) {
		return false;
	}
	if (row->backend->recorder) {
		emit_record_decided(c, e);
	}
	emit_function_begin(c, e, true, NULL);
	OUT(c->out, emit_one, { "name", e->name }, { "mask", row->backend->mask },
		{ "backend", row->name }, { "arguments", c_arguments(c, e) },
		{ "decided", decided });
	return true;
}

/*
 * Writes the function that call sites share. If the event has other backends, or vCPUs that may
 * have it off, a recorder gets its own case. That case is a jump, so no register is saved for it.
 */
static void emit_emit(struct emit_context *c, const struct event *e)
{
	const struct emit_backend_row *recorder = emit_first_recorder(c);

	if (emit_only(c, e)) {
		return;
	}
	if (!recorder || !(strchr(masks(c, e), '|') || e->properties & EVENT_VCPU)) {
		emit_dispatcher(c, e, true);
		return;
	}
	if (is_alike(c, e)) {
		emit_alike(c, e);
		return;
	}
	emit_dispatcher(c, e, false);
	emit_function_begin(c, e, true, NULL);
	OUT(c->out, emit_one_of_several, { "name", e->name }, { "mask", recorder->backend->mask },
		{ "backend", recorder->name }, { "arguments", c_arguments(c, e) },
		{ "placed", c_placed_arguments(c, e) });
}

static void emit_event(struct emit_context *c, const struct event *e)
{
	OUT(c->out, event_state, { "name", e->name }, { "file", c_file_comment(c, e) },
		{ "line", c_number(c, e->line) });
	if (e->end) {
		/* The name under which the end's probe finds the word. */
		chosen_foreach (c, NULL, row) {
			if (row->backend->watched && !row->backend->declaration) {
				OUT(c->out, state_of_end, { "name", e->name });
			}
		}
		emit_descriptor_and_functions(c, e->end);
		emit_descriptor_and_functions(c, e);
		emit_scope_c(c, e);
		return;
	}
	emit_descriptor_and_functions(c, e);
	if (e->properties & EVENT_VCPU) {
		/* TRACE_X_VCPU_STATE() calls this function while the event is on for some vCPU. */
		const char *tracers = c_watched(c, e);
		const char *on_here = backends_on(c, e, "cpu");

		OUT(c_begin(c), *tracers ? vcpu_state_watched : vcpu_state_body, { "on", on_here },
			{ "watched", tracers });
		OUT(c->out, vcpu_state, { "name", e->name }, { "body", c_end(c) });
	}
	emit_emit(c, e);
}

void emit_format_c(struct emit_context *c)
{
	OUT(c->out, file_begin, { "banner", c_banner(c) }, { "header", c->header },
		{ "record", c_has_scopes(c) ? "record_scope.h" : "record.h" });
	chosen_foreach (c, NULL, row) {
		if (row->backend->emit_begin) {
			row->backend->emit_begin(c);
		}
	}
	emit_recorders(c);
	vec_foreach (struct event **, e, &c->model->events) {
		if (event_is_on(c, *e) && !(*e)->begin) {
			emit_event(c, *e);
		}
	}
	/*
	 * The descriptors by which the registry finds the events. If there are none, there is no
	 * array.
	 */
	bool any = false;

	vec_foreach (struct event **, e, &c->model->events) {
		if (event_is_on(c, *e) && !(*e)->begin) {
			out_str(c->out, any ? "" : list_begin);
			OUT(c->out, list_entry, { "name", (*e)->name });
			any = true;
		}
	}
	out_str(c->out, any ? list_end : "");
}
