/* SPDX-License-Identifier: MIT */
/* Names of values and of bits, for all forms of a message. */
#include <string.h>

#include "base/value_name.h"
#include "base/unit.h"
#include "view/message/number.h"
#include "view/message/putters.h"
#include "view/message/steps.h"

static char *put_word(char *out, const char *name)
{
	size_t length = strlen(name);

	memcpy(out, name, length);
	return out + length;
}

const char *message_name_of(const struct value_name *names, uint64_t v, bool is_negative)
{
	while (names->name && (names->value != v || names->is_negative != is_negative)) {
		names++;
	}
	return names->name;
}

/* Writes `direct|sync|0x8`: the names of bits, and the others as a number. */
static char *put_bits(char *out, const struct value_name *names, uint64_t v)
{
	char *begin = out;

	for (; v && names->name; names++) {
		if (names->value && (v & names->value) == names->value) {
			*out = '|';
			out = put_word(out + (out > begin), names->name);
			v &= ~names->value;
		}
	}
	if (v == 0) {
		*out = '0';
		return out + (out == begin);
	}
	*out = '|';
	out += out > begin;
	memcpy(out, "0x", 2);
	return number_hex(out + 2, v, 1);
}

/* `form` is of enum message_name_form. */
static char *put_form(char *out, const struct value_name *names, uint64_t v, unsigned int form)
{
	bool negative = form & MESSAGE_NAME_SIGNED && (int64_t)v < 0;
	const char *name = message_name_of(names, v, negative);

	if (name) {
		return put_word(out, name);
	}
	if (form & MESSAGE_NAME_BITS) {
		return put_bits(out, names, v);
	}
	if (form & MESSAGE_NAME_HEX) {
		memcpy(out, "0x", 2);
		return number_hex(out + 2, v, 1);
	}
	return negative ? number_signed(out, (int64_t)v) : number_decimal(out, v);
}

char *message_put_named(char *out, const struct message_step *step, uint64_t v)
{
	return put_form(out, step->values, message_cut(step, v), step->digits);
}

char *message_put_names(char *out, const struct arg *arg, uint64_t v)
{
	unsigned int form = (arg->is_flags ? MESSAGE_NAME_BITS : 0u) |
			    (arg->type.is_signed ? MESSAGE_NAME_SIGNED : 0u);

	return put_form(out, arg->names, v, form);
}

size_t message_names_room(const struct value_name *names)
{
	size_t room = NUMBER_ROOM;

	for (; names->name; names++) {
		room += strlen(names->name) + 1;
	}
	return room;
}

/* ---- Units: exact, in the largest that needs no fraction ---- */

/* Units from the smallest on; each is `factor` of the one before. */
struct larger {
	const char *name;
	uint64_t factor;
};

static const struct larger bytes[] = { { " B", 1 }, { " KiB", 1024 }, { " MiB", 1024 },
	{ " GiB", 1024 }, { " TiB", 1024 }, { NULL, 0 } };
static const struct larger times[] = { { " ns", 1 }, { " us", 1000 }, { " ms", 1000 },
	{ " s", 1000 }, { NULL, 0 } };

char *message_put_unit(char *out, const struct message_step *step, uint64_t v)
{
	const struct larger *l = step->unit->is_time ? times : bytes;
	bool is_negative = step->digits && (int64_t)v < 0;
	uint64_t n = is_negative ? 0 - v : v;
	const char *name;
	size_t length;

	if (__builtin_mul_overflow(n, step->unit->scale, &n)) {
		/* Too large for the smallest unit, so it is printed as declared. */
		out = number_decimal(out, is_negative ? 0 - v : v);
		*out++ = ' ';
		return stpcpy(out, step->unit->name);
	}
	for (; n > 0 && l[1].name && n % l[1].factor == 0; l++) {
		n /= l[1].factor;
	}
	name = l->name;
	length = strlen(name);
	*out = '-';
	out = number_decimal(out + is_negative, n);
	memcpy(out, name, length);
	return out + length;
}
