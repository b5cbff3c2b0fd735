/* SPDX-License-Identifier: MIT */
/*
 * Rows as a table, as CSV (RFC 4180), or as a JSON array of objects. A table is as wide as its
 * first rows need; rows after them are printed as they come, so that any number fits into memory.
 */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "cmd/sql/sql.h"
#include "text/csv.h"
#include "view/message/json.h"
#include "view/message/number.h"

/* Rows whose widths a table looks at. */
#define ROWS_SEEN 1000

/* A cell of a table: text, or a number, which is aligned right. */
struct shown {
	char *text;
	size_t width; /* characters */
	bool is_number;
};

struct table {
	int columns;
	VEC(struct shown) cells; /* row by row; the first row has the names */
	size_t *widths;
	bool has_head; /* the names were printed */
};

/* ---- Tables ---- */

/* Returns a text with its control characters escaped, but newlines; the caller frees it. */
static char *escaped(const char *text, size_t length)
{
	const char *end = text + length;
	char *copy = xcalloc(ESCAPE_MAX * length + ESCAPE_MAX * UTF8_MAX + 1, 1);
	char *out = copy;

	while (text < end) {
		if (*text == '\n') {
			*out++ = *text++;
		} else {
			out = escape_character(out, &text, (size_t)(end - text));
		}
	}
	return copy;
}

static size_t width_of(const char *text)
{
	size_t width = 0;
	size_t widest = 0;

	for (; *text; text++) {
		width = *text == '\n' ? 0 : width + ((*text & 0xC0) != 0x80);
		widest = width > widest ? width : widest;
	}
	return widest;
}

static struct shown shown_text(const char *text, size_t length, bool is_number)
{
	struct shown s = { .text = escaped(text, length), .is_number = is_number };

	s.width = width_of(s.text);
	return s;
}

static struct shown shown_blob(const unsigned char *bytes, int count)
{
	static const char digits[] = "0123456789abcdef";
	struct shown s = { .text = xcalloc(2 * (size_t)count + 4, 1) };
	char *out = s.text;

	memcpy(out, "x'", 2);
	for (int i = 0; i < count; i++) {
		out[2 + 2 * i] = digits[bytes[i] >> 4];
		out[3 + 2 * i] = digits[bytes[i] & 15];
	}
	out[2 + 2 * count] = '\'';
	s.width = 2 * (size_t)count + 3;
	return s;
}

static struct shown shown_cell(sqlite3_stmt *statement, int i)
{
	int type = sqlite3_column_type(statement, i);

	if (type == SQLITE_BLOB) {
		return shown_blob(
			sqlite3_column_blob(statement, i), sqlite3_column_bytes(statement, i));
	}
	const char *text = (const char *)sqlite3_column_text(statement, i);

	return shown_text(text ? text : "", (size_t)sqlite3_column_bytes(statement, i),
		type == SQLITE_INTEGER || type == SQLITE_FLOAT);
}

static void add_row(struct table *t, sqlite3_stmt *statement)
{
	for (int i = 0; i < t->columns; i++) {
		vec_push(&t->cells, shown_cell(statement, i));
	}
}

static void pad(struct out *out, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		out_char(out, ' ');
	}
}

/* Puts one line of a cell, which moves on to its next line. The last column is not padded. */
static void put_line(
	struct out *out, struct shown *s, const char **text, size_t width, bool is_last)
{
	size_t length = strcspn(*text, "\n");
	size_t blanks = width > s->width ? width - s->width : 0;

	pad(out, s->is_number ? blanks : 0);
	out_bytes(out, *text, length);
	if (!is_last && !s->is_number) {
		size_t characters = 0;

		for (size_t i = 0; i < length; i++) {
			characters += ((*text)[i] & 0xC0) != 0x80;
		}
		pad(out, width > characters ? width - characters : 0);
	}
	out_str(out, is_last ? "\n" : "  ");
	*text += length + ((*text)[length] == '\n');
}

/* Puts a row, in as many lines as its longest cell has; frees the cells. */
static void put_row(struct table *t, struct out *out, struct shown *cells)
{
	const char **rest = xcalloc((size_t)t->columns, sizeof(*rest));
	bool has_more = true;

	for (int i = 0; i < t->columns; i++) {
		rest[i] = cells[i].text;
	}
	while (has_more) {
		has_more = false;
		for (int i = 0; i < t->columns; i++) {
			put_line(out, &cells[i], &rest[i], t->widths[i], i + 1 == t->columns);
			has_more |= *rest[i] != '\0';
		}
	}
	for (int i = 0; i < t->columns; i++) {
		free(cells[i].text);
	}
	free(rest);
}

static void put_rule(const struct table *t, struct out *out)
{
	for (int i = 0; i < t->columns; i++) {
		for (size_t n = 0; n < t->widths[i]; n++) {
			out_char(out, '-');
		}
		out_str(out, i + 1 == t->columns ? "\n" : "  ");
	}
}

