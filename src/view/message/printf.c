/* SPDX-License-Identifier: MIT */
/*
 * Writes one value with flags, width and precision, like printf; also values that do not fit the
 * class of their conversion. Few events need this.
 */
#include "view/message/putters.h"

#include <stdio.h>
#include <string.h>

#include "view/message/number.h"

/* The longest number without padding: 22 octal digits, sign and prefix. */
#define DIGITS_MAX 32

static char *fill(char *out, char c, size_t n)
{
	memset(out, c, n);
	return out + n;
}

static char *octal(char *out, uint64_t v)
{
	char digits[DIGITS_MAX];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + (v & 7));
		v >>= 3;
	} while (v);
	while (n > 0) {
		*out++ = digits[--n];
	}
	return out;
}

static char *upper(char *begin, char *end)
{
	for (char *p = begin; p < end; p++) {
		*p = *p >= 'a' ? (char)(*p - 'a' + 'A') : *p;
	}
	return end;
}

static char *bare_digits(char *out, char letter, uint64_t v)
{
	switch (letter) {
	case 'o':
		return octal(out, v);
	case 'x':
	case 'p':
		return number_hex(out, v, 1);
	case 'X':
		return upper(out, number_hex(out, v, 1));
	default:
		return number_decimal(out, v);
	}
}

/* Returns the sign, or the prefix of an alternate form. */
static const char *number_prefix(const struct message_spec *s, uint64_t v, bool negative)
{
	bool is_signed = s->letter == 'd' || s->letter == 'i';

	if (negative) {
		return "-";
	}
	if (is_signed) {
		return s->plus ? "+" : s->blank ? " " : "";
	}
	if (s->letter == 'p' || (s->letter == 'x' && s->alternate && v)) {
		return "0x";
	}
	return s->letter == 'X' && s->alternate && v ? "0X" : "";
}

/*
 * Returns the number of zeros before `n` digits: for the precision, the octal prefix, or the width.
 */
static size_t leading_zeros(
	const struct message_spec *s, const char *digits, size_t n, size_t prefix)
{
	size_t wanted = s->precision > 0 ? (size_t)s->precision : 0;

	if (s->letter == 'o' && s->alternate && (n == 0 || digits[0] != '0') && wanted <= n) {
		wanted = n + 1;
	}
	if (s->zeros && !s->left && s->precision < 0 && s->width > prefix + wanted) {
		wanted = s->width - prefix;
	}
	return wanted > n ? wanted - n : 0;
}

static char *put_number(char *out, const struct message_spec *s, uint64_t v)
{
	bool negative = (s->letter == 'd' || s->letter == 'i') && (int64_t)v < 0;
	uint64_t magnitude = negative ? 0 - v : v;
	const char *prefix = number_prefix(s, magnitude, negative);
	size_t prefix_length = strlen(prefix);
	char digits[DIGITS_MAX + NUMBER_ROOM];
	size_t n = 0;

	if (magnitude || s->precision != 0) {
		n = (size_t)(bare_digits(digits, s->letter, magnitude) - digits);
	}
	size_t zeros = leading_zeros(s, digits, n, prefix_length);
	size_t length = prefix_length + zeros + n;
	size_t padding = s->width > length ? s->width - length : 0;

	out = s->left ? out : fill(out, ' ', padding);
	memcpy(out, prefix, prefix_length);
	out = fill(out + prefix_length, '0', zeros);
	memcpy(out, digits, n);
	return s->left ? fill(out + n, ' ', padding) : out + n;
}

/* Writes a text of `length` bytes in a field of the spec's width. */
char *message_put_text(char *out, const struct message_spec *s, const char *text, size_t length)
{
	size_t padding = s->width > length ? s->width - length : 0;

	out = s->left ? out : fill(out, ' ', padding);
	out = message_escape(out, text, length);
	return s->left ? fill(out, ' ', padding) : out;
}

char *message_put_string(char *out, const struct message_spec *s, const struct value *value)
{
	static const struct value null = { .text = "(null)", .length = 6 };
	const struct value *v = value->text ? value : &null;
	size_t length = v->length;

	if (s->precision >= 0 && (size_t)s->precision < length) {
		length = (size_t)s->precision;
	}
	return message_put_text(out, s, v->text, length);
}

