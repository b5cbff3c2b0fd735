/* SPDX-License-Identifier: MIT */
/*
 * The generated module of Rust. It uses the generated C source of the same group, whose state words
 * it reads and whose functions it calls, so that an event is the same one in both languages.
 */
#include <string.h>

#include "base/compiler.h"
#include "base/words.h"
#include "emit/c_code.h"
#include "emit/emit.h"

/* ---- Names, types and lists ---- */

/*
 * The pieces of generated Rust: names and types of events' arguments, and rustfmt's layout of
 * lists. The types are from <https://doc.rust-lang.org/std/os/raw/>.
 */

/* rustfmt's limit of a line. */
#define RUST_COLUMNS 100

/*
 * A list of `head`, the items with commas, and `tail`. It is one line if that is at most 100
 * columns wide and its items at most `width`; else each item has a line. `indent` is in columns.
 */
struct rust_list {
	size_t indent;
	size_t width;
	const char *head;
	const char *const *items;
	size_t count;
	const char *tail;
	bool is_empty; /* the tail opens a block that has nothing inside: it is closed too */
};

#define SHORT_ITEM 10

/* By the length modifier of the C type. Types that have one width on all hosts have a Rust type. */
static const struct {
	const char *length;
	const char *of_signed;
	const char *of_unsigned;
} integers[] = {
	{ "", "c_int", "c_uint" },
	{ "hh", "i8", "u8" },
	{ "h", "i16", "u16" },
	{ "l", "c_long", "c_ulong" },
	{ "ll", "i64", "u64" },
	{ "32", "i32", "u32" },
	{ "64", "i64", "u64" },
	{ "z", "isize", "usize" },
	{ "t", "isize", "usize" },
	{ "PTR", "isize", "usize" },
};

static const char *integer(const struct type *t)
{
	if (t->is_bool || t->is_char) {
		return t->is_bool ? "bool" : "c_char";
	}
	for (size_t i = 0; i < ARRAY_SIZE(integers); i++) {
		if (strcmp(integers[i].length, t->length) == 0) {
			return t->is_signed ? integers[i].of_signed : integers[i].of_unsigned;
		}
	}
	return NULL; /* `void`, of a pointer */
}

/* Writes the type that a pointer points to, given the text before its star. */
static void write_pointee(struct out *o, struct emit_context *c, const char *text, size_t len)
{
	struct type t = { .text = "" };
	const char *name = NULL;

	while (len > 0 && text[len - 1] == ' ') {
		len--;
	}
	const char *star = memrchr(text, '*', len);

	if (star) {
		size_t before = (size_t)(star - text);
		const char *from = memrchr(text, '*', before);
		size_t inner = from ? (size_t)(from - text) + 1 : 0;

		out_str(o, memmem(text + inner, before - inner, "const", 5) ? "*const " : "*mut ");
		write_pointee(o, c, text, before);
		return;
	}
	if (type_parse(&t, &c->texts, text, len)) {
		name = integer(&t);
	}
	out_str(o, name ? name : "c_void");
}

/*
 * Returns the type that a Rust function passes to C for an argument: `u64`, `c_int`, `*const
 * c_void`. The outermost pointer is always `*const`: an event keeps an address and writes nothing
 * to it, and any Rust pointer converts to it.
 */
static const char *rust_type(struct emit_context *c, const struct type *t)
{
	if (t->class == TYPE_INTEGER) {
		return integer(t);
	}
	if (t->class == TYPE_FLOAT) {
		return t->maker;
	}
	struct out o;

	out_init(&o, OUT_TO_MEMORY);
	out_str(&o, "*const ");
	write_pointee(&o, c, t->c_text, (size_t)(strrchr(t->c_text, '*') - t->c_text));
	const char *text = arena_strndup(&c->texts, o.data, o.len);

	out_fini(&o);
	return text;
}

/* Keywords of all editions, and names that the prelude would turn into a pattern. */
static const char *const raw_keywords[] = { "abstract", "as", "async", "await", "become", "box",
	"break", "const", "continue", "do", "dyn", "else", "enum", "extern", "false", "final", "fn",
	"for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut",
	"override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try",
	"type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield", NULL };
static const char *const no_names[] = { "self", "Self", "super", "crate", "_", "None", "Some", "Ok",
	"Err", NULL };

/*
 * Returns the name of argument `i`. A Rust keyword becomes `r#type`, or `self_` if raw names
 * exclude it.
 */
static const char *rust_name(struct emit_context *c, const struct event *e, size_t i)
{
	const struct arg *a = &e->args[i];
	const char *name = a->is_cpu ? a->name : a->c_name;

	if (words_have(raw_keywords, name)) {
		return arena_printf(&c->texts, "r#%s", name);
	}
	if (!words_have(no_names, name)) {
		return name;
	}
	do {
		name = arena_printf(&c->texts, "%s_", name);
	} while (c_is_parameter(e, name));
	return name;
}

static void write_blanks(struct out *o, size_t n)
{
	out_printf(o, "%*s", (int)n, "");
}

/* Writes `first second` and a newline; on two lines if one would be too long. */
static void rust_halves(struct out *o, size_t indent, const char *first, const char *second)
{
	write_blanks(o, indent);
	out_str(o, first);
	if (indent + strlen(first) + 1 + strlen(second) > RUST_COLUMNS) {
		out_char(o, '\n');
		write_blanks(o, indent + 4);
	} else {
		out_char(o, ' ');
	}
	out_str(o, second);
	out_char(o, '\n');
}

/* True for a list of short names, of which rustfmt puts several on a line. */
static bool is_filled(const struct rust_list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		if (strlen(l->items[i]) > SHORT_ITEM || strchr(l->items[i], '.')) {
			return false;
		}
	}
	return l->width < RUST_COLUMNS;
}

static void write_tall(struct out *o, const struct rust_list *l)
{
	size_t indent = l->indent + 4;
	size_t column = RUST_COLUMNS;

	for (size_t i = 0; i < l->count; i++) {
		size_t len = strlen(l->items[i]) + strlen(" ,");

		if (is_filled(l) && column + len <= RUST_COLUMNS) {
			out_char(o, ' ');
			column += len;
		} else {
			out_char(o, '\n');
			write_blanks(o, indent);
			column = indent + len - 1;
		}
		out_str(o, l->items[i]);
		out_char(o, ',');
	}
	out_char(o, '\n');
	write_blanks(o, l->indent);
}

static void rust_list(struct out *o, const struct rust_list *l)
{
	size_t width = 0; /* of the items on the current line */

	for (size_t i = 0; i < l->count; i++) {
		width += strlen(l->items[i]) + (i ? strlen(", ") : 0);
	}
	size_t line = l->indent + strlen(l->head) + width + strlen(l->tail) + l->is_empty;
	bool is_tall = l->count > 0 && (line > RUST_COLUMNS || width > l->width);

	write_blanks(o, l->indent);
	out_str(o, l->head);
	if (is_tall) {
		write_tall(o, l);
	}
	for (size_t i = 0; i < l->count && !is_tall; i++) {
		out_str(o, i ? ", " : "");
		out_str(o, l->items[i]);
	}
	out_str(o, l->tail);
	if (l->is_empty) {
		out_str(o, is_tall ? "\n" : "");
		write_blanks(o, is_tall ? l->indent : 0);
		out_char(o, '}');
	}
	out_char(o, '\n');
}

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
