/* SPDX-License-Identifier: MIT */
/*
 * The table of formats, the checks of a model against formats and backends, and emit(), which
 * tracetool calls for each generated file.
 */
#include "emit/emit.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/compiler.h"
#include "base/glob.h"
#include "model/name.h"
#include "text/out.h"

/* ---- Long lines of generated code ---- */

/*
 * Emitters write a statement on one line, however many arguments it has. The items of a long line's
 * outermost list are put below each other, and a macro's body below its name. A line without either
 * stays long.
 */

#define COLUMNS 100
#define TAB 8

struct statement {
	const char *text; /* the line after its tabs */
	size_t len;
	size_t tabs;
	size_t blanks; /* blanks before each item, after the tabs */
};

static bool starts_with(const struct statement *s, const char *prefix)
{
	return s->len >= strlen(prefix) && memcmp(s->text, prefix, strlen(prefix)) == 0;
}

/* Returns the offset after the string literal that begins at `i`. */
static size_t skip_string(const struct statement *s, size_t i)
{
	for (i++; i < s->len && s->text[i] != '"'; i++) {
		i += s->text[i] == '\\';
	}
	return i + 1;
}

/* Returns the offset of the first item of the list to break; the length if there is no list. */
static size_t find_list(const struct statement *s)
{
	for (size_t i = s->blanks; i + 1 < s->len && s->text[i] != '"'; i++) {
		if (s->text[i] == '(' && s->text[i + 1] != ')') {
			return i + 1;
		}
		if (s->text[i] == '{') {
			return i + strlen("{ ");
		}
	}
	return s->len;
}

/*
 * Returns the offset after the comma of the item at `i`; the length for the last or an empty item.
 */
static size_t find_item_end(const struct statement *s, size_t i)
{
	int depth = 0;

	while (i < s->len && depth >= 0) {
		char ch = s->text[i];

		if (ch == ',' && depth == 0) {
			return s->text[i + 2] == ')' ? s->len : i + 1;
		}
		depth += ch == '(' || ch == '{';
		depth -= ch == ')' || ch == '}';
		i = ch == '"' ? skip_string(s, i) : i + 1;
	}
	return s->len;
}

/*
 * Returns the offset of the next string literal of an item that has several, else the item's end.
 */
static size_t find_literal(const struct statement *s, size_t i, size_t end)
{
	i = s->text[i] == '"' ? skip_string(s, i) : i + 1;
	while (i < end && !(s->text[i] == '"' && s->text[i - 1] == ' ')) {
		i++;
	}
	return i < end ? i : end;
}

/*
 * Writes an item on its own line; a format of several literals gets more lines if it is too long.
 */
static void write_item(struct out *to, const struct statement *s, size_t from, size_t end)
{
	size_t column = 0;

	for (size_t i = from; i < end;) {
		size_t next = find_literal(s, i, end);
		size_t len = next - i - (next < end); /* excludes the blank before a literal */

		if (i == from || column + 1 + len > COLUMNS) {
			out_char(to, '\n');
			out_bytes(to, "\t\t\t\t\t\t\t\t", s->tabs + 1);
			out_bytes(to, "    ", s->blanks);
			column = (s->tabs + 1) * TAB + s->blanks;
		} else {
			out_char(to, ' ');
			column++;
		}
		out_bytes(to, s->text + i, len);
		column += len;
		i = next;
	}
}

/* True for a directive or a comment, also one of Rust after blanks, which must not be broken. */
static bool must_stay(const struct statement *s)
{
	size_t blanks = strspn(s->text, " ");
	const struct statement rest = { .text = s->text + blanks, .len = s->len - blanks };

	return starts_with(&rest, "/*") || starts_with(&rest, "//") || starts_with(&rest, "*") ||
	       (starts_with(&rest, "#") && !starts_with(&rest, "#define "));
}

