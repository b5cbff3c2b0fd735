/* SPDX-License-Identifier: MIT */
/*
 * Reads the arguments of an event in TOML: splits at commas, and each argument at its first colon.
 * So a type may contain no comma, but it may contain a path.
 */
#include <string.h>

#include "base/utf8.h"
#include "decl/toml_events.h"
#include "model/name.h"

#define ARG_HELP "write it as name and type, for example 'size: u64'"

struct args {
	struct front_end *fe;
	bool is_scope;
	bool failed;
	struct arg_list list;
};

static bool is_white(const char *s, size_t n)
{
	static const char *const wide[] = { "\xc2\x85", "\xc2\xa0", "\xe1\x9a\x80", "\xe2\x80\xa8",
		"\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80" };

	if (n == 1) {
		return *s == ' ' || (*s >= '\t' && *s <= '\r');
	}
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
		if (strlen(wide[i]) == n && memcmp(s, wide[i], n) == 0) {
			return true;
		}
	}
	return n == 3 && memcmp(s, "\xe2\x80", 2) == 0 && (unsigned char)s[2] <= 0x8a;
}

struct placed toml_trim(struct placed text)
{
	size_t begin = 0;
	size_t end = 0; /* end of the text without white space */
	bool has_begun = false;

	for (size_t i = 0; i < text.span.len;) {
		size_t n = utf8_length(text.span.text + i, text.span.len - i);

		n = n ? n : 1;
		if (!is_white(text.span.text + i, n)) {
			begin = has_begun ? begin : i;
			has_begun = true;
			end = i + n;
		}
		i += n;
	}
	return placed_part(&text, begin, end - begin);
}

static void fail(struct args *args, const struct placed *at, const char *help, const char *message)
{
	diag_error(args->fe->diag, placed_location(at, 0), help, "%s", message);
	args->failed = true;
}

static const char *type_help(struct args *args, struct span text)
{
	const char *nearest = type_rust_nearest(text.text, text.len);

	if (nearest) {
		return arena_printf(&args->fe->model->arena, "did you mean '%s'?", nearest);
	}
	return arg_type_help(args->fe->diag, TYPE_RUST_HELP);
}

static bool read_type(struct args *args, struct type *type, const struct placed *text)
{
	struct arena *a = &args->fe->model->arena;
	struct span span = text->span;

	if (type_parse_rust(type, a, span.text, span.len)) {
		return true;
	}
	if (args->fe->lenient) {
		type_guess_host(type, a, span.text, span.len);
		return true;
	}
	fail(args, text, type_help(args, span),
		arena_printf(a, "the type '%.*s' is not allowed", SPAN_ARGS(span)));
	return false;
}

static bool check_name(struct args *args, const struct placed *name)
{
	struct front_end *fe = args->fe;
	struct location at = placed_location(name, 0);

	if (!name_check_arg(name->span, at, fe->rules)) {
		return false;
	}
	if (args->is_scope &&
		(span_equals(name->span, "scope") || span_equals(name->span, "scope_tid"))) {
		diag_error(fe->rules, at, "choose another name",
			"a scope already has an argument '%.*s'", SPAN_ARGS(name->span));
		return false;
	}
	return arg_list_is_new(&args->list, name->span, at, fe->rules);
}

static void add_arg(struct args *args, const struct placed *name, const struct placed *text)
{
	struct front_end *fe = args->fe;
	struct arg arg = { .at = placed_location(name, 0) };
	bool good = check_name(args, name);

	if (!read_type(args, &arg.type, text) || (!good && !fe->lenient)) {
		args->failed = true;
		return;
	}
	arg_list_add(&args->list, &fe->model->arena, &arg, name->span);
}

static void read_arg(struct args *args, const struct placed *text)
{
	struct span span = text->span;
	const char *colon = memchr(span.text, ':', span.len);
	size_t len = colon ? (size_t)(colon - span.text) : span.len;

	if (!colon) {
		fail(args, text, ARG_HELP "; a type cannot hold a comma",
			"an argument without ':'");
		return;
	}
	struct placed name = toml_trim(placed_part(text, 0, len));
	struct placed type = toml_trim(placed_part(text, len + 1, span.len - len - 1));

	if (name.span.len == 0) {
		fail(args, text, ARG_HELP, "an argument has a type but no name");
	} else if (type.span.len == 0) {
		fail(args, text, ARG_HELP, "an argument has a name but no type");
	} else {
		add_arg(args, &name, &type);
	}
}

/* Reads one argument between commas; returns false if no more shall be read. */
static bool read_piece(
	struct args *args, size_t count, const struct placed *piece, const struct placed *comma)
{
	struct front_end *fe = args->fe;
	size_t room = fe->max_args - args->is_scope;

	if (count == room) {
		fail(args, piece, "pass fewer, or raise the limit (to 32 at most)",
			arena_printf(&fe->model->arena, "more than %zu arguments%s", room,
				args->is_scope ? " and the scope" : ""));
		return false;
	}
	if (piece->span.len > 0) {
		read_arg(args, piece);
	} else if (comma) {
		fail(args, comma, "remove the comma, or add an argument", "an empty argument");
	} else {
		fail(args, piece, "write: args = \"\"", "arguments of blanks only");
	}
	return true;
}

static void read_list(struct args *args, const struct placed *text)
{
	struct span all = text->span;
	size_t from = 0;

	for (size_t n = 0;; n++) {
		const char *comma = memchr(all.text + from, ',', all.len - from);
		size_t end = comma ? (size_t)(comma - all.text) : all.len;
		struct placed piece = toml_trim(placed_part(text, from, end - from));
		size_t nearest_comma = comma ? end : from - 1;
		struct placed at = placed_part(text, n > 0 || comma ? nearest_comma : 0, 0);

		if (!read_piece(args, n, &piece, n > 0 || comma ? &at : NULL) || !comma) {
			return;
		}
		from = end + 1;
	}
}

bool toml_read_args(struct front_end *fe, struct event *e, const struct placed *text)
{
	struct args args = { .fe = fe, .is_scope = e->properties & EVENT_SCOPE };

	if (text->span.len > 0) {
		read_list(&args, text);
	}
	arg_list_move(&args.list, &fe->model->arena, e);
	return !args.failed;
}
