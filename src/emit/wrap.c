/* SPDX-License-Identifier: MIT */
/*
 * A line that is too long is cut into pieces wherever a break may go, and the
 * cheapest set of breaks is found backwards from its last piece. A format of
 * several literals breaks between them only when it has its lines for itself.
 */
#include "emit/wrap.h"

#include <stdbool.h>
#include <stdint.h>

#define COLUMNS 100
#define TAB 8

#define COST_EXCESS_COLUMN 1000000 /* outweighs all breaks */
#define COST_BREAK_IN_LIST 15 /* once, for any number of breaks after commas */

enum piece_kind {
	PIECE_HEAD, /* what the line begins with */
	PIECE_ASSIGNED, /* after ` = ` */
	PIECE_FIRST, /* after the bracket that opens the list */
	PIECE_NEXT, /* after a comma */
	PIECE_STRING, /* after a comma: a string literal, the first of several */
	PIECE_MORE_STRING, /* the next literal of that string */
};

/* What a break before a piece costs, as clang-format counts. */
static const unsigned int break_costs[] = {
	[PIECE_ASSIGNED] = 37,
	[PIECE_FIRST] = 55,
	[PIECE_NEXT] = 41,
	[PIECE_STRING] = 41,
	[PIECE_MORE_STRING] = 43,
};

/* More pieces than 32 arguments and their conversions make stay together. */
#define PIECES_MAX 200

struct piece {
	const char *text;
	size_t len; /* with the blank before the next piece */
	enum piece_kind kind;
	uint64_t best; /* the cheapest layout from here to the end, beginning a line */
	size_t next; /* the piece that begins the line after this one's, in that layout */
};

struct line {
	const char *text;
	size_t len;
	size_t tabs; /* before the text */
	struct piece pieces[PIECES_MAX];
	size_t count;
};

static bool starts_with(const char *text, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len >= n && memcmp(text, prefix, n) == 0;
}

/* The offset behind the string literal that begins at `i`. */
static size_t skip_string(const char *text, size_t len, size_t i)
{
	for (i++; i < len && text[i] != '"'; i++) {
		i += text[i] == '\\';
	}
	return i + 1;
}

static void add_piece(struct line *l, size_t begin, size_t end, enum piece_kind kind)
{
	if (l->count < PIECES_MAX) {
		l->pieces[l->count++] =
			(struct piece){ .text = l->text + begin, .len = end - begin, .kind = kind };
	} else {
		l->pieces[l->count - 1].len += end - begin;
	}
}

/* What begins at offset `i` at the depth of the list; PIECE_HEAD where no break may go. */
static enum piece_kind kind_at(const struct line *l, size_t i)
{
	const char *at = l->text + i;

	if (i < 2) {
		return PIECE_HEAD;
	}
	if (at[-1] == '(' || (at[-1] == ' ' && at[-2] == '{')) {
		return PIECE_FIRST;
	}
	if (at[-1] == ' ' && at[-2] == ',') {
		return *at == '"' ? PIECE_STRING : PIECE_NEXT;
	}
	return at[-1] == ' ' && *at == '"' ? PIECE_MORE_STRING : PIECE_HEAD;
}

/* Cuts the line into pieces. Only the outermost list breaks; the condition of an `if` holds it. */
static void cut(struct line *l)
{
	int list = starts_with(l->text, l->len, "if (") ? 2 : 1;
	enum piece_kind kind = PIECE_HEAD;
	size_t begin = 0;
	int depth = 0;

	l->count = 0;
	for (size_t i = 0; i < l->len;) {
		enum piece_kind here = depth == list ? kind_at(l, i) : PIECE_HEAD;

		if (depth == 0 && i > 2 && memcmp(l->text + i - 2, "= ", 2) == 0 &&
			l->text[i] != '{') {
			here = PIECE_ASSIGNED;
		}
		if (here != PIECE_HEAD && i > begin) {
			add_piece(l, begin, i, kind);
			begin = i;
			kind = here;
		}
		if (l->text[i] == '"') {
			i = skip_string(l->text, l->len, i);
			continue;
		}
		depth += l->text[i] == '(' || l->text[i] == '{';
		depth -= l->text[i] == ')' || l->text[i] == '}';
		i++;
	}
	add_piece(l, begin, l->len, kind);
}

