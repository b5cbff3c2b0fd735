/* SPDX-License-Identifier: MIT */
/*
 * The layout of long lines in generated code. The items of a line's outermost list are put below
 * each other, and a macro's body below its name. A line without either stays long.
 */
#include "emit/wrap.h"

#include <stdbool.h>

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

void wrap_lines(struct out *to, const char *text, size_t len)
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
