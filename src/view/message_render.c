/* SPDX-License-Identifier: MIT */
/*
 * Rendering: walks the steps of a compiled message. What most events need (text,
 * plain numbers, strings) is in the loop; flags, widths and precisions are not.
 * Room was reserved before, so nothing here checks for space.
 */
#include "view/message_printf.h"

#include <string.h>

#include "read/bytes.h"
#include "view/number.h"

static char *copy_text(char *out, const char *text, size_t length)
{
	memcpy(out, text, MESSAGE_PAD);
	if (UNLIKELY(length > MESSAGE_PAD)) {
		memcpy(out + MESSAGE_PAD, text + MESSAGE_PAD, length - MESSAGE_PAD);
	}
	return out + length;
}

/* A mark in the top bit of each byte below 0x20 or equal to 0x7f; bytes from 0x80 have none. */
static uint64_t control_bytes(uint64_t v)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t del = v ^ (0x7f * ones);

	return (((v - 0x20 * ones) & ~v) | ((del - ones) & ~del)) & (0x80 * ones);
}

static char *escape_slowly(char *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (escape_needed((unsigned char)text[i])) {
			out += escape_byte(out, (unsigned char)text[i]);
		} else {
			*out++ = text[i];
		}
	}
	return out;
}

static uint64_t load_low32(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap32(v);
#endif
	return v;
}

/* n < 8 bytes as a word, the first one lowest, filled up with blanks. */
static uint64_t load_tail(const char *p, size_t n)
{
	uint64_t v = UINT64_C(0x2020202020202020) << (8 * n);

	if (n >= 4) {
		return v | load_low32(p) | load_low32(p + n - 4) << (8 * (n - 4));
	}
	for (size_t i = 0; i < n; i++) {
		v |= (uint64_t)(unsigned char)p[i] << (8 * i);
	}
	return v;
}

char *message_escape(char *out, const char *text, size_t length)
{
	uint64_t v;

	for (; length >= sizeof(v); text += sizeof(v), length -= sizeof(v)) {
		memcpy(&v, text, sizeof(v));
		if (UNLIKELY(control_bytes(v))) {
			out = escape_slowly(out, text, sizeof(v));
			continue;
		}
		memcpy(out, &v, sizeof(v));
		out += sizeof(v);
	}
	v = load_tail(text, length);
	if (UNLIKELY(control_bytes(v))) {
		return escape_slowly(out, text, length);
	}
	number_store(out, v);
	return out + length;
}

/* A plain string or character, NULL and misfits included. */
static char *put_plain_text(char *out, const struct message_step *step, const struct value *value)
{
	const struct message_spec plain = { .precision = -1 };

	if (step->op == MESSAGE_CHAR) {
		return message_put_text(out, &plain, &(char){ (char)value->number }, 1);
	}
	return value->kind == VALUE_STRING ? message_put_string(out, &plain, value)
					   : message_put_misfit(out, value);
}

static char *put_plain_pointer(char *out, uint64_t v)
{
	memcpy(out, v ? "0x" : "(nil)", v ? 2 : 5);
	return v ? number_hex(out + 2, v, 1) : out + 5;
}

static inline char *put_value(
	char *out, const struct message_step *step, const struct value *values)
{
	const struct value *value = &values[step->arg];

	if (UNLIKELY(value->kind != VALUE_NUMBER && step->op < MESSAGE_STRING)) {
		return message_put_misfit(out, value);
	}
	switch ((enum message_op)step->op) {
	case MESSAGE_HEX:
		return number_hex(out, message_cut(step, value->number), step->digits);
	case MESSAGE_UNSIGNED:
		return number_decimal(out, message_cut(step, value->number));
	case MESSAGE_SIGNED:
		return number_signed(out, (int64_t)message_cut(step, value->number));
	case MESSAGE_POINTER:
		return put_plain_pointer(out, value->number);
	case MESSAGE_STRING:
		if (LIKELY(value->kind == VALUE_STRING && value->text)) {
			return message_escape(out, value->text, value->length);
		}
		return put_plain_text(out, step, value);
	case MESSAGE_CHAR:
		return put_plain_text(out, step, value);
	case MESSAGE_PRINTF:
		return message_put_printf(out, step, values);
	case MESSAGE_TEXT:
		break;
	}
	return out;
}

/* The words of a record whose arguments nobody declared, and the bytes left over. */
static COLD char *put_raw(char *out, const struct message *m, const struct record *rec)
{
	const unsigned char *p = rec->payload;
	const unsigned char *end = p + rec->payload_size;
	bool blank = m->steps->text_length > 0;

	for (; end - p >= 8; p += 8) {
		memcpy(out, blank ? " 0x" : "0x", 3);
		out = number_hex(out + 2 + blank, load64(p, m->swap), 1);
		blank = true;
	}
	for (; p < end; p++) {
		*out = ' ';
		out = number_hex(out + blank, *p, 2);
		blank = true;
	}
	return out;
}

size_t message_room(const struct message *m, const struct record *rec, const struct value *values)
{
	size_t room = m->room;

	if (m->raw) {
		/* " 0x" and 16 digits for 8 bytes, or a blank and 2 digits for one */
		return room + 3 * rec->payload_size + NUMBER_ROOM;
	}
	for (size_t i = 0; m->has_strings && i < m->args; i++) {
		room += values[i].kind == VALUE_STRING ? ESCAPE_MAX * values[i].length : 0;
	}
	return room;
}

char *message_render(
	char *out, const struct message *m, const struct record *rec, const struct value *values)
{
	const struct message_step *step = m->steps;
	const struct message_step *last = step + m->count - 1;

	for (; step < last; step++) {
		out = copy_text(out, step->text, step->text_length);
		out = put_value(out, step, values);
	}
	out = copy_text(out, step->text, step->text_length);
	return UNLIKELY(m->raw) ? put_raw(out, m, rec) : out;
}