char *message_put_misfit(char *out, const struct value *value)
{
	const struct message_spec plain = { .precision = -1, .letter = 'x', .alternate = true };

	switch (value->kind) {
	case VALUE_STRING:
		return message_put_string(out, &plain, value);
	case VALUE_NUMBER:
		return put_number(out, &plain, value->number);
	case VALUE_PAIR:
		return put_number(out, &plain, value_pair(value).low);
	default:
		*out = '?';
		return out + 1;
	}
}

/* Returns the argument of a `*`, limited to the room that message_room() reserved. */
static int star(const struct value *value)
{
	int n = value->kind == VALUE_NUMBER ? (int)(uint32_t)value->number : 0;

	if (n > MESSAGE_WIDTH_MAX) {
		return MESSAGE_WIDTH_MAX;
	}
	return n < -MESSAGE_WIDTH_MAX ? -MESSAGE_WIDTH_MAX : n;
}

static int limit(int n)
{
	return n > MESSAGE_WIDTH_MAX ? MESSAGE_WIDTH_MAX : n;
}

static void set_flags(struct message_spec *s, const char *flags)
{
	for (; *flags; flags++) {
		s->left |= *flags == '-';
		s->plus |= *flags == '+';
		s->blank |= *flags == ' ';
		s->alternate |= *flags == '#';
		s->zeros |= *flags == '0';
	}
}

static struct message_spec resolve(const struct conversion *c, const struct value *values)
{
	struct message_spec s = { .precision = limit(c->precision), .letter = c->letter };
	int width = limit(c->width);

	set_flags(&s, c->flags);
	if (c->width_arg != FORMAT_NO_ARG) {
		width = star(&values[c->width_arg]);
		s.left |= width < 0;
		width = width < 0 ? -width : width;
	}
	if (c->precision_arg != FORMAT_NO_ARG) {
		s.precision = star(&values[c->precision_arg]);
	}
	s.width = width > 0 ? (size_t)width : 0;
	return s;
}

/* Writes a float by snprintf(), with a format made from the spec. */
static char *put_float(char *out, const struct message_spec *s, uint64_t bits, unsigned int bytes)
{
	char format[16] = "%";
	char *end = format + 1;
	uint32_t low = (uint32_t)bits;
	float f;
	double d;

	memcpy(&f, &low, sizeof(f));
	memcpy(&d, &bits, sizeof(d));
	end = stpcpy(end, s->left ? "-" : "");
	end = stpcpy(end, s->plus ? "+" : s->blank ? " " : "");
	end = stpcpy(end, s->alternate ? "#" : "");
	end = stpcpy(end, s->zeros && !s->left ? "0" : "");
	end = stpcpy(end, "*.*");
	end[0] = s->letter;
	int room = MESSAGE_FLOAT_ROOM + 2 * MESSAGE_WIDTH_MAX;

	return out + snprintf(out, (size_t)room, format, (int)s->width, s->precision,
			     bytes == sizeof(f) ? (double)f : d);
}

char *message_put_printf(char *out, const struct message_step *step, const struct value *values)
{
	const struct value *value = &values[step->arg];
	struct message_spec s = resolve(step->conversion, values);

	if (s.letter == 'p' && value->kind == VALUE_STRING) { /* recorded as text */
		return message_put_string(out, &s, value);
	}
	if (value->kind != (s.letter == 's' ? VALUE_STRING : VALUE_NUMBER)) {
		return message_put_misfit(out, value);
	}
	if (s.letter == 's') {
		return message_put_string(out, &s, value);
	}
	if (strchr("aAeEfFgG", s.letter)) {
		return put_float(out, &s, value->number, step->digits);
	}
	if (s.letter == 'c') {
		return message_put_text(out, &s, &(char){ (char)value->number }, 1);
	}
	if (s.letter == 'p') {
		return value->number ? put_number(out, &s, value->number)
				     : message_put_text(out, &s, "(nil)", 5);
	}
	return put_number(out, &s, message_cut(step, value->number));
}
