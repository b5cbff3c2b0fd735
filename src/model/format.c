/* SPDX-License-Identifier: MIT */
/* Formats as values: joins them, and converts them back into text. */
#include "model/format.h"

#include <stdio.h>

#include "base/compiler.h"

const struct conversion *format_conversion_of(const struct format *f, size_t arg)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct segment *s = &f->segments[i];

		if (s->has_conversion && s->conversion.arg == (int)arg) {
			return &s->conversion;
		}
	}
	return NULL;
}

void format_drop(struct format *f)
{
	f->segments = NULL;
	f->count = f->args = 0;
}

static void move_args(struct conversion *c, int by)
{
	c->arg += by;
	c->width_arg += c->width_arg == FORMAT_NO_ARG ? 0 : by;
	c->precision_arg += c->precision_arg == FORMAT_NO_ARG ? 0 : by;
}

void format_shift(struct format *f, int by)
{
	for (size_t i = 0; i < f->count; i++) {
		move_args(&f->segments[i].conversion, by);
	}
}

/*
 * Prepends the prefix's last text to the segment after it. Only the last segment has no conversion.
 */
static void join_text(struct segment *to, const struct segment *prefix, struct arena *a)
{
	char *text = arena_alloc(a, prefix->len + to->len + 1);

	memcpy(text, prefix->text, prefix->len);
	memcpy(text + prefix->len, to->text, to->len);
	to->len += prefix->len;
	to->text = text;
}

void format_prepend(struct format *f, struct arena *a, const struct format *prefix)
{
	struct segment *all = arena_array(a, struct segment, prefix->count + f->count);
	size_t n = prefix->count;

	memcpy(all, prefix->segments, n * sizeof(*all));
	if (n > 0 && f->count > 0 && !all[n - 1].has_conversion) {
		join_text(&f->segments[0], &all[--n], a);
	}
	for (size_t i = 0; i < f->count; i++) {
		all[n] = f->segments[i];
		move_args(&all[n++].conversion, (int)prefix->args);
	}
	f->segments = all;
	f->count = n;
	f->args += prefix->args;
	f->source =
		f->source ? arena_printf(a, "%s %s", prefix->source, f->source) : prefix->source;
}

/* Flags, and the letters for which they have an effect. */
static const struct {
	char flag;
	const char *letters;
} flag_effects[] = {
	{ '-', "diouxXcsp" FORMAT_FLOATS },
	{ '+', "di" FORMAT_FLOATS },
	{ ' ', "di" FORMAT_FLOATS },
	{ '#', "oxX" FORMAT_FLOATS },
	{ '0', "diouxX" FORMAT_FLOATS },
};

/*
 * A negative `.*` would make a `0` flag effective again. Compilers warn of this pair in any case,
 * so the `0` is dropped here for all views.
 */
bool conversion_heeds(const struct conversion *c, char flag)
{
	bool is_precise = c->precision >= 0 || c->precision_arg != FORMAT_NO_ARG;

	if ((flag == '0' && ((is_precise && !format_is_float(c)) || strchr(c->flags, '-'))) ||
		(flag == ' ' && strchr(c->flags, '+'))) {
		return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(flag_effects); i++) {
		if (flag_effects[i].flag == flag) {
			return strchr(flag_effects[i].letters, c->letter) != NULL;
		}
	}
	return false;
}

const char *conversion_text(struct arena *a, const struct conversion *c)
{
	char width[16] = "";
	char precision[16] = "";
	bool is_macro = is_digit((unsigned char)c->length[0]) || c->length[0] < 'a';

	if (c->width_arg != FORMAT_NO_ARG || c->width >= 0) {
		snprintf(width, sizeof(width), c->width >= 0 ? "%d" : "*", c->width);
	}
	if (c->precision_arg != FORMAT_NO_ARG || c->precision >= 0) {
		snprintf(precision, sizeof(precision), c->precision_arg < 0 ? ".%d" : ".*",
			c->precision);
	}
	if (is_macro && *c->length) {
		return arena_printf(
			a, "%%%s%s%s\" PRI%c%s", c->flags, width, precision, c->letter, c->length);
	}
	return arena_printf(a, "%%%s%s%s%s%c", c->flags, width, precision, c->length, c->letter);
}
