/* SPDX-License-Identifier: MIT */
/*
 * The generated source: each event's state word, its descriptor, the functions
 * of its backends, and the one out-of-line function that its call sites share.
 */
#include <string.h>

#include "emit/c_code.h"
#include "emit/record.h"

/* The templates read like what they make. */
/* clang-format off */
static const char file_begin[] =
	"${banner}"
	"#include \"${header}\"\n"
	"\n"
	"#include <waymark/record.h>\n";

static const char event_state[] =
	"\n"
	"/* ${file}:${line} */\n"
	"${begin}"
	"uint32_t waymark_state_${name} WAYMARK_STATE_SECTION = 0;\n";

static const char args_begin[] =
	"\n"
	"static const struct waymark_arg waymark_args_${name}[] = {\n";

static const char arg_entry[] = "\t{ \"${name}\", \"${type}\", ${kind}, ${size} },\n";

static const char args_end[] = "};\n";

static const char event_descriptor[] =
	"\n"
	"static struct waymark_event waymark_event_${name} = {\n"
	"\t&waymark_state_${name},\n"
	"\t\"${name}\",\n"
	"\t${format},\n"
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

static const char emit_begin[] =
	"\n"
	"${linkage}_${name}(${parameters})\n"
	"{\n"
	"\tunsigned int waymark_on = ${on};\n"
	"\n"
	"${watched}";

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

static const char emit_one_of_several[] =
	"\tif (waymark_on == ${mask}) {\n"
	"\t\t${backend}_${name}(${arguments});\n"
	"\t} else {\n"
	"\t\tseveral_${name}(${placed});\n"
	"\t}\n"
	"}\n";

static const char list_begin[] =
	"\n"
	"${begin}"
	"static struct waymark_event *const waymark_group[] WAYMARK_EVENT_SECTION = {\n";

static const char list_entry[] = "\t&waymark_event_${name},\n";

static const char list_end[] =
	"};\n"
	"${end}"
	"\n"
	"WAYMARK_REGISTER_OBJECT()\n";
/* clang-format on */

/* What fits between a line's tab and its last column, less the ` |` or comma behind. */
#define MASKS_FIT 90u

/* `WAYMARK_LOG | WAYMARK_SIMPLE`: an event's backends, on a second line where one is too short. */
static const char *masks(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);
	bool broken = false;

	for (int i = 0; emit_backends[i].name; i++) {
		const struct emit_backend *b = emit_chosen_for(c, i, e);

		if (!b) {
			continue;
		}
		bool breaks = !broken && o->len + strlen(" | ") + strlen(b->mask) > MASKS_FIT;

		out_str(o, breaks ? " |\n\t\t" : o->len ? " | " : "");
		out_str(o, b->mask);
		broken |= breaks;
	}
	return c_end(c);
}

/* The properties that the runtime has to know. */
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
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
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

/* In bytes; 0 of what has no size of its own. */
static const char *size(struct emit_context *c, const struct type *t)
{
	if (t->class != TYPE_INTEGER && t->class != TYPE_FLOAT && t->class != TYPE_POINTER) {
		return "0";
	}
	OUT(c_begin(c), "sizeof(${type})", { "type", t->c_text });
	return c_end(c);
}

static void emit_args(struct emit_context *c, const struct event *e)
{
	if (e->arg_count == 0) {
		return;
	}
	OUT(c->out, args_begin, { "name", e->name });
	for (size_t i = 0; i < e->arg_count; i++) {
		const struct arg *a = &e->args[i];

		OUT(c->out, arg_entry, { "name", a->name }, { "type", a->type.text },
			{ "kind", kind(&a->type) }, { "size", size(c, &a->type) });
	}
	out_str(c->out, args_end);
}

static const char *args_name(struct emit_context *c, const struct event *e)
{
	if (e->arg_count == 0) {
		return "NULL";
	}
	OUT(c_begin(c), "waymark_args_${name}", { "name", e->name });
	return c_end(c);
}

/* The first chosen backend that records, -1 where none does. */
static int first_recorder(const struct emit_context *c)
{
	for (int i = 0; emit_backends[i].name; i++) {
		if (emit_chosen(c, i) && emit_chosen(c, i)->records) {
			return i;
		}
	}
	return -1;
}

static void emit_functions(struct emit_context *c, const struct event *e)
{
	if (first_recorder(c) >= 0) {
		emit_record(c, e);
	}
	for (int i = 0; emit_backends[i].name; i++) {
		const struct emit_backend *b = emit_chosen_for(c, i, e);

		if (b) {
			b->emit_function(c, e);
		}
	}
}

/* The bits of tracers outside, a statement each. */
static const char *watched(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);

	for (int i = 0; emit_backends[i].name; i++) {
		const struct emit_backend *b = emit_chosen(c, i);

		if (b && b->watched) {
			out_str(o, "\tif (");
			OUT(o, b->watched, { "name", e->name });
			OUT(o, ") {\n\t\twaymark_on |= ${mask};\n\t}\n", { "mask", b->mask });
		}
	}
	return c_end(c);
}

