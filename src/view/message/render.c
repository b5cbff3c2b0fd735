/* SPDX-License-Identifier: MIT */
/*
 * Renders messages: the function of each step ends with a tail call of the next step's function, so
 * a message is a row of jumps without a loop. The table of these functions is here; rarely used
 * ones are in printf.c, brace.c and json.c. The caller has reserved message_room() bytes: nothing
 * here checks for space.
 */
#include "view/message/putters.h"

#include <string.h>

#include "read/bytes.h"
#include "read/layout.h"
#include "view/message/number.h"

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

/* Returns the argument. Bits above its type are undefined; the step's mask removes them. */
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

static NOINLINE char *put_name(char *out, const struct message_step *step, const void *args)
{
	out = message_put_lead(out, step);
	return message_next(message_put_named(out, step, number(step, args)), step, args);
}

static NOINLINE char *put_unit(char *out, const struct message_step *step, const void *args)
{
	uint64_t v = message_cut(step, number(step, args));

	out = message_put_lead(out, step);
	return message_next(message_put_unit(out, step, v), step, args);
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

/* Writes a string that is NULL, or was cut. */
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
	[MESSAGE_NAME] = put_name,
	[MESSAGE_UNIT] = put_unit,
	[MESSAGE_STRING] = put_string,
	[MESSAGE_WORD] = put_word,
	[MESSAGE_BYTES] = put_bytes,
	[MESSAGE_JSON] = message_put_json,
	[MESSAGE_JSON_SIGNED] = message_put_json,
	[MESSAGE_JSON_BOOL] = message_put_json,
	[MESSAGE_JSON_HEX] = message_put_json,
	[MESSAGE_JSON_NAME] = message_put_json,
	[MESSAGE_JSON_CUT] = message_put_cut,
	[MESSAGE_PRINTF] = put_printf,
	[MESSAGE_BRACE] = message_put_brace,
	[MESSAGE_JSON_ODD] = message_put_json_odd,
};

/* Writes a number whose value may be of another kind. */
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

/* Writes the payload of an undeclared event: its words, then the remaining bytes. */
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
