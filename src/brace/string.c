/* SPDX-License-Identifier: MIT */
/*
 * Strings, characters and words. Bytes that are not UTF-8 come out as U+FFFD, and as \xff in
 * {:?}: whatever a program hands over, what is printed is UTF-8.
 */
#include <string.h>

#include "base/utf8.h"
#include "brace/code.h"
#include "brace/internal.h"

/* The longest escape: \u{10ffff}. */
#define ESCAPE_ROOM 10

static const char replacement[] = "\xef\xbf\xbd";

/* Which characters {:?} escapes differs by what is quoted. */
struct quoting {
	char quote;
	bool both_quotes; /* are escaped */
	bool ascii_as_bytes; /* \x1f rather than \u{1f}, and \x00 is \0 all the same */
};

/* A character of a string, or some bytes that are none. */
struct character {
	const char *text;
	size_t bytes;
	bool valid;
};

/*
 * Bytes that could have begun a character but did not go on as one: they are one mistake
 * together, as in Rust. Tried by completing them: no character begins with others.
 */
static size_t broken_length(const char *text, size_t length)
{
	char tried[UTF8_MAX] = { text[0] };
	size_t n = 1;

	while (n < length && n < UTF8_MAX - 1) {
		tried[n] = text[n];
		memset(tried + n + 1, '\x80', sizeof(tried) - n - 1);
		if (utf8_length(tried, sizeof(tried)) <= n + 1) {
			break;
		}
		n++;
	}
	return n;
}

static struct character character_at(const char *text, size_t length)
{
	size_t n = utf8_length(text, length);

	if (n) {
		return (struct character){ text, n, true };
	}
	return (struct character){ text, broken_length(text, length), false };
}

/* Bytes of the first `limit` characters; their number goes to `count`. */
static size_t measure(const char *text, size_t length, size_t limit, size_t *count)
{
	size_t at = 0;

	*count = 0;
	while (at < length && *count < limit) {
		at += character_at(text + at, length - at).bytes;
		(*count)++;
	}
	return at;
}

/* Text as it is, or with its newlines as `\n`: not every line that comes out is then ours. */
static void put_lines(struct waymark_formatter *f, const char *text, size_t length)
{
	const char *end = f->sink->escapes_lines ? memchr(text, '\n', length) : NULL;

	for (; end; end = memchr(text, '\n', length)) {
		brace_put_text(f, text, (size_t)(end - text));
		brace_put_text(f, "\\n", 2);
		length -= (size_t)(end - text) + 1;
		text = end + 1;
	}
	brace_put_text(f, text, length);
}

void brace_put_mended(struct waymark_formatter *f, const char *text, size_t length)
{
	length = brace_worth(f, length);
	while (length) {
		size_t good = utf8_invalid(text, length);

		put_lines(f, text, good);
		text += good;
		length -= good;
		if (length) {
			size_t bad = broken_length(text, length);

			brace_put_text(f, replacement, sizeof(replacement) - 1);
			text += bad;
			length -= bad;
		}
	}
}

/* Text of {}: cut to the precision, filled to the width. '0' is without effect. */
static void put_padded(struct waymark_formatter *f, const char *text, size_t length)
{
	size_t count = 0;

	if (f->spec.precision >= 0) {
		length = measure(text, length, (size_t)f->spec.precision, &count);
	} else if (f->spec.width > 0) { /* more characters than that make no difference */
		measure(text, length, (size_t)f->spec.width, &count);
	}
	struct brace_padding p = brace_padding_of(&f->spec, count, BRACE_ALIGN_LEFT);

	brace_put_fill(f, p.before);
	brace_put_mended(f, text, length);
	brace_put_fill(f, p.after);
}

static bool is_unprintable(uint32_t code)
{
	static const uint32_t ranges[] = {
#include "brace/escapes.def"
	};
	size_t low = 0;
	size_t high = sizeof(ranges) / sizeof(ranges[0]);

	if (code >= BRACE_UNPRINTABLE_FROM) {
		return true;
	}
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (ranges[middle] >> 11 <= code) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low > 0 && code - (ranges[low - 1] >> 11) <= (ranges[low - 1] & 0x7ff);
}

static size_t hex_digits(char *out, uint32_t n, size_t least)
{
	size_t digits = 1;

	while (digits < 8 && n >> 4 * digits) {
		digits++;
	}
	digits = digits < least ? least : digits;
	for (size_t i = 0; i < digits; i++) {
		out[i] = "0123456789abcdef"[n >> 4 * (digits - 1 - i) & 15];
	}
	return digits;
}

