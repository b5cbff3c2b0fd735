/* SPDX-License-Identifier: MIT */
/*
 * Width, fill and alignment; also builds numbers from sign, prefix, zeros and digits. Calls only
 * sink.c.
 */
#include <string.h>

#include "brace/internal.h"

struct brace_padding brace_padding_of(
	const struct brace_spec *spec, size_t length, enum brace_align usual)
{
	struct brace_padding p = { 0, 0 };
	enum brace_align align = spec->align == BRACE_ALIGN_DEFAULT ? usual : spec->align;

	if (spec->width < 0 || (size_t)spec->width <= length) {
		return p;
	}
	size_t room = (size_t)spec->width - length;

	p.before = align == BRACE_ALIGN_LEFT ? 0 : align == BRACE_ALIGN_RIGHT ? room : room / 2;
	p.after = room - p.before;
	return p;
}

/* Writes the same character `n` times. */
static void put_repeated(struct waymark_formatter *f, const char *character, size_t bytes, size_t n)
{
	char block[64];
	size_t per_block = sizeof(block) / bytes;

	for (size_t i = 0; i < per_block && i < n; i++) {
		memcpy(block + i * bytes, character, bytes);
	}
	while (n) {
		size_t now = n < per_block ? n : per_block;

		brace_put_text(f, block, now * bytes);
		n -= now;
	}
}

void brace_put_fill(struct waymark_formatter *f, size_t n)
{
	char fill[UTF8_MAX];

	if (n) {
		put_repeated(f, fill, utf8_encode(fill, f->spec.fill), n);
	}
}

void brace_number_sign(struct brace_number *n, const struct brace_spec *spec, bool negative)
{
	n->lead_length = 0;
	n->count = 0;
	if (negative || spec->plus) {
		n->lead[n->lead_length++] = negative ? '-' : '+';
	}
}

void brace_number_add(struct brace_number *n, const char *text, size_t length)
{
	if (length) {
		n->parts[n->count++] = (struct brace_part){ text, length };
	}
}

/* With '0', zeros follow sign and prefix, and replace fill and alignment. */
void brace_number_put(struct waymark_formatter *f, const struct brace_number *n)
{
	size_t length = n->lead_length;

	for (size_t i = 0; i < n->count; i++) {
		length += n->parts[i].length;
	}
	struct brace_padding p = brace_padding_of(&f->spec, length, BRACE_ALIGN_RIGHT);

	if (!f->spec.zero) {
		brace_put_fill(f, p.before);
	}
	brace_put_text(f, n->lead, n->lead_length);
	if (f->spec.zero) {
		put_repeated(f, "0", 1, p.before + p.after);
	}
	for (size_t i = 0; i < n->count; i++) {
		if (n->parts[i].text) {
			brace_put_text(f, n->parts[i].text, n->parts[i].length);
		} else {
			put_repeated(f, "0", 1, n->parts[i].length);
		}
	}
	if (!f->spec.zero) {
		brace_put_fill(f, p.after);
	}
}
