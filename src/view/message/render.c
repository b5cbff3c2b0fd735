/* SPDX-License-Identifier: MIT */
/*
 * Rendering: each kind of step has a function that hands on to the next step's,
 * in its place, so a message is one run of jumps without a stack or a loop.
 * Flags, widths and precisions are elsewhere. Room was reserved before, so
 * nothing here checks for space.
 */
#include "view/message/printf.h"

#include <string.h>

#include "read/bytes.h"
#include "read/layout.h"
#include "base/escape.h"
#include "view/message/brace.h"
#include "view/message/number.h"

/* 0 if all bytes are printable ASCII: not below 0x20, not 0x7f, not above. */
static uint64_t odd_bytes(uint64_t v)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	return (v | (v - 0x20 * ones) | ((v ^ (0x7f * ones)) - ones)) & (0x80 * ones);
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

static NOINLINE char *escape_slowly(char *out, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		out = escape_character(out, &text, (size_t)(end - text));
	}
	return out;
}

/* Copies one word; returns the marks of what of it has to be escaped. */
static inline uint64_t copy_word(char *out, const char *text)
{
	uint64_t v;

	memcpy(&v, text, sizeof(v));
	memcpy(out, &v, sizeof(v));
	return odd_bytes(v);
}

char *message_escape(char *out, const char *text, size_t length)
{
	const size_t word = sizeof(uint64_t);

	if (length < word) {
		uint64_t v = load_tail(text, length);

		number_store(out, v);
		return UNLIKELY(odd_bytes(v)) ? escape_slowly(out, text, length) : out + length;
	}
	/* The last word overlaps the one before, unless they are whole. */
	uint64_t marks = copy_word(out + length - word, text + length - word);

	for (size_t i = 0; i + word < length; i += word) {
		marks |= copy_word(out + i, text + i);
	}
	return UNLIKELY(marks) ? escape_slowly(out, text, length) : out + length;
}

static char *put_end(char *out, const struct message_step *step, const void *args)
{
	(void)args;
	return message_put_lead(out, step);
}

static char *put_nothing(char *out, const struct message_step *step, const void *args)
{
	(void)step;
	(void)args;
	return out;
}

static char *put_part(char *out, const struct message_step *step, const void *args)
{
	return message_next(message_put_lead(out, step), step, args);
}

/* With rubbish above the bits of its type, which the step's mask cuts off. */
static inline uint64_t number(const struct message_step *step, const void *args)
{
	uint64_t v;

	memcpy(&v, (const char *)args + step->at, sizeof(v));
	return v >> step->shift;
}

/* Out of line, so that short numbers need no stack. */
static NOINLINE char *put_long(
	char *out, const struct message_step *step, const void *args, uint64_t v)
{
	return message_next(number_long(out, v), step, args);
}

static inline char *put_decimal(
	char *out, const struct message_step *step, const void *args, uint64_t v)
{
	if (UNLIKELY(v >= NUMBER_E8)) {
		return put_long(out, step, args, v);
	}
	return message_next(number_short(out, v), step, args);
}

static char *put_unsigned(char *out, const struct message_step *step, const void *args)
{
	out = message_put_lead(out, step);
	return put_decimal(out, step, args, number(step, args) & step->mask);
}

static char *put_promoted(char *out, const struct message_step *step, const void *args)
{
	out = message_put_lead(out, step);
	return put_decimal(out, step, args, message_cut(step, number(step, args)));
}

static char *put_signed(char *out, const struct message_step *step, const void *args)
{
	out = message_put_lead(out, step);
	uint64_t v = message_cut(step, number(step, args));
	bool negative = (int64_t)v < 0;

	*out = '-';
	return put_decimal(out + negative, step, args, negative ? 0 - v : v);
}

static char *put_hex(char *out, const struct message_step *step, const void *args)
{
	out = message_put_lead(out, step);
	out = number_hex(out, message_cut(step, number(step, args)), step->digits);
	return message_next(out, step, args);
}

static char *put_pointer(char *out, const struct message_step *step, const void *args)
{
	uint64_t v = number(step, args);

	out = message_put_lead(out, step);
	memcpy(out, v ? "0x" : "(nil)", v ? 2 : 5);
	return message_next(v ? number_hex(out + 2, v, 1) : out + 5, step, args);
}

static char *put_char(char *out, const struct message_step *step, const void *args)
{
	const struct message_spec plain = { .precision = -1 };
	char c = (char)number(step, args);

	out = message_put_lead(out, step);
	return message_next(message_put_text(out, &plain, &c, 1), step, args);
}

