/* SPDX-License-Identifier: MIT */
/*
 * Lines of text. Escaping happens in place, from the end, once it is known how
 * much of the text fits: a line costs no second buffer, because its only one
 * lies on the stack of a traced program.
 */
#include <string.h>

#include "base/escape.h"
#include "rt/host/line.h"

static const char cut_mark[] = "...";

/* Appends bytes and a NUL; what does not fit is cut off. */
static void put_bytes(struct line *l, const char *bytes, size_t count)
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
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	if (negative) {
		digits[--at] = '-';
	}
	put_bytes(l, digits + at, sizeof(digits) - at);
}

/* Where the arguments are: a va_list that is a parameter cannot be passed on by its address. */
struct arguments {
	va_list ap;
};

/* A signed number, of as many `l` as its conversion has. */
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

/* Puts the conversion behind a `%`; returns where it ends. */
static const char *put_conversion(struct line *l, const char *fmt, struct arguments *a)
{
	unsigned int longs = 0;

	for (; *fmt == 'l'; fmt++) {
		longs++;
	}
	if (*fmt == 's') {
		const char *s = va_arg(a->ap, const char *);

		put_bytes(l, s, strlen(s));
	} else if (*fmt == 'd') {
		put_signed(l, a, longs);
	} else if (*fmt == 'u') {
		put_unsigned(l, a, longs);
	} else {
		put_bytes(l, "%", 1);
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

		put_bytes(l, fmt, text);
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

/* How many bytes of the text fit into `room` once escaped; `*width` is what they take. */
static size_t fitting(const struct line *l, size_t room, size_t *width)
{
	size_t used = 0;
	size_t i = 0;

	for (; i < l->len; i++) {
		char escaped[ESCAPE_MAX];
		unsigned char c = (unsigned char)l->data[i];
		size_t n = escape_needed(c) ? escape_byte(escaped, c) : 1;

		if (used + n > room) {
			break;
		}
		used += n;
	}
	*width = used;
	return i;
}

/* A cut goes before the first byte of a UTF-8 character, not into it. */
static size_t whole_characters(const struct line *l, size_t len)
{
	while (len > 0 && ((unsigned char)l->data[len] & 0xc0) == 0x80) {
		len--;
	}
	return len;
}

/* Spreads the first `len` bytes of the text to `width` bytes. */
static void escape_backwards(char *data, size_t len, size_t width)
{
	while (len < width) {
		unsigned char c = (unsigned char)data[--len];

		if (escape_needed(c)) {
			char escaped[ESCAPE_MAX];
			size_t n = escape_byte(escaped, c);

			width -= n;
			memcpy(data + width, escaped, n);
		} else {
			data[--width] = (char)c;
		}
	}
}

void waymark_line_end(struct line *l)
{
	size_t width;
	size_t room = l->size - 1;
	size_t len = fitting(l, room, &width);

	if (l->cut || len < l->len) {
		l->cut = true;
		room -= sizeof(cut_mark) - 1;
		len = fitting(l, room, &width);
		if (len < l->len) {
			l->len = whole_characters(l, len);
			len = fitting(l, room, &width);
		}
	}
	escape_backwards(l->data, len, width);
	l->len = width;
	if (l->cut) {
		memcpy(l->data + l->len, cut_mark, sizeof(cut_mark) - 1);
		l->len += sizeof(cut_mark) - 1;
	}
	l->data[l->len++] = '\n';
}
