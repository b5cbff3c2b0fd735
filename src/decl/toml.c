/* SPDX-License-Identifier: MIT */
/* TOML: lines, headers and keys, see decl/toml.h. */
#include "decl/toml.h"

#include <string.h>

bool toml_fail(struct toml_reader *r, size_t at, const char *help, const char *message)
{
	diag_error(r->diag, ((struct location){ r->scan.source, at }), help, "%s", message);
	return false;
}

void toml_skip_blanks(struct toml_reader *r)
{
	while (scan_peek(&r->scan) == ' ' || scan_peek(&r->scan) == '\t') {
		r->scan.pos++;
	}
}

bool toml_accept_newline(struct toml_reader *r)
{
	struct scan *s = &r->scan;
	size_t pos = s->pos;

	scan_accept(s, '\r');
	if (scan_accept(s, '\n')) {
		return true;
	}
	s->pos = pos;
	return false;
}

static bool is_control(int c)
{
	return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f;
}

static bool skip_comment(struct toml_reader *r)
{
	struct scan *s = &r->scan;

	while (scan_accept(s, '#')) {
		while (scan_peek(s) != SCAN_END && !is_control(scan_peek(s))) {
			s->pos++;
		}
	}
	if (scan_peek(s) == SCAN_END || scan_peek(s) == '\n' ||
		(scan_peek(s) == '\r' && s->pos + 1 < s->end &&
			s->source->text[s->pos + 1] == '\n')) {
		return true;
	}
	return !is_control(scan_peek(s)) ||
	       toml_fail(r, s->pos, "remove it", "a control character");
}

bool toml_skip_space(struct toml_reader *r)
{
	do {
		toml_skip_blanks(r);
		if (!skip_comment(r)) {
			return false;
		}
	} while (toml_accept_newline(r));
	return true;
}

static bool is_bare(int c)
{
	return is_letter(c) || is_digit(c) || c == '-';
}

/* After a fault: to the end of the line, where the next one may be understood. */
static void skip_line(struct toml_reader *r)
{
	struct scan *s = &r->scan;
	const char *from = s->source->text + s->pos;
	const char *newline = s->pos < s->end ? memchr(from, '\n', s->end - s->pos) : NULL;

	s->pos = newline ? (size_t)(newline - s->source->text) : s->end;
}

/* Whether a line begins here as one with a key or a header does. */
static bool begins_statement(const struct scan *s)
{
	bool begins_line = s->pos > 0 && s->source->text[s->pos - 1] == '\n';

	return begins_line && (scan_peek(s) == '[' || is_bare(scan_peek(s)));
}

/* After a fault in what has several lines: to the next that begins a statement. */
static void skip_lines(struct toml_reader *r)
{
	struct scan *s = &r->scan;

	while (s->pos < s->end && !begins_statement(s)) {
		skip_line(r);
		scan_accept(s, '\n');
	}
}

/* Nothing but a comment may follow on the line. */
static bool end_line(struct toml_reader *r)
{
	struct scan *s = &r->scan;

	toml_skip_blanks(r);
	if (!skip_comment(r)) {
		return false;
	}
	return scan_peek(s) == SCAN_END || toml_accept_newline(r) ||
	       toml_fail(r, s->pos, "begin a new line, or write # before a comment",
		       "unexpected text behind what the line says");
}

/* The places of a text that stands in the source as it is. */
static struct placed verbatim(struct toml_reader *r, size_t from)
{
	size_t len = r->scan.pos - from;
	size_t *places = arena_array(r->arena, size_t, len + 1);

	for (size_t i = 0; i <= len; i++) {
		places[i] = from + i;
	}
	return (struct placed){ scan_since(&r->scan, from), r->scan.source, places };
}

/* A bare or quoted word of a key. */
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

bool toml_read_entry(struct toml_reader *r, struct toml_table *t, struct toml_entry ***last)
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
		return toml_fail(r, s->pos, "write: key = value", "expected '=' behind the key");
	}
	toml_skip_blanks(r);
	return toml_read_value(r, &e->value);
}

/* `[name]` or `[[name]]`. */
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

/* A header or an entry, with the end of its line. */
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
		good = toml_read_entry(r, t, last);
	}
	if (good && end_line(r)) {
		return;
	}
	if (!good && !is_header && *entry && (*entry)->value.kind == TOML_ARRAY) {
		skip_lines(r);
	} else {
		skip_line(r);
	}
	/* What a fault takes with it to the end of the file may have been its keys. */
	t->damaged = t->damaged || r->scan.pos == r->scan.end;
}

static void skip_byte_order_mark(struct scan *s)
{
	if (s->end >= 3 && memcmp(s->source->text, "\xef\xbb\xbf", 3) == 0) {
		s->pos = 3;
	}
}

void toml_read(struct toml_document *doc, struct arena *a, struct diag *d, const struct source *s)
{
	struct toml_reader r = { .arena = a, .diag = d, .scan = { s, 0, s->len } };

	*doc = (struct toml_document){ 0 };
	skip_byte_order_mark(&r.scan);
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