/* Our backends that are on for the event; of `vcpu` events for this CPU, or NULL: for all. */
static const char *backends_on(struct emit_context *c, const struct event *e, const char *cpu)
{
	const char *of_vcpu = cpu ? on_of_vcpu : on_of_all;

	OUT(c_begin(c), e->properties & EVENT_VCPU ? of_vcpu : on, { "name", e->name },
		{ "cpu", cpu });
	return c_end(c);
}

static void emit_function_begin(
	struct emit_context *c, const struct event *e, const char *linkage, const char *cpu)
{
	OUT(c->out, emit_begin, { "linkage", linkage }, { "parameters", c_placed_parameters(c, e) },
		{ "name", e->name }, { "on", backends_on(c, e, cpu) },
		{ "watched", watched(c, e) });
}

/* What TRACE_X_VCPU_STATE() asks while the event is on for some vCPU. */
static void emit_vcpu_state(struct emit_context *c, const struct event *e)
{
	const char *tracers = watched(c, e);
	const char *on_here = backends_on(c, e, "cpu");

	OUT(c_begin(c), *tracers ? vcpu_state_watched : vcpu_state_body, { "on", on_here },
		{ "watched", tracers });
	OUT(c->out, vcpu_state, { "name", e->name }, { "body", c_end(c) });
}

static void emit_dispatcher(struct emit_context *c, const struct event *e, const char *linkage)
{
	emit_function_begin(c, e, linkage, e->arg_count ? e->args[0].c_name : "");
	for (int i = 0; emit_backends[i].name; i++) {
		const struct emit_backend *b = emit_chosen_for(c, i, e);

		if (b) {
			OUT(c->out, emit_call, { "backend", emit_backends[i].name },
				{ "name", e->name }, { "mask", b->mask },
				{ "arguments", b->takes_place ? c_placed_arguments(c, e)
							      : c_arguments(c, e) });
		}
	}
	out_str(c->out, emit_end);
}

/*
 * The function that call sites share. Beside other backends, and vCPUs of which some have the
 * event off, a recorder has a case of its own, which is a jump: no register is saved for it.
 */
static void emit_emit(struct emit_context *c, const struct event *e)
{
	int recorder = first_recorder(c);

	if (recorder < 0 || !(strchr(masks(c, e), '|') || e->properties & EVENT_VCPU)) {
		emit_dispatcher(c, e, "void waymark_emit");
		return;
	}
	emit_dispatcher(c, e, "WAYMARK_COLD static void several");
	emit_function_begin(c, e, "void waymark_emit", NULL);
	OUT(c->out, emit_one_of_several, { "name", e->name },
		{ "mask", emit_chosen(c, recorder)->mask },
		{ "backend", emit_backends[recorder].name }, { "arguments", c_arguments(c, e) },
		{ "placed", c_placed_arguments(c, e) });
}

static void emit_event(struct emit_context *c, const struct event *e)
{
	const struct out_hole holes[] = {
		{ "name", e->name },
		{ "format", c_literal(c, e->format.source ? e->format.source : "") },
		{ "file", c_file_literal(c, e) },
		{ "line", c_number(c, e->line) },
		{ "args", args_name(c, e) },
		{ "count", c_number(c, e->arg_count) },
		{ "masks", masks(c, e) },
		{ "flags", flags(c, e) },
		{ "end", "NULL" },
		{ NULL, NULL },
	};

	OUT(c->out, event_state, { "name", e->name }, { "begin", c_event_begin(e) },
		{ "file", c_file_comment(c, e) }, { "line", c_number(c, e->line) });
	emit_args(c, e);
	out_template(c->out, event_descriptor, holes);
	emit_functions(c, e);
	if (e->properties & EVENT_VCPU) {
		emit_vcpu_state(c, e);
	}
	emit_emit(c, e);
	out_str(c->out, c_event_end(e));
}

/* Of the events that are on; NULL when none is. */
static const struct event *longest_name(struct emit_context *c)
{
	const struct event *longest = NULL;

	vec_foreach (struct event **, e, &c->model->events) {
		if (event_is_on(c, *e) &&
			(!longest || strlen((*e)->name) > strlen(longest->name))) {
			longest = *e;
		}
	}
	return longest;
}

/* The descriptors by which the registry finds the events; no array where there are none. */
static void emit_list(struct emit_context *c)
{
	const struct event *longest = longest_name(c);

	if (!longest) {
		return;
	}
	OUT(c->out, list_begin, { "begin", c_event_begin(longest) });
	vec_foreach (struct event **, e, &c->model->events) {
		if (event_is_on(c, *e)) {
			OUT(c->out, list_entry, { "name", (*e)->name });
		}
	}
	OUT(c->out, list_end, { "end", c_event_end(longest) });
}

/* What the chosen backends need in front of all events. */
static void emit_beginnings(struct emit_context *c)
{
	for (int i = 0; emit_backends[i].name; i++) {
		const struct emit_backend *b = emit_chosen(c, i);

		if (b && b->emit_begin) {
			b->emit_begin(c);
		}
	}
}

void emit_format_c(struct emit_context *c)
{
	OUT(c->out, file_begin, { "banner", c_banner(c) }, { "header", c->header });
	emit_beginnings(c);
	vec_foreach (struct event **, e, &c->model->events) {
		if (event_is_on(c, *e)) {
			emit_event(c, *e);
		}
	}
	emit_list(c);
}