/* A macro that has several lines already stays as it is. */
static void wrap_line(struct out *to, const char *text, size_t len, bool is_in_macro)
{
	struct statement s = { .text = text, .len = len };

	while (s.tabs < len && text[s.tabs] == '\t') {
		s.tabs++;
	}
	s.text += s.tabs;
	s.len -= s.tabs;
	s.blanks = starts_with(&s, "if (") ? strlen("if (") : 0;
	out_bytes(to, text, s.tabs);
	if (s.tabs * TAB + s.len <= COLUMNS || is_in_macro || must_stay(&s)) {
		out_bytes(to, s.text, s.len);
	} else if (starts_with(&s, "#define ")) {
		/* `#define NAME(parameters) body` */
		size_t name = strlen("#define ");
		const char *blank = memchr(s.text + name, ' ', s.len - name);
		size_t body = blank ? (size_t)(blank - s.text) + 1 : s.len;

		out_bytes(to, s.text, body);
		out_str(to, blank ? "\\\n\t" : "");
		out_bytes(to, s.text + body, s.len - body);
	} else {
		size_t list = find_list(&s);
		bool is_brace =
			list < s.len && s.text[list - 1] == ' '; /* it keeps its first item */
		size_t head = is_brace ? find_item_end(&s, list) : list;
		size_t end;

		out_bytes(to, s.text, head);
		for (size_t i = head + is_brace; i < s.len; i = end + 1) {
			end = find_item_end(&s, i);
			write_item(to, &s, i, end);
		}
	}
	out_char(to, '\n');
}

/*
 * Writes the `len` bytes at `text`, whole lines, to `to`. In a line of more than 100 columns, each
 * item of its outermost list, or a macro's body, gets its own line.
 */
static void wrap_lines(struct out *to, const char *text, size_t len)
{
	const char *end = text + len;
	bool is_in_macro = false;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;

		bool goes_on = stop > text && stop[-1] == '\\';

		wrap_line(to, text, (size_t)(stop - text), is_in_macro || goes_on);
		is_in_macro = goes_on;
		text = stop + 1;
	}
}

const struct emit_format emit_formats[] = {
#define EMIT_FORMAT(id, name, help) { name, help, emit_format_##id },
#include "emit/formats.def"
#undef EMIT_FORMAT
	{ NULL, NULL, NULL },
};

const struct emit_format *emit_find_format(const char *name)
{
	for (const struct emit_format *f = emit_formats; f->name; f++) {
		if (strcmp(f->name, name) == 0) {
			return f;
		}
	}
	return NULL;
}

bool emit_group_is_valid(const char *group)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789_-.";

	return *group && group[strspn(group, allowed)] == '\0';
}

/* The characters of an identifier of C. */
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

bool emit_provider_is_valid(const char *provider)
{
	return *provider && provider[strspn(provider, letters)] == '\0' &&
	       !strchr("0123456789", *provider);
}

/*
 * Returns the place after a word at the start of the text and its blanks; the text if it starts
 * otherwise.
 */
static const char *skip_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	return strncmp(text, word, len) == 0 ? text + len + strspn(text + len, " \t") : text;
}

const char *emit_vcpu_tag(struct arena *a, const char *type)
{
	const char *tag = type ? type + strspn(type, " \t") : "CPUState";

	tag = skip_word(skip_word(tag, "struct "), "struct\t");
	size_t len = strspn(tag, letters);
	const char *end = tag + len + strspn(tag + len, " \t");
	const char *name = arena_strndup(a, tag, len);
	bool is_name = len > 0 && !strchr("0123456789", *tag) && name_is_free(name);

	return is_name && !*skip_word(end, "*") ? name : NULL;
}

#define SDT MACRO_SDT
#define LTTNG MACRO_LTTNG
#define BOTH (SDT | LTTNG)

static const struct {
	unsigned int places; /* of enum macro_place */
	const char *header;
	const char *const *names; /* patterns; the last is NULL */
} headers[] = {
#define MACROS(where, header, ...) { where, header, (const char *const[]){ __VA_ARGS__, NULL } },
#include "emit/macros.def"
#undef MACROS
};

/* Returns the header that reserves `name` for a macro in one of these places; NULL if none does. */
static const char *macro_header(const char *name, unsigned int places)
{
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		const char *const *pattern = headers[i].names;

		while (*pattern && !glob_match(*pattern, name)) {
			pattern++;
		}
		if (*pattern && headers[i].places & places) {
			return headers[i].header;
		}
	}
	return NULL;
}

/* Reports, once, if the name at `at` is a macro for some backend of this run. */
static bool check_macro(const struct emit_context *c, const char *name, const char *help,
	struct location at, struct diag *d)
{
	chosen_foreach (c, NULL, row) {
		const char *header = macro_header(name, row->backend->macros);

		if (header) {
			diag_error(d, at, help,
				"<%s>, which the backend %s includes, reserves '%s' for a macro",
				header, row->name, name);
			return false;
		}
	}
	return true;
}

void emit_check_words(const struct emit_context *c, struct diag *d)
{
	vec_foreach (struct event **, e, &c->model->events) {
		chosen_foreach (c, NULL, row) {
			size_t max = row->backend->max_args;

			if (max && emit_words(*e) > max && !((*e)->properties & EVENT_DISABLE)) {
				diag_error(d, (*e)->at, "take some out, or declare two events",
					"'%s' has %zu arguments, but the backend %s takes %zu at most",
					(*e)->name, emit_words(*e), row->name, max);
			}
		}
	}
}

