/* SPDX-License-Identifier: MIT */
/*
 * Names, types and lists of generated Rust, for rs.c. The types are from
 * <https://doc.rust-lang.org/std/os/raw/>.
 */
#include "emit/format/rust.h"

#include <string.h>

#include "base/compiler.h"
#include "base/words.h"
#include "emit/c_code.h"

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

const char *rust_type(struct emit_context *c, const struct type *t)
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

const char *rust_name(struct emit_context *c, const struct event *e, size_t i)
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

void rust_halves(struct out *o, size_t indent, const char *first, const char *second)
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

void rust_list(struct out *o, const struct rust_list *l)
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
