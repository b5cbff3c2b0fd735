/* SPDX-License-Identifier: MIT */
/*
 * Tokens of CTF metadata. Each is read from `pos`, which only moves forward; newlines on the way
 * are counted. Called by parser.c, event.c and metadata.c. Strings are unescaped only on demand.
 */
#include "read/ctf/scan.h"

#include <stdlib.h>

#include "format/ctf.h"

void ctf_scan_init(struct ctf_scan *s, const char *text, size_t size, unsigned int line)
{
	*s = (struct ctf_scan){ .pos = text, .end = text + size, .line = line };
}

static size_t left(const struct ctf_scan *s)
{
	return (size_t)(s->end - s->pos);
}

static bool begins_with(const struct ctf_scan *s, const char *text)
{
	size_t length = strlen(text);

	return left(s) >= length && memcmp(s->pos, text, length) == 0;
}

/* Moves to `to`, counting the lines on the way. */
static void move(struct ctf_scan *s, const char *to)
{
	for (; s->pos < to; s->pos++) {
		s->line += *s->pos == '\n';
	}
}

/* Keeps the text of the current comment if it begins with `begin`; returns whether it does. */
static bool keep_declaration(struct ctf_scan *s, const char *end, const char *begin)
{
	const char *text = s->pos + strlen(begin);

	if (!begins_with(s, begin)) {
		return false;
	}
	s->declaration = (struct span){ text, text < end ? (size_t)(end - text) : 0 };
	return true;
}

/* Skips a comment; false if it does not end. */
static bool skip_comment(struct ctf_scan *s)
{
	const char *end = memmem(s->pos + 2, left(s) - 2, "*/", 2);

	if (!end) {
		return false;
	}
	if (keep_declaration(s, end, CTF_DECLARATION)) {
		s->declaration_is_toml = false;
	} else if (keep_declaration(s, end, CTF_DECLARATION_TOML)) {
		s->declaration_is_toml = true;
	}
	move(s, end + 2);
	return true;
}

/* Skips blanks and comments; false if a comment does not end. */
static bool skip(struct ctf_scan *s)
{
	while (s->pos < s->end) {
		if (*s->pos == '\n' || *s->pos == '\r' || is_blank(*s->pos)) {
			move(s, s->pos + 1);
		} else if (begins_with(s, "//")) {
			const char *newline = memchr(s->pos, '\n', left(s));

			s->pos = newline ? newline : s->end;
		} else if (!begins_with(s, "/*")) {
			return true;
		} else if (!skip_comment(s)) {
			return false;
		}
	}
	return true;
}

static int take_word(struct ctf_scan *s)
{
	const char *begin = s->pos;

	while (s->pos < s->end && (is_word((unsigned char)*s->pos) || *s->pos == '.')) {
		s->pos++;
	}
	s->text = (struct span){ begin, (size_t)(s->pos - begin) };
	return CTF_TOKEN_WORD;
}

static int take(struct ctf_scan *s)
{
	int c = (unsigned char)*s->pos;

	if (is_digit(c) || (c == '-' && left(s) > 1 && is_digit(s->pos[1]))) {
		char digits[32] = "";
		bool negative = *s->pos == '-';

		s->pos += negative;
		take_word(s);
		memcpy(digits, s->text.text,
			s->text.len < sizeof(digits) ? s->text.len : sizeof(digits) - 1);
		s->number = strtoull(digits, NULL, 0);
		s->number = negative ? 0 - s->number : s->number;
		return CTF_TOKEN_NUMBER;
	}
	if (is_word(c)) {
		return take_word(s);
	}
	if (c == '"') {
		const char *p = s->pos + 1;

		while (p < s->end && *p != '"') {
			p += *p == '\\' ? 2 : 1;
		}
		if (p >= s->end) {
			return CTF_TOKEN_CUT;
		}
		s->text = (struct span){ s->pos + 1, (size_t)(p - s->pos - 1) };
		move(s, p + 1);
		return CTF_TOKEN_STRING;
	}
	if (begins_with(s, ":=")) {
		s->pos += 2;
		return CTF_TOKEN_ASSIGN;
	}
	s->pos++;
	return c;
}

int ctf_scan_next(struct ctf_scan *s)
{
	bool whole = skip(s);

	s->token_line = s->line;
	s->text = (struct span){ s->pos, 0 };
	if (!whole) {
		s->token = CTF_TOKEN_CUT;
	} else {
		s->token = s->pos == s->end ? CTF_TOKEN_END : take(s);
	}
	return s->token;
}

bool ctf_scan_accept(struct ctf_scan *s, int token)
{
	struct ctf_scan before = *s;

	if (ctf_scan_next(s) == token) {
		return true;
	}
	*s = before;
	return false;
}

/* Returns the value of \xHH or \OOO at `p`, after the backslash; moves `p`. */
static int take_code(const char **p, const char *end)
{
	int base = **p == 'x' ? 16 : 8;
	const char *last = *p + 3 < end ? *p + 3 : end;
	int value = 0;

	*p += base == 16;
	while (*p < last && hex_digit(**p) >= 0 && hex_digit(**p) < base) {
		value = value * base + hex_digit(**p);
		(*p)++;
	}
	return value & 0xff;
}

char *ctf_scan_string(struct arena *a, struct span text)
{
	static const char codes[] = "abfnrtv";
	static const char values[] = "\a\b\f\n\r\t\v";
	char *copy = arena_alloc(a, text.len + 1);
	char *out = copy;
	const char *end = text.text + text.len;

	for (const char *p = text.text; p < end;) {
		if (*p != '\\' || p + 1 == end) {
			*out++ = *p++;
			continue;
		}
		const char *code = strchr(codes, *++p);

		if (*p == 'x' || (*p >= '0' && *p <= '7')) {
			*out++ = (char)take_code(&p, end);
		} else {
			*out++ = code && *code ? values[code - codes] : *p;
			p++;
		}
	}
	return copy;
}

bool ctf_scan_skip(struct ctf_scan *s)
{
	int depth = 0;

	for (;;) {
		int token = ctf_scan_next(s);

		if (token == CTF_TOKEN_END || token == CTF_TOKEN_CUT) {
			return false;
		}
		depth += (token == '{') - (token == '}');
		if (token == ';' && depth <= 0) {
			return true;
		}
	}
}
