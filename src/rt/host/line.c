/* SPDX-License-Identifier: MIT */
/*
 * Lines of text. Escaping happens in place, from the end, once it is known how
 * much of the text fits: a line costs no second buffer, because its only one
 * lies on the stack of a traced program.
 */
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "rt/host/line.h"

static const char cut_mark[] = "...";

void waymark_line_vprintf(struct line *l, const char *fmt, va_list ap)
{
	size_t room = l->size - l->len;
	int n = vsnprintf(l->data + l->len, room, fmt, ap);

	if (n < 0) {
		return;
	}
	if ((size_t)n >= room) {
		l->cut = true;
		n = (int)room - 1;
	}
	l->len += (size_t)n;
}

void waymark_line_printf(struct line *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	waymark_line_vprintf(l, fmt, ap);
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