static bool is_string(const struct piece *p)
{
	return p->kind == PIECE_STRING || p->kind == PIECE_MORE_STRING;
}

/* Whether a line may hold the pieces `first` to `last`. */
static bool may_be_line(const struct line *l, size_t first, size_t last)
{
	const struct piece *p = l->pieces;
	bool string_goes_on = last + 1 < l->count && p[last + 1].kind == PIECE_MORE_STRING;

	if (string_goes_on && !is_string(&p[first])) {
		return false;
	}
	return p[first].kind != PIECE_MORE_STRING || first == last ||
	       p[last].kind == PIECE_MORE_STRING;
}

/* What follows a line costs: the break, and the layout of the rest. */
static uint64_t cost_after(const struct line *l, size_t last)
{
	const struct piece *next = &l->pieces[last + 1];

	if (last + 1 == l->count) {
		return 0;
	}
	bool is_last_break = next->next == l->count;
	bool in_list = next->kind >= PIECE_NEXT;

	return break_costs[next->kind] + next->best +
	       (is_last_break && in_list ? COST_BREAK_IN_LIST : 0);
}

/* The cheapest layout of the pieces from `first`, which stands in column `column`. */
static void lay_out(struct line *l, size_t first, size_t column)
{
	struct piece *p = &l->pieces[first];

	p->best = UINT64_MAX;
	for (size_t i = first; i < l->count; i++) {
		size_t len = l->pieces[i].len;
		size_t end = column + len - (l->pieces[i].text[len - 1] == ' ');
		uint64_t cost = cost_after(l, i);

		if (end > COLUMNS) {
			cost += (uint64_t)(end - COLUMNS) * COST_EXCESS_COLUMN;
		}
		if (cost <= p->best && may_be_line(l, first, i)) {
			p->best = cost;
			p->next = i + 1;
		}
		column += len;
	}
}

static void write_pieces(struct out *to, const struct line *l, size_t blanks)
{
	for (size_t first = 0; first < l->count; first = l->pieces[first].next) {
		size_t end = l->pieces[first].next;
		const struct piece *last = &l->pieces[end - 1];

		if (first > 0) {
			out_char(to, '\n');
			out_bytes(to, "\t\t\t\t\t\t\t\t", l->tabs + 1);
			out_bytes(to, "    ", blanks);
		}
		for (size_t i = first; i + 1 < end; i++) {
			out_bytes(to, l->pieces[i].text, l->pieces[i].len);
		}
		out_bytes(to, last->text, last->len - (last->text[last->len - 1] == ' '));
	}
	out_char(to, '\n');
}

static void wrap_statement(struct out *to, const char *text, size_t len, size_t tabs)
{
	size_t blanks = starts_with(text, len, "if (") ? strlen("if (") : 0;
	struct line l;

	l.text = text;
	l.len = len;
	l.tabs = tabs;
	cut(&l);
	for (size_t i = l.count - 1; i > 0; i--) {
		lay_out(&l, i, (tabs + 1) * TAB + blanks);
	}
	lay_out(&l, 0, tabs * TAB);
	write_pieces(to, &l, blanks);
}

/* The offset behind the last ` | ` of a macro's body; 0 where it has none. */
static size_t last_operator(const char *body, size_t len)
{
	for (size_t i = len; i > 3; i--) {
		if (memcmp(body + i - 3, " | ", 3) == 0) {
			return i;
		}
	}
	return 0;
}

static void write_columns(struct out *to, size_t from, size_t column)
{
	for (; from < column; from++) {
		out_char(to, ' ');
	}
	out_str(to, "\\\n");
}

/* The offset of an operator's text in a macro's body; `len` where it has none. */
static size_t find_operator(const char *body, size_t len, const char *operator)
{
	const char *found = memmem(body, len, operator, strlen(operator));

	return found ? (size_t)(found - body) : len;
}

/* A row of a macro's body, from a column. */
struct row {
	const char *text;
	size_t len;
	size_t column;
};

static void write_row(struct out *to, const struct row *r)
{
	for (size_t i = 0; i < r->column / TAB; i++) {
		out_char(to, '\t');
	}
	out_printf(to, "%*s", (int)(r->column % TAB), "");
	out_bytes(to, r->text, r->len);
}