static size_t escape_byte_text(char *out, unsigned char byte)
{
	out[0] = '\\';
	out[1] = 'x';
	return 2 + hex_digits(out + 2, byte, 2);
}

static size_t escape_code_text(char *out, uint32_t code)
{
	memcpy(out, "\\u{", 3);
	size_t n = 3 + hex_digits(out + 3, code, 1);

	out[n++] = '}';
	return n;
}

/* The letter of a short escape, or NUL. */
static char escape_letter(uint32_t code, const struct quoting *q)
{
	static const char letters[] = {
		[0] = '0', ['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r', ['\\'] = '\\'
	};

	if (code == '\'' || code == '"') {
		return q->both_quotes || code == (unsigned char)q->quote ? (char)code : '\0';
	}
	return code < sizeof(letters) ? letters[code] : '\0';
}

/* Writes the escape of a character (ESCAPE_ROOM bytes of room); 0 where it stands for itself. */
static size_t escape_of(char *out, uint32_t code, const struct quoting *q)
{
	char letter = escape_letter(code, q);

	if (letter) {
		out[0] = '\\';
		out[1] = letter;
		return 2;
	}
	if (code < 0x20 || code == 0x7f) {
		return q->ascii_as_bytes ? escape_byte_text(out, (unsigned char)code)
					 : escape_code_text(out, code);
	}
	return code >= 0x80 && is_unprintable(code) ? escape_code_text(out, code) : 0;
}

static void put_bytes_escaped(struct waymark_formatter *f, const struct character *c)
{
	for (size_t i = 0; i < c->bytes; i++) {
		char out[ESCAPE_ROOM];

		brace_put_text(f, out, escape_byte_text(out, (unsigned char)c->text[i]));
	}
}

/* Writes what needs an escape as one; false where the character stands for itself. */
static bool put_escaped(
	struct waymark_formatter *f, const struct character *c, const struct quoting *q)
{
	char out[ESCAPE_ROOM];

	if (!c->valid) {
		put_bytes_escaped(f, c);
		return true;
	}
	size_t n = escape_of(out, brace_decode(c->text, c->bytes), q);

	brace_put_text(f, out, n);
	return n != 0;
}

/* Whether a character needs no escape, wherever it stands. */
static bool is_plain(const struct character *c, const struct quoting *q)
{
	char out[ESCAPE_ROOM];

	return c->valid && escape_of(out, brace_decode(c->text, c->bytes), q) == 0;
}

/* Bytes of the characters that stand for themselves, from the first on. */
static size_t plain_length(const char *text, size_t length, const struct quoting *q)
{
	size_t at = 0;

	while (at < length) {
		struct character c = character_at(text + at, length - at);

		if (!is_plain(&c, q)) {
			break;
		}
		at += c.bytes;
	}
	return at;
}

static void put_quoted(
	struct waymark_formatter *f, const char *text, size_t length, const struct quoting *q)
{
	length = brace_worth(f, length);
	brace_put_text(f, &q->quote, 1);
	for (size_t at = 0; at < length;) {
		size_t plain = plain_length(text + at, length - at, q);

		brace_put_text(f, text + at, plain);
		at += plain;
		if (at < length) {
			struct character c = character_at(text + at, length - at);

			put_escaped(f, &c, q);
			at += c.bytes;
		}
	}
	brace_put_text(f, &q->quote, 1);
}

void brace_string_put(struct waymark_formatter *f, const struct waymark_debug *v)
{
	static const struct quoting str = { .quote = '"' };
	static const struct quoting cstr = { '"', true, true };
	const char *text = (const char *)v->as.pointer;

	if (!text) {
		put_padded(f, "(null)", 6);
	} else if (brace_is_debug(&f->spec) || v->kind == BRACE_CSTRING) {
		put_quoted(f, text, v->length, v->kind == BRACE_CSTRING ? &cstr : &str);
	} else {
		put_padded(f, text, v->length);
	}
}

void brace_char_put(struct waymark_formatter *f, const struct waymark_debug *v)
{
	static const struct quoting quoting = { .quote = '\'' };
	char text[UTF8_MAX];
	uint32_t code = v->as.u > UINT32_MAX ? UINT32_MAX : (uint32_t)v->as.u;
	size_t length = utf8_encode(text, code);

	if (brace_is_debug(&f->spec)) {
		put_quoted(f, text, length, &quoting);
	} else {
		put_padded(f, text, length);
	}
}

void brace_bool_put(struct waymark_formatter *f, const struct waymark_debug *v)
{
	const char *word = v->as.u ? "true" : "false";

	put_padded(f, word, strlen(word));
}

void brace_unit_put(struct waymark_formatter *f)
{
	put_padded(f, "()", 2);
}
