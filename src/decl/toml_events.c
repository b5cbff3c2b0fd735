/* SPDX-License-Identifier: MIT */
/*
 * The front end for TOML, on top of the reader in decl/toml.h: the text of `args`, then the tables
 * [[events]] and [[scopes]] with their keys, in any order. Tables are independent: an error in one
 * hides nothing in the next.
 */
#include <string.h>

#include "base/compiler.h"
#include "base/utf8.h"
#include "decl/front_end.h"
#include "decl/toml.h"
#include "model/meaning.h"
#include "model/name.h"
#include "text/nearest.h"
#include "text/placed.h"

/* ---- The text of `args` ---- */

/*
 * Reads the arguments of an event in TOML: splits at commas, and each argument at its first colon.
 * So a type may contain no comma, but it may contain a path.
 */

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

/* Removes Unicode white space from both ends, like Rust's trim(). */
static struct placed toml_trim(struct placed text)
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

/*
 * Reads `name: type, name: type` into `e`; for a scope, reserves room for its undeclared number.
 * Returns false after an error that leaves the arguments unknown.
 */
static bool toml_read_args(struct front_end *fe, struct event *e, const struct placed *text)
{
	struct args args = { .fe = fe, .is_scope = e->properties & EVENT_SCOPE };

	if (text->span.len > 0) {
		read_list(&args, text);
	}
	arg_list_move(&args.list, &fe->model->arena, e);
	return !args.failed;
}

#define TABLE_HELP "there are [[events]] and [[scopes]], each with name, args, message and enabled"

/* Keys from KEY_NEEDED on may be left out. */
enum key {
	KEY_NAME,
	KEY_ARGS,
	KEY_MESSAGE,
	KEY_ENABLED,
	KEY_NEEDED,
	KEY_MEANING = KEY_NEEDED,
	KEY_COUNT
};

static const char *const key_names[] = { "name", "args", "message", "enabled", "meaning" };
static const enum toml_kind key_kinds[] = { TOML_STRING, TOML_STRING, TOML_STRING, TOML_BOOLEAN,
	TOML_STRING };
static const char *const key_missing[] = {
	"add: name = \"...\"",
	"add: args = \"name: type, ...\", or args = \"\"",
	"add: message = \"...\" with a {} for each argument",
	"add: enabled = true",
};

static const char *const table_names[] = { "events", "scopes" };
static const unsigned int table_bits[] = { 0, EVENT_SCOPE };

/* The state of reading one file. */
struct file {
	struct front_end *fe;
	/*
	 * Lines are counted during reading, so that the time is proportional to the file's length.
	 */
	struct location at;
	unsigned int line;
	/* The entries `events = [...]`; if there is one, there must be no [[events]]. */
	const struct toml_entry *arrays[ARRAY_SIZE(table_names)];
};

/* A table and its values by key; NULL: the key is missing. */
struct table {
	const struct toml_table *toml;
	const struct toml_value *values[KEY_COUNT];
	bool excused[KEY_COUNT]; /* missing, but already reported */
	unsigned int properties;
};

static struct arena *arena(struct file *f)
{
	return &f->fe->model->arena;
}

static int find_name(struct span name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (span_equals(name, names[i])) {
			return (int)i;
		}
	}
	return -1;
}

static void report_unknown_key(struct file *f, struct table *t, const struct placed *key)
{
	const char *nearest = nearest_name(key->span, key_names, ARRAY_SIZE(key_names));
	const char *help = "an event has name, args, message, enabled, and may have meaning";

	if (nearest) {
		int meant = find_name((struct span){ nearest, strlen(nearest) }, key_names,
			ARRAY_SIZE(key_names));

		t->excused[meant] = true;
		help = arena_printf(arena(f), "did you mean '%s'?", nearest);
	}
	diag_error(f->fe->rules, placed_location(key, 0), help, "unknown key '%.*s'",
		SPAN_ARGS(key->span));
}

static void read_key(struct file *f, struct table *t, const struct toml_entry *entry)
{
	const struct placed *key = &entry->key;
	int i = entry->is_dotted ? -1 : find_name(key->span, key_names, ARRAY_SIZE(key_names));

	if (i < 0) {
		report_unknown_key(f, t, key);
		return;
	}
	if (t->values[i] || t->excused[i]) {
		diag_error(f->fe->diag, placed_location(key, 0), "keep one of them",
			"the key '%s' is given twice", key_names[i]);
		return;
	}
	if (entry->value.kind == key_kinds[i]) {
		t->values[i] = &entry->value;
		return;
	}
	t->excused[i] = true;
	if (entry->value.kind != TOML_BAD) {
		bool is_string = key_kinds[i] == TOML_STRING;

		diag_error(f->fe->diag, entry->value.at,
			is_string ? "write it between quotes"
				  : "write true or false, without quotes",
			"'%s' must be %s, not %s", key_names[i], toml_kind_name(key_kinds[i]),
			toml_kind_name(entry->value.kind));
	}
}

