/* SPDX-License-Identifier: MIT */
/*
 * Lines of text. Escapes the text in place, from the end, after measuring how much of it fits, so
 * that a line needs no second buffer on the stack of a traced program.
 */
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "base/utf8.h"
#include "rt/host/line.h"

static const char cut_mark[] = "...";

void waymark_line_add(struct line *l, const char *bytes, size_t count)
{
	size_t room = l->size - l->len - 1;

	if (count > room) {
		l->cut = true;
		count = room;
	}
	memcpy(l->data + l->len, bytes, count);
	l->len += count;
	l->data[l->len] = '\0';
}

static void put_number(struct line *l, unsigned long long value, bool negative)
{
	char text[1 + DECIMAL_MAX];
	char *end = text + sizeof(text);
	char *first = decimal_before(end, value, 1);

	if (negative) {
		*--first = '-';
	}
	waymark_line_add(l, first, (size_t)(end - first));
}

/* A va_list that is a parameter cannot be passed on by its address. */
struct arguments {
	va_list ap;
};

/* Appends a signed number; `longs` is the number of `l` in its conversion. */
static void put_signed(struct line *l, struct arguments *a, unsigned int longs)
{
	long long v = longs == 0   ? va_arg(a->ap, int)
		      : longs == 1 ? va_arg(a->ap, long)
				   : va_arg(a->ap, long long);

	put_number(l, v < 0 ? 0 - (unsigned long long)v : (unsigned long long)v, v < 0);
}

static void put_unsigned(struct line *l, struct arguments *a, unsigned int longs)
{
	put_number(l,
		longs == 0   ? va_arg(a->ap, unsigned int)
		: longs == 1 ? va_arg(a->ap, unsigned long)
			     : va_arg(a->ap, unsigned long long),
		false);
}

/* Appends the conversion after a `%`; returns its end. */
static const char *put_conversion(struct line *l, const char *fmt, struct arguments *a)
{
	unsigned int longs = 0;

	for (; *fmt == 'l'; fmt++) {
		longs++;
	}
	if (*fmt == 's') {
		const char *s = va_arg(a->ap, const char *);

		waymark_line_add(l, s, strlen(s));
	} else if (*fmt == 'd') {
		put_signed(l, a, longs);
	} else if (*fmt == 'u') {
		put_unsigned(l, a, longs);
	} else {
		waymark_line_add(l, "%", 1);
		return *fmt == '%' ? fmt + 1 : fmt;
	}
	return fmt + 1;
}

void waymark_line_vput(struct line *l, const char *fmt, va_list ap)
{
	struct arguments a;

	va_copy(a.ap, ap);
	while (*fmt) {
		size_t text = strcspn(fmt, "%");

		waymark_line_add(l, fmt, text);
		fmt += text;
		if (*fmt == '%') {
			fmt = put_conversion(l, fmt + 1, &a);
		}
	}
	va_end(a.ap);
}

void waymark_line_put(struct line *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	waymark_line_vput(l, fmt, ap);
	va_end(ap);
}

/*
 * Writes a character of `n` bytes as lines show it, or if `n` is 0 a byte that is not UTF-8, to
 * `out` of ESCAPE_CODE_MAX bytes. Returns its width.
 */
static size_t show_character(const struct line *l, char *out, const char *text, size_t n)
{
	if (l->keeps_lines && *text == '\n') {
		*out = *text;
		return 1;
	}
	return escape_measured(out, text, n);
}

/*
 * Returns how many bytes of the text, in whole characters, fit into `room` when escaped; `*width`
 * gets the size of the escaped text.
 */
static size_t fitting(const struct line *l, size_t room, size_t *width)
{
	size_t used = 0;
	size_t i = 0;

	while (i < l->len) {
		char shown[ESCAPE_CODE_MAX];
		size_t n = utf8_length(l->data + i, l->len - i);

		used += show_character(l, shown, l->data + i, n);
		if (used > room) {
			break;
		}
		*width = used;
		i += n ? n : 1;
	}
	return i;
}

/* Returns the size of the last character of `len` bytes; 0 if the last byte is not UTF-8. */
static size_t last_character(const char *data, size_t len)
{
	for (size_t n = 1; n <= UTF8_MAX && n <= len; n++) {
		if (utf8_length(data + len - n, n) == n) {
			return n;
		}
	}
	return 0;
}

/*
 * Spreads the first `len` bytes of the text to `width` bytes. A search from the end finds the same
 * characters as one from the beginning, because no character contains the first byte of another.
 */
static void escape_backwards(struct line *l, size_t len, size_t width)
{
	char *data = l->data;

	while (len < width) {
		char shown[ESCAPE_CODE_MAX];
		size_t n = last_character(data, len);

		len -= n ? n : 1;
		size_t taken = show_character(l, shown, data + len, n);

		width -= taken;
		memcpy(data + width, shown, taken);
	}
}

/* True if none of the bytes is below a blank, above `~`, or a DEL; tests eight at a time. */
static bool is_plain(const char *data, size_t len)
{
	static const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t others = 0;
	size_t i = 0;

	for (; i + sizeof(others) <= len; i += sizeof(others)) {
		uint64_t word;

		memcpy(&word, data + i, sizeof(word));
		/* A byte that borrows from the next one, or carries into it, is not plain itself.
		 */
		others |= word | (word - ones * ' ') | (word + ones);
	}
	others &= ones << 7;
	for (; i < len; i++) {
		unsigned char byte = (unsigned char)data[i];

		others |= byte < ' ' || byte > '~';
	}
	return !others;
}

void waymark_line_end(struct line *l)
{
	size_t width = 0;
	size_t room = l->size - 1;

	if (LIKELY(!l->cut && l->len <= room && is_plain(l->data, l->len))) {
		l->data[l->len++] = '\n';
		return;
	}
	size_t len = fitting(l, room, &width);

	if (l->cut || len < l->len) {
		l->cut = true;
		room -= sizeof(cut_mark) - 1;
		width = 0;
		len = fitting(l, room, &width);
	}
	escape_backwards(l, len, width);
	l->len = width;
	if (l->cut) {
		memcpy(l->data + l->len, cut_mark, sizeof(cut_mark) - 1);
		l->len += sizeof(cut_mark) - 1;
	}
	l->data[l->len++] = '\n';
}
