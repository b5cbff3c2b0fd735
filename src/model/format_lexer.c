/* SPDX-License-Identifier: MIT */
/*
 * Reads the characters of a format: string literals, their escapes, and PRI macros. Called by
 * format_parse.c, one character at a time.
 */
#include "model/format_lexer.h"

#include "base/compiler.h"

static const char macro_letters[] = "diouxX";

static const char *const macro_lengths[] = {
	"8",
	"16",
	"32",
	"64",
	"PTR",
	"MAX",
	"LEAST8",
	"LEAST16",
	"LEAST32",
	"LEAST64",
	"FAST8",
	"FAST16",
	"FAST32",
	"FAST64",
};

static const struct {
	char letter;
	char value;
} simple_escapes[] = {
	{ 'n', '\n' },
	{ 't', '\t' },
	{ '"', '"' },
	{ '\\', '\\' },
	{ '\'', '\'' },
	{ '?', '?' },
	{ 'r', '\r' },
	{ 'a', '\a' },
	{ 'b', '\b' },
	{ 'f', '\f' },
	{ 'v', '\v' },
};

static struct location place(const struct format_lexer *l, size_t offset)
{
	return (struct location){ l->in.source, offset };
}

static void fail(struct format_lexer *l)
{
	l->failed = true;
	l->unit = UNIT_END;
}

static int digit_value(int c)
{
	if (is_digit(c)) {
		return c - '0';
	}
	if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
		return (c | 0x20) - 'a' + 10;
	}
	return 16;
}

/* Reads up to `digits` digits; SCAN_END if there is none or the value exceeds a byte. */
static int read_number(struct format_lexer *l, int base, unsigned int digits)
{
	int value = 0;
	unsigned int n = 0;

	while (n < digits && value < 256 && scan_peek(&l->in) != SCAN_END &&
		digit_value(scan_peek(&l->in)) < base) {
		value = value * base + digit_value(scan_peek(&l->in));
		l->in.pos++;
		n++;
	}
	return n > 0 && value < 256 ? value : SCAN_END;
}

static int escape_value(struct format_lexer *l)
{
	int c = scan_peek(&l->in);

	if (c >= '0' && c <= '7') {
		return read_number(l, 8, 3);
	}
	if (scan_accept(&l->in, 'x')) {
		return read_number(l, 16, (unsigned int)-1);
	}
	for (size_t i = 0; i < ARRAY_SIZE(simple_escapes); i++) {
		if (scan_accept(&l->in, simple_escapes[i].letter)) {
			return simple_escapes[i].value;
		}
	}
	return SCAN_END;
}

static void read_escape(struct format_lexer *l)
{
	l->unit = escape_value(l);
	if (l->unit > 0) {
		return;
	}
	diag_error(l->diag, place(l, l->at),
		"write a backslash as \\\\; known are \\\" \\\\ \\' \\? \\a \\b \\f \\n \\r "
		"\\t \\v, octal \\101 and hexadecimal \\x41",
		l->unit == 0 ? "a NUL would end the format"
			     : "an escape that C does not know, or that is not a byte");
	fail(l);
}

/* Reads a character of a literal; false at its closing quote. */
static bool read_literal(struct format_lexer *l)
{
	int c = scan_peek(&l->in);

	l->at = l->in.pos;
	if (c == SCAN_END || c == 0) {
		diag_error(l->diag, place(l, l->quote), "add the closing '\"'",
			"the format's quote is not closed");
		fail(l);
		return true;
	}
	l->in.pos++;
	if (c == '"') {
		l->in_literal = false;
		return false;
	}
	if (c == '\\') {
		read_escape(l);
		return true;
	}
	l->unit = c;
	return true;
}

static bool macro_parse(struct format_lexer *l, struct span word)
{
	if (word.len < 5 || memcmp(word.text, "PRI", 3) != 0 ||
		!strchr(macro_letters, word.text[3])) {
		return false;
	}
	struct span length = { word.text + 4, word.len - 4 };

	for (size_t i = 0; i < ARRAY_SIZE(macro_lengths); i++) {
		if (span_equals(length, macro_lengths[i])) {
			l->letter = word.text[3];
			l->length = macro_lengths[i];
			return true;
		}
	}
	return false;
}

/* Reads the text between literals: a macro; anything else is an error. */
static void read_macro(struct format_lexer *l)
{
	struct span word = scan_word(&l->in);
	bool is_comment = word.len == 0 && scan_peek(&l->in) == '#';

	if (macro_parse(l, word)) {
		l->unit = UNIT_MACRO;
		return;
	}
	if (word.len > 3 && memcmp(word.text, "PRI", 3) == 0) {
		diag_error(l->diag, place(l, l->at),
			"known are PRId64, PRIu32, PRIxPTR and the like",
			"'%.*s' is not a macro of inttypes.h", SPAN_ARGS(word));
	} else {
		diag_error(l->diag, place(l, l->at),
			is_comment ? "put the comment on its own line"
				   : "remove it, or quote it as part of the format",
			"unexpected text after the format");
	}
	fail(l);
}

void format_lexer_next(struct format_lexer *l)
{
	while (!l->failed) {
		if (l->in_literal) {
			if (read_literal(l)) {
				return;
			}
			continue;
		}
		scan_skip_blanks(&l->in);
		l->at = l->quote = l->in.pos;
		if (scan_peek(&l->in) == SCAN_END || scan_peek(&l->in) == ',') {
			l->unit = UNIT_END;
			return;
		}
		if (scan_accept(&l->in, '"')) {
			l->in_literal = true;
			continue;
		}
		read_macro(l);
		return;
	}
}

void format_lexer_init(struct format_lexer *l, struct diag *d, const struct scan *in)
{
	*l = (struct format_lexer){ .diag = d, .in = *in };
	format_lexer_next(l);
}

/* Returns literals and macros separated by exactly one blank. */
const char *format_regular_source(struct arena *a, struct span text)
{
	char *regular = arena_alloc(a, 2 * text.len + 1);
	char *to = regular;
	bool quoted = false;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.text[i];
		bool opens = !quoted && c == '"';

		if (!quoted && is_blank((unsigned char)c)) {
			continue;
		}
		if (to > regular &&
			(opens || (!quoted && text.text[i - 1] == '"') ||
				(!quoted && is_blank((unsigned char)text.text[i - 1])))) {
			*to++ = ' ';
		}
		*to++ = c;
		if (quoted && c == '\\') {
			*to++ = text.text[++i];
			continue;
		}
		quoted ^= c == '"';
	}
	return regular;
}