/* Finds the keys. Returns false if one is missing; reports it unless the reason was reported. */
static bool find_keys(struct file *f, struct table *t)
{
	bool complete = true;

	for (const struct toml_entry *e = t->toml->entries; e; e = e->next) {
		read_key(f, t, e);
	}
	for (size_t i = 0; i < KEY_NEEDED; i++) {
		if (t->values[i]) {
			continue;
		}
		complete = false;
		if (!t->excused[i] && !t->toml->damaged) {
			diag_error(f->fe->diag, t->toml->at, key_missing[i], "the %s has no '%s'",
				t->properties & EVENT_SCOPE ? "scope" : "event", key_names[i]);
		}
	}
	return complete;
}

static bool read_name(struct file *f, struct event *e, const struct toml_value *value)
{
	struct front_end *fe = f->fe;
	struct placed name = toml_trim(value->string);

	e->at = placed_location(&name, 0);
	if (e->at.offset < f->at.offset) {
		f->at.offset = 0;
		f->line = 1;
	}
	for (; f->at.offset < e->at.offset; f->at.offset++) {
		f->line += e->at.source->text[f->at.offset] == '\n';
	}
	e->line = f->line;
	e->name = arena_strndup(arena(f), name.span.text, name.span.len);
	if (name.span.len == 0) {
		diag_error(fe->diag, value->at, "write: name = \"what_happens\"", "an empty name");
		return false;
	}
	if (is_digit((unsigned char)name.span.text[0])) {
		diag_error(fe->rules, e->at, "begin it with a letter",
			"the event name '%s' begins with a digit", e->name);
		return fe->lenient;
	}
	return name_check_event(name.span, e->at, fe->rules) || fe->lenient;
}

static bool read_message(struct file *f, struct event *e, const struct toml_value *value)
{
	struct placed message = toml_trim(value->string);

	if (!format_parse_braces(&e->format, arena(f), f->fe->rules, &message)) {
		format_drop(&e->format);
		return false;
	}
	return true;
}

/* Makes an argument that every scope has and no file declares. */
static struct arg made_arg(
	struct file *f, const struct event *e, const char *name, const char *type)
{
	struct arg arg = { .name = name, .is_scope = true, .at = e->at };

	type_parse(&arg.type, arena(f), type, strlen(type));
	return arg;
}

static void add_scope(struct file *f, struct event *e)
{
	struct event end = {
		.name = arena_printf(arena(f), "%s_end", e->name),
		.properties = (e->properties & EVENT_DISABLE) | EVENT_SCOPE_END,
		.line = e->line,
		.args = arena_array(arena(f), struct arg, 2),
		.arg_count = 2,
		.at = e->at,
	};

	end.args[0] = made_arg(f, e, "scope", "int64_t");
	end.args[1] = made_arg(f, e, "scope_tid", "uint32_t");
	event_insert_arg(arena(f), e, 0, &end.args[0]); /* before the declared ones */
	format_shift(&e->format, 1);
	struct event *begin = decl_add_event(f->fe, e);

	begin->end = decl_add_event(f->fe, &end);
	begin->end->begin = begin;
}

/* Reads all present keys; returns false if the event cannot be added to the model. */
static bool read_values(struct file *f, const struct table *t, struct event *e)
{
	const struct toml_value *args = t->values[KEY_ARGS];
	const struct toml_value *message = t->values[KEY_MESSAGE];
	bool has_name = t->values[KEY_NAME] && read_name(f, e, t->values[KEY_NAME]);
	bool has_args = args && toml_read_args(f->fe, e, &args->string);
	bool has_message = message && read_message(f, e, message);

	if (t->values[KEY_MEANING] && has_args) {
		meaning_read(e, arena(f), f->fe->rules, &t->values[KEY_MEANING]->string, false);
	}
	if (has_message && has_args) {
		decl_check_format(f->fe, e);
	}
	if (t->values[KEY_ENABLED] && !t->values[KEY_ENABLED]->truth) {
		e->properties |= EVENT_DISABLE;
	}
	return has_name && has_args;
}

