/* SPDX-License-Identifier: MIT */
/*
 * The generated module of Rust. It uses the generated C source of the same group, whose state words
 * it reads and whose functions it calls, so that an event is the same one in both languages.
 */
#include <string.h>

#include "base/compiler.h"
#include "emit/c_code.h"
#include "emit/format/rust.h"

/* rustfmt puts the arguments of a call on separate lines if they are wider. */
#define CALL_WIDTH 60
#define ANY_WIDTH RUST_COLUMNS

/* Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char file_begin[] =
	"${banner}"
	"#[allow(unreachable_pub, unused_imports)]\n"
	"pub use self::events::*;\n"
	"\n"
	"#[allow(dead_code, missing_docs, non_snake_case, unreachable_pub, unsafe_code)]\n"
	"#[allow(clippy::not_unsafe_ptr_arg_deref, clippy::too_many_arguments)]\n"
	"mod events {${end}\n"
	"${uses}";

static const char extern_begin[] =
	"    // What the generated C source of this group defines.\n"
	"    extern \"C\" {\n";

static const char extern_end[] =
	"    }\n"
	"\n"
	"    #[inline(always)]\n"
	"    fn is_on(word: &AtomicU32) -> bool {\n"
	"        word.load(Ordering::Relaxed) != 0\n"
	"    }\n";

static const char event_place[] =
	"    /// ${file}:${line}\n";

static const char body_on[] =
	"        if trace_${name}_enabled${more}() {\n"
	"            unsafe {\n"
	"${call}"
	"            }\n"
	"        }\n"
	"    }\n";

static const char query[] =
	"\n"
	"    /// Whether some backend or tracer takes the event now.\n"
	"    #[inline(always)]\n"
	"    pub fn trace_${name}_enabled${more}() -> bool {\n"
	"${state}"
	"    }\n";

static const char vcpu_query[] =
	"\n"
	"    /// Whether some backend or tracer takes the event of that CPU now.\n"
	"    #[inline(always)]\n";

static const char vcpu_answer[] =
	"        if !trace_${name}_enabled${more}() {\n"
	"            return false;\n"
	"        }\n"
	"        unsafe { waymark_on_${name}(cpu) != 0 }\n"
	"    }\n";

static const char file_end[] =
	"}\n";
/* clang-format on */

static bool is_string(const struct arg *a)
{
	return a->type.class == TYPE_STRING;
}

/* Forms of `name: type` for each argument, in the function of Rust or of C. */
enum side { OF_RUST, OF_RUST_UNUSED, OF_C };

static const char *const *parameters(
	struct emit_context *c, const struct event *event, enum side side)
{
	const struct event *e = event_passed(event);
	const char **items = arena_array(&c->texts, const char *, EVENT_ARGS_LIMIT);

	for (size_t i = 0; i < e->arg_count; i++) {
		const struct arg *a = &e->args[i];
		bool borrows = is_string(a) && side != OF_C;

		items[i] = arena_printf(&c->texts, "%s%s: %s", side == OF_RUST_UNUSED ? "_" : "",
			side == OF_RUST_UNUSED && !a->is_cpu ? a->c_name : rust_name(c, e, i),
			borrows ? "&CStr" : rust_type(c, &a->type));
	}
	return items;
}

/* Arguments for the place of a call, which are first in C functions; Rust passes none. */
#define PLACE 2

static const char *const *placed(struct emit_context *c, const struct event *e,
	const char *const *items, const char *file, const char *line)
{
	const char **all = arena_array(&c->texts, const char *, PLACE + EVENT_ARGS_LIMIT);

	if (!c_has_place(c, e)) {
		return items;
	}
	all[0] = file;
	all[1] = line;
	memcpy(all + PLACE, items, event_passed(e)->arg_count * sizeof(*items));
	return all;
}

static size_t placed_count(struct emit_context *c, const struct event *e)
{
	return event_passed(e)->arg_count + (c_has_place(c, e) ? PLACE : 0);
}

static const char *call(struct emit_context *c, const struct event *e)
{
	const char **items = arena_array(&c->texts, const char *, EVENT_ARGS_LIMIT);
	const struct event *passed = event_passed(e);

	for (size_t i = 0; i < passed->arg_count; i++) {
		items[i] = arena_printf(&c->texts, "%s%s", rust_name(c, passed, i),
			is_string(&passed->args[i]) ? ".as_ptr()" : "");
	}
	const struct rust_list list = { .indent = 16,
		.width = CALL_WIDTH,
		.head = arena_printf(&c->texts, "waymark_emit_%s_%s(", e->name, c_digest(c, e)),
		.items = placed(c, e, items, "core::ptr::null()", "0"),
		.count = placed_count(c, e),
		.tail = ");" };

	rust_list(c_begin(c), &list);
	return c_end(c);
}

