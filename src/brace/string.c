/* SPDX-License-Identifier: MIT */
/*
 * Renders strings, characters and bools. Bytes that are not UTF-8 become U+FFFD, in {:?} \xff: the
 * output is UTF-8, whatever bytes a program passes.
 */
#include <string.h>

#include "base/compiler.h"
#include "brace/internal.h"

/* The longest escape: \u{10ffff}. */
#define ESCAPE_ROOM 10

static const char replacement[] = "\xef\xbf\xbd";

/* The rules of {:?} for one type: the characters that are escaped, and the form of the escapes. */
struct quoting {
	char quote;
	bool both_quotes; /* escape both kinds of quotes */
	bool ascii_as_bytes; /* \x1f instead of \u{1f}; \0 in either case */
};

/* A character of a string, or bytes that are none. */
struct character {
	const char *text;
	size_t bytes;
	bool valid;
};

/*
 * Returns the length of a broken character: bytes that begin a character but do not complete it are
 * replaced together, as in Rust. Finds it by completing the bytes with valid ones.
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

/* Returns the bytes of the first `limit` characters; sets `count` to their number. */
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

/* Writes text unchanged or, if the sink escapes lines, with newlines as `\n`. */
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

/* Writes a text of {}: cut to the precision, padded to the width. '0' has no effect. */
static void put_padded(struct waymark_formatter *f, const char *text, size_t length)
{
	size_t count = 0;

	if (f->spec.precision >= 0) {
		length = measure(text, length, (size_t)f->spec.precision, &count);
	} else if (f->spec.width > 0) { /* with that many characters or more, there is no padding */
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
	size_t high = ARRAY_SIZE(ranges);

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

/* Writes the escape of a character into ESCAPE_ROOM bytes; returns 0 if it needs none. */
static size_t escape_of(char *out, uint32_t code, const struct quoting *q)
{
	static const char letters[] = {
		[0] = '0', ['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r', ['\\'] = '\\'
	};
	char letter = code < sizeof(letters) ? letters[code] : '\0';

	if ((code == '\'' || code == '"') && (q->both_quotes || code == (unsigned char)q->quote)) {
		letter = (char)code;
	}
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

static void put_quoted(
	struct waymark_formatter *f, const char *text, size_t length, const struct quoting *q)
{
	size_t plain = 0; /* bytes before `at` that need no escape and were not written yet */
	size_t at = 0;

	length = brace_worth(f, length);
	brace_put_text(f, &q->quote, 1);
	while (at < length) {
		struct character c = character_at(text + at, length - at);
		char out[ESCAPE_ROOM];
		size_t n = c.valid ? escape_of(out, utf8_decode(c.text, c.bytes), q) : 0;

		at += c.bytes;
		if (c.valid && n == 0) {
			plain += c.bytes;
			continue;
		}
		brace_put_text(f, c.text - plain, plain);
		plain = 0;
		brace_put_text(f, out, n);
		for (size_t i = 0; !c.valid && i < c.bytes; i++) {
			n = escape_byte_text(out, (unsigned char)c.text[i]);
			brace_put_text(f, out, n);
		}
	}
	brace_put_text(f, text + at - plain, plain);
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