static void read_event(struct file *f, const struct toml_table *toml, unsigned int properties)
{
	struct table t = { .toml = toml, .properties = properties };
	struct event e = { .properties = properties };
	bool complete = find_keys(f, &t);

	if (!read_values(f, &t, &e) || !complete) {
		return;
	}
	if (properties & EVENT_SCOPE) {
		add_scope(f, &e);
	} else {
		decl_add_event(f->fe, &e);
	}
}

/* Reads `events = [{...}, {...}]`. */
static void read_array(struct file *f, const struct toml_entry *entry, int which)
{
	if (entry->value.kind != TOML_ARRAY && entry->value.kind != TOML_BAD) {
		diag_error(f->fe->diag, entry->value.at,
			arena_printf(arena(f), "write: [[%s]]", table_names[which]),
			"'%s' must be an array of tables, not %s", table_names[which],
			toml_kind_name(entry->value.kind));
	}
	for (const struct toml_value *item = entry->value.items; item; item = item->next) {
		if (item->kind == TOML_TABLE && item->table->damaged) {
			continue; /* what was read may be wrong */
		}
		if (item->kind == TOML_TABLE) {
			read_event(f, item->table, table_bits[which]);
		} else if (item->kind != TOML_BAD) {
			diag_error(f->fe->diag, item->at, TABLE_HELP, "not a table, but %s",
				toml_kind_name(item->kind));
		}
	}
}

static const char *nearest_table(struct file *f, struct span name)
{
	const char *nearest = nearest_name(name, table_names, ARRAY_SIZE(table_names));

	return nearest ? arena_printf(arena(f), "did you mean [[%s]]?", nearest) : TABLE_HELP;
}

/* Reads the entries before all headers: arrays, or keys that belong after a header. */
static void read_root(struct file *f, const struct toml_table *root)
{
	for (const struct toml_entry *e = root->entries; e; e = e->next) {
		struct span key = e->key.span;
		int i = e->is_dotted ? -1 : find_name(key, table_names, ARRAY_SIZE(table_names));
		bool is_inner = find_name(key, key_names, ARRAY_SIZE(key_names)) >= 0;

		if (i < 0) {
			diag_error(f->fe->rules, placed_location(&e->key, 0),
				is_inner ? "write [[events]] on a line before it"
					 : nearest_table(f, key),
				is_inner ? "the key '%.*s' outside of an event"
					 : "unknown key '%.*s'",
				SPAN_ARGS(key));
		} else if (f->arrays[i]) {
			diag_error(f->fe->diag, placed_location(&e->key, 0), "keep one of them",
				"the key '%s' is given twice", table_names[i]);
		} else {
			f->arrays[i] = e;
			read_array(f, e, i);
		}
	}
}

static void read_table(struct file *f, const struct toml_table *t)
{
	struct span name = t->name.span;
	int i = t->is_dotted ? -1 : find_name(name, table_names, ARRAY_SIZE(table_names));

	if (i < 0) {
		if (!t->damaged) {
			diag_error(f->fe->rules, placed_location(&t->name, 0),
				nearest_table(f, name), "unknown table '%.*s'", SPAN_ARGS(name));
		}
		return;
	}
	if (!t->is_element) {
		diag_error(f->fe->diag, t->at,
			arena_printf(arena(f), "write: [[%s]]", table_names[i]),
			"[%s] is one table, but there are many", table_names[i]);
	} else if (f->arrays[i]) {
		diag_error(f->fe->diag, t->at,
			arena_printf(arena(f), "move the table into %s = [...], or that out of it",
				table_names[i]),
			"'%s' is an array that has ended", table_names[i]);
	}
	read_event(f, t, table_bits[i]);
}

void decl_read_toml(struct front_end *fe)
{
	struct file f = { .fe = fe, .at = { fe->source, 0 }, .line = 1 };
	struct toml_document doc;
	const struct source *s = fe->source;
	size_t invalid = utf8_invalid(s->text, s->len);

	if (invalid < s->len) {
		diag_error(fe->rules, ((struct location){ s, invalid }), "save the file as UTF-8",
			"the file is not UTF-8");
	}
	toml_read(&doc, &fe->model->arena, fe->diag, fe->source);
	for (size_t i = 0; i < doc.tables.count; i++) {
		if (i == 0) {
			read_root(&f, doc.tables.items[i]);
		} else {
			read_table(&f, doc.tables.items[i]);
		}
	}
	vec_fini(&doc.tables);
}