/*
 * Returns the words that are not 0 while the event is on: its state, and those of external tracers.
 */
static const char *const *words(struct emit_context *c, const struct event *e, size_t *count)
{
	const char **names = arena_array(&c->texts, const char *, 1 + 8 * sizeof(c->backends));

	*count = 0;
	names[(*count)++] = arena_printf(&c->texts, "waymark_state_%s", e->name);
	chosen_foreach (c, NULL, row) {
		if (row->backend->rust_word) {
			OUT(c_begin(c), row->backend->rust_word, { "name", e->name });
			names[(*count)++] = c_end(c);
		}
	}
	return names;
}

/* Returns all words, combined by `|` and not `||`, so that one branch tests them all. */
static const char *state(struct emit_context *c, const struct event *e)
{
	size_t count;
	const char *const *names = words(c, e, &count);
	const char *line = "";
	const char *lines = "";

	for (size_t i = 0; i < count; i++) {
		line = arena_printf(&c->texts, "%s%sis_on(&%s)", line, i ? " | " : "", names[i]);
		lines = arena_printf(&c->texts, "%s            %sis_on(&%s)\n", lines,
			i ? "    | " : "", names[i]);
	}
	if (strlen("        unsafe {  }") + strlen(line) <= RUST_COLUMNS) {
		return arena_printf(&c->texts, "        unsafe { %s }\n", line);
	}
	if (strlen("            ") + strlen(line) <= RUST_COLUMNS) {
		lines = arena_printf(&c->texts, "            %s\n", line);
	}
	return arena_printf(&c->texts, "        unsafe {\n%s        }\n", lines);
}

/*
 * Returns a suffix for the name of an event's query function, as another event may have that name.
 */
static const char *more_of_query(
	struct emit_context *c, const struct event *e, const char *question)
{
	const char *more = "";

	while (model_find(c->model, arena_printf(&c->texts, "%s_%s%s", e->name, question, more))) {
		more = arena_printf(&c->texts, "%s_", more);
	}
	return more;
}

static void emit_extern(struct emit_context *c, const struct event *e)
{
	const struct rust_list list = { .indent = 8,
		.width = ANY_WIDTH,
		.head = arena_printf(&c->texts, "fn waymark_emit_%s_%s(", e->name, c_digest(c, e)),
		.items = placed(c, e, parameters(c, e, OF_C), "waymark_file: *const c_char",
			"waymark_line: c_uint"),
		.count = placed_count(c, e),
		.tail = ");" };

	rust_halves(c->out, 8, arena_printf(&c->texts, "static waymark_state_%s:", e->name),
		"AtomicU32;");
	/* The words that external tracers define. */
	chosen_foreach (c, NULL, row) {
		if (row->backend->rust_declaration) {
			OUT(c->out, row->backend->rust_declaration, { "name", e->name },
				{ "provider", c->provider });
		}
	}
	if (e->properties & EVENT_VCPU) {
		static const char *const cpu = "cpu: *const c_void";
		const struct rust_list on = { .indent = 8,
			.width = ANY_WIDTH,
			.head = arena_printf(&c->texts, "fn waymark_on_%s(", e->name),
			.items = &cpu,
			.count = 1,
			.tail = ") -> u32;" };

		out_str(c->out, "        #[cold]\n");
		rust_list(c->out, &on);
	}
	out_str(c->out, "        #[cold]\n");
	rust_list(c->out, &list);
}

static void emit_place(struct emit_context *c, const struct event *e)
{
	OUT(c->out, event_place, { "file", c_file_comment(c, e) },
		{ "line", c_number(c, e->line) });
}

/* Writes the query for one CPU. `more` is the suffix of the name of the query for all. */
static void emit_vcpu_query(struct emit_context *c, const struct event *e, const char *more)
{
	bool is_on = event_is_on(c, e);
	const char *cpu = is_on ? "cpu: *const c_void" : "_cpu: *const c_void";
	const char *longer = more_of_query(c, e, "vcpu_enabled");
	const struct rust_list list = { .indent = 4,
		.width = ANY_WIDTH,
		.head = arena_printf(&c->texts, "pub fn trace_%s_vcpu_enabled%s(", e->name, longer),
		.items = &cpu,
		.count = 1,
		.tail = ") -> bool {" };

	out_str(c->out, vcpu_query);
	rust_list(c->out, &list);
	OUT(c->out, is_on ? vcpu_answer : "        false\n    }\n", { "name", e->name },
		{ "more", more });
}

