/* SPDX-License-Identifier: MIT */
/*
 * Reads TOML: keys, values, headers and lines, see decl/toml.h. A value may have entries and an
 * entry a value; DEPTH_MAX limits the nesting. After a fault, reading continues at the next
 * statement.
 */
#include "decl/toml.h"

#include <string.h>

/* Deeper than any declaration, but harmless for the stack. */
#define DEPTH_MAX 16

const char *toml_kind_name(enum toml_kind kind)
{
	static const char *const names[] = {
		[TOML_BAD] = "an invalid value",
		[TOML_STRING] = "a string",
		[TOML_BOOLEAN] = "a boolean",
		[TOML_NUMBER] = "a number",
		[TOML_DATE] = "a date or time",
		[TOML_ARRAY] = "an array",
		[TOML_TABLE] = "a table",
	};

	return names[kind];
}

static bool read_value(struct toml_reader *r, struct toml_value *v);

static bool is_bare(int c)
{
	return is_letter(c) || is_digit(c) || c == '-';
}

/* Returns a text without escapes: its bytes are those of the source. */
static struct placed verbatim(struct toml_reader *r, size_t from)
{
	size_t len = r->scan.pos - from;
	size_t *places = arena_array(r->arena, size_t, len + 1);

	for (size_t i = 0; i <= len; i++) {
		places[i] = from + i;
	}
	return (struct placed){ scan_since(&r->scan, from), r->scan.source, places };
}

/* Reads a bare or quoted word of a key. */
static bool read_word(struct toml_reader *r, struct placed *word)
{
	struct scan *s = &r->scan;
	size_t from = s->pos;

	if (scan_peek(s) == '"' || scan_peek(s) == '\'') {
		return toml_read_string(r, word, false);
	}
	while (is_bare(scan_peek(s))) {
		s->pos++;
	}
	*word = verbatim(r, from);
	return s->pos > from || toml_fail(r, from, "a key has letters, digits, '-' and '_' only",
					"expected a key, as in: name = \"value\"");
}

static bool read_key(struct toml_reader *r, struct placed *key, bool *is_dotted)
{
	struct scan *s = &r->scan;
	size_t from = s->pos;

	if (!read_word(r, key)) {
		return false;
	}
	struct placed word;
	size_t end = s->pos;

	for (toml_skip_blanks(r); scan_accept(s, '.'); toml_skip_blanks(r)) {
		*is_dotted = true;
		toml_skip_blanks(r);
		if (!read_word(r, &word)) {
			return false;
		}
		end = s->pos;
	}
	if (*is_dotted) {
		s->pos = end;
		*key = verbatim(r, from);
		toml_skip_blanks(r);
	}
	return true;
}

/* Reads `key = value` in a table. */
static bool read_entry(struct toml_reader *r, struct toml_table *t, struct toml_entry ***last)
{
	struct scan *s = &r->scan;
	struct toml_entry *e = arena_new(r->arena, struct toml_entry);

	e->value.at = scan_location(s);
	if (!read_key(r, &e->key, &e->is_dotted)) {
		t->damaged = true;
		return false;
	}
	**last = e;
	*last = &e->next;
	if (!scan_accept(s, '=')) {
		return toml_fail(r, s->pos, "write: key = value", "expected '=' after the key");
	}
	toml_skip_blanks(r);
	return read_value(r, &e->value);
}

static bool is_number(struct span word)
{
	size_t sign = word.text[0] == '+' || word.text[0] == '-';
	struct span rest = { word.text + sign, word.len - sign };

	return (rest.len > 0 && is_digit((unsigned char)rest.text[0])) ||
	       span_equals(rest, "inf") || span_equals(rest, "nan");
}