/* All rows but the last end in a backslash, below each other and below the head's. */
static void write_rows(struct out *to, size_t head, const struct row *rows, size_t count)
{
	size_t end = head + 1;

	for (size_t i = 0; i + 1 < count; i++) {
		size_t stop = rows[i].column + rows[i].len + 1;

		end = stop > end ? stop : end;
	}
	write_columns(to, head, end);
	for (size_t i = 0; i + 1 < count; i++) {
		write_row(to, &rows[i]);
		write_columns(to, rows[i].column + rows[i].len, end);
	}
	write_row(to, &rows[count - 1]);
	out_char(to, '\n');
}

/* `? function(arguments)` in one row, or cut behind its bracket; returns how many rows. */
static size_t cut_value(struct row *rows, const char *text, size_t len)
{
	const char *bracket = memchr(text, '(', len);
	size_t stop = 3 * TAB + len + strlen(" \\") > COLUMNS && bracket
			      ? (size_t)(bracket - text) + 1
			      : len;

	rows[0] = (struct row){ text, stop, 3 * TAB };
	rows[1] = (struct row){ text + stop, len - stop, 4 * TAB + strlen("? ") };
	return stop < len ? 2 : 1;
}

/*
 * `(condition ? value : other)`, which is too long for one row: two rows with the
 * operators below each other, or more where the value is too long as well.
 */
static void write_choice(struct out *to, size_t head, const char *body, size_t len)
{
	size_t value = find_operator(body, len, "? ");
	size_t other = find_operator(body, len, ": ");
	bool has_two = TAB + other - 1 + strlen(" \\") <= COLUMNS;
	struct row rows[4];
	size_t count = 0;

	rows[count++] = (struct row){ body, (has_two ? other : value) - 1, TAB };
	if (!has_two) {
		count += cut_value(&rows[count], body + value, other - value - 1);
	}
	rows[count++] = (struct row){ body + other, len - other, has_two ? TAB + value : 3 * TAB };
	write_rows(to, head, rows, count);
}

/*
 * `#define NAME() body`: the body goes to a line of its own, and what follows an
 * operator to a third. The ends of the first two then stand below each other.
 */
static void wrap_define(struct out *to, const char *text, size_t len)
{
	const char *name_end = memchr(text, ')', len);
	const char *string = memchr(text, '"', len);

	if (!name_end || (string && string < name_end)) { /* it has no parameters */
		out_bytes(to, text, len);
		out_char(to, '\n');
		return;
	}
	size_t head = (size_t)(name_end - text) + 1;
	const char *body = text + head + 1;
	size_t rest = len - head - 1;

	if (TAB + rest > COLUMNS && find_operator(body, rest, " ? ") < rest) {
		out_bytes(to, text, head);
		write_choice(to, head, body, rest);
		return;
	}
	size_t cut = TAB + rest > COLUMNS ? last_operator(body, rest) : 0;
	size_t end = head + 1 > TAB + cut || !cut ? head + 1 : TAB + cut;

	out_bytes(to, text, head);
	write_columns(to, head, end);
	out_char(to, '\t');
	if (cut) {
		out_bytes(to, body, cut);
		write_columns(to, TAB + cut, end);
		out_str(to, "\t\t");
	}
	out_bytes(to, body + cut, rest - cut);
	out_char(to, '\n');
}

/* A comment, or what ends with its line: those of Rust are behind blanks. */
static bool must_stay(const char *text, size_t len)
{
	while (len > 0 && *text == ' ') {
		text++;
		len--;
	}
	return starts_with(text, len, "/*") || starts_with(text, len, "//") ||
	       (starts_with(text, len, "#") && !starts_with(text, len, "#define "));
}

static void wrap_line(struct out *to, const char *text, size_t len)
{
	size_t tabs = 0;

	while (tabs < len && text[tabs] == '\t') {
		tabs++;
	}
	out_bytes(to, text, tabs);
	text += tabs;
	len -= tabs;
	if (tabs * TAB + len <= COLUMNS || must_stay(text, len)) {
		out_bytes(to, text, len);
		out_char(to, '\n');
	} else if (starts_with(text, len, "#define ")) {
		wrap_define(to, text, len);
	} else {
		wrap_statement(to, text, len, tabs);
	}
}

void wrap_lines(struct out *to, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;

		wrap_line(to, text, (size_t)(stop - text));
		text = stop + 1;
	}
}