/* Puts the kept rows; the first one has the names, with a line below. */
static void put_rows(struct table *t, struct out *out)
{
	size_t columns = (size_t)t->columns;

	for (size_t i = 0; i < t->cells.count; i++) {
		size_t *width = &t->widths[i % columns];

		*width = t->cells.items[i].width > *width ? t->cells.items[i].width : *width;
		if (i >= columns && t->cells.items[i].is_number) {
			t->cells.items[i % columns].is_number = true; /* aligns the name as well */
		}
	}
	for (size_t i = 0; i < t->cells.count; i += columns) {
		put_row(t, out, &t->cells.items[i]);
		if (!t->has_head) {
			t->has_head = true;
			put_rule(t, out);
		}
	}
	t->cells.count = 0;
}

static int answer_table(struct asking *a, sqlite3_stmt *statement)
{
	struct table t = { .columns = sqlite3_column_count(statement) };
	struct out *out = &a->session->out;
	size_t rows = 0;
	int result;

	t.widths = xcalloc((size_t)t.columns, sizeof(*t.widths));
	for (int i = 0; i < t.columns; i++) {
		const char *name = sqlite3_column_name(statement, i);

		vec_push(&t.cells, shown_text(name, strlen(name), false));
	}
	while ((result = sqlite3_step(statement)) == SQLITE_ROW && session_wanted(a->session)) {
		add_row(&t, statement);
		if (++rows >= ROWS_SEEN) {
			put_rows(&t, out);
		}
	}
	if (rows < ROWS_SEEN && (rows > 0 || result == SQLITE_DONE)) {
		put_rows(&t, out);
	}
	vec_foreach (struct shown *, s, &t.cells) {
		free(s->text);
	}
	vec_fini(&t.cells);
	free(t.widths);
	return result;
}

/* ---- CSV ---- */

static int answer_csv(struct asking *a, sqlite3_stmt *statement)
{
	struct out *out = &a->session->out;
	int columns = sqlite3_column_count(statement);
	int result;

	for (int i = 0; i < columns; i++) {
		const char *name = sqlite3_column_name(statement, i);

		csv_put(out, name, strlen(name));
		out_str(out, i + 1 == columns ? "\r\n" : ",");
	}
	while ((result = sqlite3_step(statement)) == SQLITE_ROW && session_wanted(a->session)) {
		for (int i = 0; i < columns; i++) {
			const char *text = (const char *)sqlite3_column_text(statement, i);

			csv_put(out, text ? text : "", (size_t)sqlite3_column_bytes(statement, i));
			out_str(out, i + 1 == columns ? "\r\n" : ",");
		}
	}
	return result;
}

/* ---- JSON ---- */

static void put_json_cell(struct out *out, sqlite3_stmt *statement, int i)
{
	double number = sqlite3_column_double(statement, i);
	char text[NUMBER_ROOM];

	switch (sqlite3_column_type(statement, i)) {
	case SQLITE_INTEGER:
		out_str(out, (const char *)sqlite3_column_text(statement, i));
		break;
	case SQLITE_FLOAT:
		*number_real(text, number) = '\0';
		out_str(out, isfinite(number) ? text : "null");
		break;
	case SQLITE_TEXT:
		json_out_text(out, (const char *)sqlite3_column_text(statement, i),
			(size_t)sqlite3_column_bytes(statement, i));
		break;
	case SQLITE_BLOB: {
		struct shown s = shown_cell(statement, i);

		json_out_text(out, s.text + 2, strlen(s.text) - 3);
		free(s.text);
		break;
	}
	default:
		out_str(out, "null");
	}
}

static int answer_json(struct asking *a, sqlite3_stmt *statement)
{
	struct out *out = &a->session->out;
	int columns = sqlite3_column_count(statement);
	const char *between = "[";
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW && session_wanted(a->session)) {
		out_str(out, between);
		for (int i = 0; i < columns; i++) {
			out_char(out, i == 0 ? '{' : ',');
			json_out_string(out, sqlite3_column_name(statement, i));
			out_char(out, ':');
			put_json_cell(out, statement, i);
		}
		out_char(out, '}');
		between = ",\n";
	}
	out_str(out, *between == '[' ? "[]\n" : "]\n");
	return result;
}

int answer(struct asking *a, sqlite3_stmt *statement)
{
	static int (*const styles[])(struct asking *, sqlite3_stmt *) = {
		[ANSWER_TABLE] = answer_table,
		[ANSWER_CSV] = answer_csv,
		[ANSWER_JSON] = answer_json,
	};

	return sqlite3_column_count(statement) > 0 ? styles[a->style](a, statement)
						   : sqlite3_step(statement);
}