bool emit_check(const struct emit_context *c, struct diag *d)
{
	struct location nowhere = { 0 };
	bool good = check_macro(c, c->provider, "give another name with --provider=", nowhere, d);

	vec_foreach (struct event **, e, &c->model->events) {
		if (!((*e)->properties & EVENT_DISABLE)) {
			good = check_macro(c, (*e)->name, "choose another name", (*e)->at, d) &&
			       good;
			chosen_foreach (c, NULL, row) {
				good = (!row->backend->check || row->backend->check(c, *e, d)) &&
				       good;
			}
		}
	}
	return good;
}

/* QEMU has DEF_HELPER_FLAGS_n() up to 7 since 5.0, up to 5 in 2.8. */
#define HELPER_ARGS_MAX 7

#define OF(class) (1u << (class))

/* Types that a format cannot express, and the rest of the error's sentence. */
static const struct {
	const char *format;
	unsigned int classes; /* of OF(enum type_class) */
	bool no_wide; /* also refuses numbers of 128 bits */
	bool no_disabled; /* refuses them even in events that are off */
	const char *why;
} refused[] = {
	{ "rs", OF(TYPE_TEXT) | OF(TYPE_BYTES) | OF(TYPE_DEBUG), true, true,
		"a module of Rust cannot pass to C" },
	{ "simpletrace-stap", OF(TYPE_TEXT) | OF(TYPE_BYTES) | OF(TYPE_DEBUG), false, false,
		"SystemTap cannot write as simpletrace records it" },
};

/* Reports, once for an event, the first argument that the format cannot express. */
static void check_types(const struct event *e, size_t row, struct diag *d)
{
	if (e->properties & EVENT_DISABLE && !refused[row].no_disabled) {
		return;
	}
	for (size_t i = 0; i < e->arg_count; i++) {
		const struct arg *a = &e->args[i];
		bool is_wide = refused[row].no_wide && type_is_pair(&a->type);

		if (is_wide || refused[row].classes & OF(a->type.class)) {
			diag_error(d, a->at, "declare another type, or generate from other files",
				"'%s' has an argument of type '%s', which %s", e->name,
				a->type.text, refused[row].why);
			return;
		}
	}
}

bool emit_check_format(
	const struct emit_format *format, const struct emit_context *c, struct diag *d)
{
	unsigned int errors = d->errors;

	vec_foreach (struct event **, e, &c->model->events) {
		if (strncmp(format->name, "tcg-", strlen("tcg-")) == 0) {
			if ((*e)->trans && event_is_on(c, *e) &&
				(*e)->arg_count > HELPER_ARGS_MAX) {
				diag_error(d, (*e)->at, "take some out, or declare two events",
					"'%s' has %zu arguments, but a helper of QEMU takes %d at most",
					(*e)->name, (*e)->arg_count, HELPER_ARGS_MAX);
			}
		}
		/* A scope is two events, and only generated C has the code that connects them. */
		if (strcmp(format->name, "rs") == 0 && (*e)->properties & EVENT_SCOPE) {
			diag_error(d, (*e)->at,
				"leave scopes to C: generate from files without [[scopes]]",
				"'%s' is a scope, which a module of Rust cannot begin", (*e)->name);
		}
		/*
		 * Event names become words of the script language, while probes' names are strings.
		 */
		if (strstr(format->name, "stap") && event_is_on(c, *e) &&
			isdigit((unsigned char)*(*e)->name)) {
			diag_error(d, (*e)->at, "rename it, or declare it disable",
				"'%s' begins with a digit, which no name of SystemTap does",
				(*e)->name);
		}
		for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
			if (strcmp(refused[i].format, format->name) == 0) {
				check_types(*e, i, d);
			}
		}
	}
	return d->errors == errors;
}

/* Emitters write lines of any length. Wrapping needs no knowledge of events. */
void emit(const struct emit_format *format, struct emit_context *c)
{
	struct out *to = c->out;
	struct out lines;

	arena_init(&c->texts);
	out_init(&c->scratch, OUT_TO_MEMORY);
	out_init(&lines, OUT_TO_MEMORY);
	c->out = &lines;
	format->emit(c);
	c->out = to;
	wrap_lines(to, lines.data, lines.len);
	out_fini(&lines);
	out_fini(&c->scratch);
	arena_fini(&c->texts);
}