/* Reads true, false, numbers and dates; also reports a string without quotes. */
static bool read_bare(struct toml_reader *r, struct toml_value *v)
{
	struct scan *s = &r->scan;
	size_t from = s->pos;

	while (is_word(scan_peek(s)) || (scan_peek(s) > 0 && strchr("+-.:", scan_peek(s)))) {
		s->pos++;
	}
	struct span word = scan_since(s, from);

	if (word.len == 0) {
		return toml_fail(
			r, from, "write a string in quotes, true or false", "expected a value");
	}
	v->truth = span_equals(word, "true");
	if (v->truth || span_equals(word, "false")) {
		v->kind = TOML_BOOLEAN;
	} else if (is_number(word)) {
		bool is_date = memchr(word.text, ':', word.len) ||
			       (word.len >= 8 && word.text[4] == '-' && word.text[7] == '-');

		v->kind = is_date ? TOML_DATE : TOML_NUMBER;
	} else {
		return toml_fail(r, from, "write a string in quotes; booleans are true and false",
			"a value that TOML does not have");
	}
	return true;
}

/* Moves past a string, from its opening quote; to the end of the line if it is not closed. */
static void skip_quoted(struct scan *s)
{
	int quote = scan_peek(s);

	for (s->pos++; scan_peek(s) != SCAN_END && scan_peek(s) != '\n'; s->pos++) {
		if (scan_peek(s) == quote) {
			s->pos++;
			return;
		}
		s->pos += quote == '"' && scan_peek(s) == '\\' && s->pos + 1 < s->end;
	}
}

/* After a fault in an inline table, moves past its end, or to the end of the line. */
static void leave_table(struct scan *s)
{
	int c;

	while ((c = scan_peek(s)) != SCAN_END && c != '\n') {
		if (c == '"' || c == '\'') {
			skip_quoted(s);
			continue;
		}
		s->pos++;
		if (c == '}') {
			return;
		}
	}
}

static bool read_entries(struct toml_reader *r, struct toml_table *t)
{
	struct scan *s = &r->scan;
	struct toml_entry **last = &t->entries;

	toml_skip_blanks(r);
	if (scan_accept(s, '}')) {
		return true;
	}
	do {
		toml_skip_blanks(r);
		if (scan_peek(s) == '}') {
			return toml_fail(r, s->pos, "remove the comma",
				"a comma before the end of an inline table");
		}
		if (!read_entry(r, t, &last)) {
			return false;
		}
		toml_skip_blanks(r);
	} while (scan_accept(s, ','));
	return scan_accept(s, '}') ||
	       toml_fail(r, s->pos, "write a comma, or } to end the table on the same line",
		       "the inline table is not closed");
}

static bool read_table(struct toml_reader *r, struct toml_value *v)
{
	v->kind = TOML_TABLE;
	v->table = arena_new(r->arena, struct toml_table);
	v->table->at = scan_location(&r->scan);
	r->scan.pos++;
	if (!read_entries(r, v->table)) {
		v->table->damaged = true;
		leave_table(&r->scan);
		return r->depth > 1; /* in an array, reading can continue with the next element */
	}
	return true;
}

/* True for a table whose fault may have skipped its comma. */
static bool is_damaged(const struct toml_value *v)
{
	return v->kind == TOML_TABLE && v->table->damaged;
}

static bool read_array(struct toml_reader *r, struct toml_value *v)
{
	struct scan *s = &r->scan;
	struct toml_value **last = &v->items;

	v->kind = TOML_ARRAY;
	s->pos++;
	if (!toml_skip_space(r)) {
		return false;
	}
	while (!scan_accept(s, ']')) {
		struct toml_value *item = arena_new(r->arena, struct toml_value);

		*last = item;
		last = &item->next;
		if (!read_value(r, item) || !toml_skip_space(r)) {
			return false;
		}
		if (is_damaged(item) && scan_peek(s) == SCAN_END) {
			return false;
		}
		if (!scan_accept(s, ',') && scan_peek(s) != ']' && !is_damaged(item)) {
			return toml_fail(r, s->pos, "write a comma, or ] to end the array",
				"the array is not closed");
		}
		if (!toml_skip_space(r)) {
			return false;
		}
	}
	return true;
}

static bool read_value(struct toml_reader *r, struct toml_value *v)
{
	int c = scan_peek(&r->scan);

	v->at = scan_location(&r->scan);
	if (c == '[' || c == '{') {
		if (r->depth == DEPTH_MAX) {
			return toml_fail(r, r->scan.pos, "an event has strings and a boolean only",
				"arrays and tables are nested more than 16 deep");
		}
		r->depth++;
		bool good = scan_peek(&r->scan) == '[' ? read_array(r, v) : read_table(r, v);

		r->depth--;
		return good;
	}
	bool is_quoted = c == '"' || c == '\'';
	bool good = is_quoted ? toml_read_string(r, &v->string, true) : read_bare(r, v);

	if (is_quoted && good) {
		v->kind = TOML_STRING;
	}
	return good;
}