static void emit_event(struct emit_context *c, const struct event *e, const char *separator)
{
	bool is_on = event_is_on(c, e);
	const char *more = more_of_query(c, e, "enabled");
	const struct rust_list list = { .indent = 4,
		.width = ANY_WIDTH,
		.head = arena_printf(&c->texts, "pub fn trace_%s(", e->name),
		.items = parameters(c, e, is_on ? OF_RUST : OF_RUST_UNUSED),
		.count = event_passed(e)->arg_count,
		.tail = ") {",
		.is_empty = !is_on };

	out_str(c->out, separator);
	emit_place(c, e);
	rust_halves(c->out, 4,
		arena_printf(&c->texts, "pub const TRACE_%s_ENABLED: bool =", e->upper),
		is_on ? "true;" : "false;");
	out_char(c->out, '\n');
	emit_place(c, e);
	out_str(c->out, "    #[inline(always)]\n");
	rust_list(c->out, &list);
	if (is_on) {
		OUT(c->out, body_on, { "name", e->name }, { "more", more }, { "call", call(c, e) });
	}
	OUT(c->out, query, { "name", e->name }, { "more", more },
		{ "state", is_on ? state(c, e) : "        false\n" });
	if (e->properties & EVENT_VCPU) {
		emit_vcpu_query(c, e, more);
	}
}

/* The imports that a file's events may need; only used ones are written. */
static const struct {
	const char *type; /* NULL: needed by an event that is on */
	const char *path;
} imports[] = {
	{ "c_void", "core::ffi::c_void" },
	{ NULL, "core::sync::atomic::{AtomicU32, Ordering}" },
	{ "&CStr", "std::ffi::CStr" },
	{ "c_char", "std::os::raw::c_char" },
	{ "c_int", "std::os::raw::c_int" },
	{ "c_long", "std::os::raw::c_long" },
	{ "c_uint", "std::os::raw::c_uint" },
	{ "c_ulong", "std::os::raw::c_ulong" },
};

static bool uses_type(struct emit_context *c, const struct event *e, const char *type)
{
	bool is_of_place = strcmp(type, "c_char") == 0 || strcmp(type, "c_uint") == 0;

	if (is_of_place && event_is_on(c, e) && c_has_place(c, e)) {
		return true;
	}
	e = event_passed(e);
	for (size_t i = 0; i < e->arg_count; i++) {
		const struct arg *a = &e->args[i];
		bool is_for_c = is_string(a) && event_is_on(c, e);

		if (is_string(a) && strcmp(type, "&CStr") == 0) {
			return true;
		}
		if ((!is_string(a) || is_for_c) && strstr(rust_type(c, &a->type), type)) {
			return true;
		}
	}
	return false;
}

static bool is_used(struct emit_context *c, const char *type)
{
	vec_foreach (struct event **, e, &c->model->events) {
		if (type ? uses_type(c, *e, type) : event_is_on(c, *e)) {
			return true;
		}
	}
	return false;
}

void emit_format_rs(struct emit_context *c)
{
	bool any = is_used(c, NULL);
	const char *separator = any ? "\n" : "";
	const char *uses = "";

	for (size_t i = 0; i < ARRAY_SIZE(imports); i++) {
		if (is_used(c, imports[i].type)) {
			uses = arena_printf(&c->texts, "%s    use %s;\n", uses, imports[i].path);
		}
	}
	OUT(c->out, file_begin, { "banner", c_banner(c) },
		{ "uses", *uses ? arena_printf(&c->texts, "%s\n", uses) : "" },
		{ "end", c->model->events.count ? "" : "}" });
	if (!c->model->events.count) {
		return;
	}
	if (any) {
		chosen_foreach (c, NULL, row) {
			out_str(c->out, row->backend->rust_begin ? row->backend->rust_begin : "");
		}
		out_str(c->out, extern_begin);
		vec_foreach (struct event **, e, &c->model->events) {
			if (event_is_on(c, *e)) {
				emit_extern(c, *e);
			}
		}
		out_str(c->out, extern_end);
	}
	vec_foreach (struct event **, e, &c->model->events) {
		emit_event(c, *e, separator);
		separator = "\n";
	}
	out_str(c->out, file_end);
}