static char *put_text(char *out, const struct value *value)
{
	const struct message_spec plain = { .precision = -1 };

	return LIKELY(value->text) ? message_escape(out, value->text, value->length)
				   : message_put_string(out, &plain, value);
}

static char *put_string(char *out, const struct message_step *step, const void *args)
{
	const struct value *value = (const struct value *)args + step->arg;

	out = message_put_lead(out, step);
	if (UNLIKELY(value->kind != VALUE_STRING)) {
		return message_next(message_put_misfit(out, value), step, args);
	}
	return message_next(put_text(out, value), step, args);
}

static inline char *put_short_lead(char *out, const struct message_step *step)
{
	memcpy(out, step->text, MESSAGE_TEXT_SHORT);
	return out + step->text_length;
}

static char *put_word(char *out, const struct message_step *step, const void *args)
{
	uint64_t v;

	memcpy(&v, (const char *)args + step->at, sizeof(v));
	return put_decimal(put_short_lead(out, step), step, args, v);
}

/* A string that is NULL, or was cut. */
static NOINLINE char *put_marked(char *out, const unsigned char *bytes, uint32_t length)
{
	struct value value;

	layout_set_string(&value, bytes, length);
	return put_text(out, &value);
}

static char *put_bytes(char *out, const struct message_step *step, const void *args)
{
	const unsigned char *bytes = (const unsigned char *)args + step->at;
	uint32_t length = load32(bytes - sizeof(length), false);

	out = message_put_lead(out, step);
	if (UNLIKELY(length > 0 && bytes[length - 1] == '\0')) {
		out = put_marked(out, bytes, length);
	} else {
		out = message_escape(out, (const char *)bytes, length);
	}
	return message_next(out, step, args);
}

static char *put_printf(char *out, const struct message_step *step, const void *args)
{
	return message_next(
		message_put_printf(message_put_lead(out, step), step, args), step, args);
}

static message_put *const putters[] = {
	[MESSAGE_END] = put_end,
	[MESSAGE_TEXT] = put_part,
	[MESSAGE_UNSIGNED] = put_unsigned,
	[MESSAGE_PROMOTED] = put_promoted,
	[MESSAGE_SIGNED] = put_signed,
	[MESSAGE_HEX] = put_hex,
	[MESSAGE_POINTER] = put_pointer,
	[MESSAGE_CHAR] = put_char,
	[MESSAGE_STRING] = put_string,
	[MESSAGE_WORD] = put_word,
	[MESSAGE_BYTES] = put_bytes,
	[MESSAGE_JSON] = message_put_json,
	[MESSAGE_JSON_SIGNED] = message_put_json,
	[MESSAGE_JSON_BOOL] = message_put_json,
	[MESSAGE_JSON_HEX] = message_put_json,
	[MESSAGE_JSON_CUT] = message_put_cut,
	[MESSAGE_PRINTF] = put_printf,
	[MESSAGE_BRACE] = message_put_brace,
	[MESSAGE_JSON_ODD] = message_put_json_odd,
};

/* A step for a number, where the value need not be one. */
static char *put_checked(char *out, const struct message_step *step, const void *args)
{
	const struct value *value = (const struct value *)args + step->arg;

	if (UNLIKELY(value->kind != VALUE_NUMBER)) {
		return message_next(
			message_put_misfit(message_put_lead(out, step), value), step, args);
	}
	return putters[step->op](out, step, args);
}

message_put *message_putter(const struct message_step *step, bool checked)
{
	if (step->op == MESSAGE_END && step->text_length == 0) {
		return put_nothing;
	}
	return checked && message_is_number(step->op) ? put_checked : putters[step->op];
}

/* The words of a record whose arguments nobody declared, and the bytes left over. */
COLD char *message_put_raw(char *out, const struct message *m, const struct record *rec)
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

static NOINLINE size_t measure(const struct message *m, const struct value *values)
{
	size_t length = 0;

	for (const struct message_step *s = m->steps; s->op != MESSAGE_END; s++) {
		length += s->op >= MESSAGE_BRACE ? message_measure(s, values) : 0;
	}
	return m->expansion * length;
}

size_t message_room_varying(
	const struct message *m, const struct record *rec, const struct value *values)
{
	size_t room = m->room;

	if (m->put_raw) {
		/* " 0x" and 16 digits for 8 bytes, or a blank and 2 digits for one */
		return room + 3 * rec->payload_size + NUMBER_ROOM;
	}
	for (size_t i = 0; i < m->args; i++) {
		room += values[i].kind == VALUE_STRING ? m->expansion * values[i].length : 0;
	}
	return LIKELY(!m->measures) ? room : room + measure(m, values);
}