/* After a fault, moves to the end of the line: the next one may be valid. */
static void skip_line(struct toml_reader *r)
{
	struct scan *s = &r->scan;
	const char *from = s->source->text + s->pos;
	const char *newline = s->pos < s->end ? memchr(from, '\n', s->end - s->pos) : NULL;

	s->pos = newline ? (size_t)(newline - s->source->text) : s->end;
}

/* True at the start of a line that may be a key or a header. */
static bool begins_statement(const struct scan *s)
{
	bool begins_line = s->pos > 0 && s->source->text[s->pos - 1] == '\n';

	return begins_line && (scan_peek(s) == '[' || is_bare(scan_peek(s)));
}

/* Requires that nothing but a comment follows on the line. */
static bool end_line(struct toml_reader *r)
{
	struct scan *s = &r->scan;

	toml_skip_blanks(r);
	if (!toml_skip_comment(r)) {
		return false;
	}
	return scan_peek(s) == SCAN_END || toml_accept_newline(r) ||
	       toml_fail(r, s->pos, "begin a new line, or write # before a comment",
		       "unexpected text at the end of the line");
}

/* Reads `[name]` or `[[name]]`. */
static bool read_header(struct toml_reader *r, struct toml_table *t)
{
	struct scan *s = &r->scan;

	scan_accept(s, '[');
	t->is_element = scan_accept(s, '[');
	toml_skip_blanks(r);
	if (!read_key(r, &t->name, &t->is_dotted)) {
		return false;
	}
	if (!scan_accept(s, ']')) {
		return toml_fail(r, s->pos, "write: [[events]]", "the header is not closed");
	}
	if (t->is_element && !scan_accept(s, ']')) {
		return toml_fail(r, s->pos, "write: [[events]]", "the header lacks its second ']'");
	}
	return true;
}

static struct toml_table *add_table(struct toml_reader *r, struct toml_document *doc)
{
	struct toml_table *t = arena_new(r->arena, struct toml_table);

	t->at = scan_location(&r->scan);
	vec_push(&doc->tables, t);
	return t;
}

/* Reads a header or an entry, with the end of its line. */
static void read_line(struct toml_reader *r, struct toml_document *doc, struct toml_entry ***last)
{
	struct toml_table *t = doc->tables.items[doc->tables.count - 1];
	struct toml_entry **entry = *last;
	bool is_header = scan_peek(&r->scan) == '[';
	bool good;

	if (is_header) {
		t = add_table(r, doc);
		*last = &t->entries;
		good = read_header(r, t);
		t->damaged = !good;
	} else {
		good = read_entry(r, t, last);
	}
	if (good && end_line(r)) {
		return;
	}
	if (!good && !is_header && *entry && (*entry)->value.kind == TOML_ARRAY) {
		/*
		 * After a fault in a value of several lines, moves to the next line that begins a
		 * statement.
		 */
		struct scan *s = &r->scan;

		while (s->pos < s->end && !begins_statement(s)) {
			skip_line(r);
			scan_accept(s, '\n');
		}
	} else {
		skip_line(r);
	}
	/* A fault that skips to the end of the file may have skipped keys of the table. */
	t->damaged = t->damaged || r->scan.pos == r->scan.end;
}

void toml_read(struct toml_document *doc, struct arena *a, struct diag *d, const struct source *s)
{
	struct toml_reader r = { .arena = a, .diag = d, .scan = { s, 0, s->len } };

	*doc = (struct toml_document){ 0 };
	if (s->len >= 3 && memcmp(s->text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
		r.scan.pos = 3;
	}
	struct toml_entry **last = &add_table(&r, doc)->entries;

	while (r.scan.pos < r.scan.end) {
		if (!toml_skip_space(&r)) {
			skip_line(&r);
		} else if (r.scan.pos < r.scan.end) {
			read_line(&r, doc, &last);
		}
	}
	vec_fini(&r.text);
	vec_fini(&r.places);
}
