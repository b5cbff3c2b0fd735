/* SPDX-License-Identifier: MIT */
/* TOML: values that are no strings, see decl/toml.h. */
#include "decl/toml.h"

#include "base/compiler.h"

/* Deeper than any declaration, and no danger to the stack. */
#define DEPTH_MAX 16

const char *toml_kind_name(enum toml_kind kind)
{
	static const char *const names[] = {
		[TOML_BAD] = "nothing that can be read",
		[TOML_STRING] = "a string",
		[TOML_BOOLEAN] = "a boolean",
		[TOML_NUMBER] = "a number",
		[TOML_DATE] = "a date or time",
		[TOML_ARRAY] = "an array",
		[TOML_TABLE] = "a table",
	};

	return names[kind];
}

static bool is_of_word(int c)
{
	return is_word(c) || c == '+' || c == '-' || c == '.' || c == ':';
}

static bool is_date(struct span word)
{
	return memchr(word.text, ':', word.len) ||
	       (word.len >= 8 && word.text[4] == '-' && word.text[7] == '-');
}

static bool is_number(struct span word)
{
	size_t sign = word.text[0] == '+' || word.text[0] == '-';
	struct span rest = { word.text + sign, word.len - sign };

	return (rest.len > 0 && is_digit((unsigned char)rest.text[0])) ||
	       span_equals(rest, "inf") || span_equals(rest, "nan");
}

/* true, false, numbers, dates; and what lacks its quotes. */
static bool read_bare(struct toml_reader *r, struct toml_value *v)
{
	struct scan *s = &r->scan;
	size_t from = s->pos;

	while (is_of_word(scan_peek(s))) {
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
		v->kind = is_date(word) ? TOML_DATE : TOML_NUMBER;
	} else {
		return toml_fail(r, from, "write a string in quotes; booleans are true and false",
			"a value that TOML does not have");
	}
	return true;
}

/* Behind a string, from its opening quote; the end of the line where it is not closed. */
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

/* After a fault in an inline table: behind its end, or to the end of the line. */
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
		if (!toml_read_entry(r, t, &last)) {
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
		return r->depth > 1; /* in an array the next element is understood again */
	}
	return true;
}

/* A table that may have taken its comma with it. */
static bool is_damaged(const struct toml_value *v)
{
	return v->kind == TOML_TABLE && v->table->damaged;
}

static bool read_items(struct toml_reader *r, struct toml_value *v)
{
	struct scan *s = &r->scan;
	struct toml_value **last = &v->items;

	if (!toml_skip_space(r)) {
		return false;
	}
	while (!scan_accept(s, ']')) {
		struct toml_value *item = arena_new(r->arena, struct toml_value);

		*last = item;
		last = &item->next;
		if (!toml_read_value(r, item) || !toml_skip_space(r)) {
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

static bool read_array(struct toml_reader *r, struct toml_value *v)
{
	v->kind = TOML_ARRAY;
	r->scan.pos++;
	return read_items(r, v);
}

static bool read_nested(struct toml_reader *r, struct toml_value *v)
{
	if (r->depth == DEPTH_MAX) {
		return toml_fail(r, r->scan.pos, "an event has strings and a boolean only",
			"arrays and tables in more than 16 others");
	}
	r->depth++;
	bool good = scan_peek(&r->scan) == '[' ? read_array(r, v) : read_table(r, v);

	r->depth--;
	return good;
}

bool toml_read_value(struct toml_reader *r, struct toml_value *v)
{
	int c = scan_peek(&r->scan);

	v->at = scan_location(&r->scan);
	if (c == '[' || c == '{') {
		return read_nested(r, v);
	}
	bool is_quoted = c == '"' || c == '\'';
	bool good = is_quoted ? toml_read_string(r, &v->string, true) : read_bare(r, v);

	if (is_quoted && good) {
		v->kind = TOML_STRING;
	}
	return good;
}
