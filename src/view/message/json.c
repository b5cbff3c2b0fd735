/* SPDX-License-Identifier: MIT */
/*
 * Writes values as JSON. Strings are copied eight bytes at a time while nothing in them needs an
 * escape.
 */
#include "view/message/json.h"

#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "view/message/number.h"
#include "view/message/putters.h"

#define ONES UINT64_C(0x0101010101010101)

/* Marks each zero byte of `v`; bytes above a zero byte may be marked, too. */
static uint64_t zero_bytes(uint64_t v)
{
	return (v - ONES) & ~v & (0x80 * ONES);
}

/* True if eight bytes are printable ASCII that needs no escape. */
static bool is_plain(uint64_t v)
{
	uint64_t control = (v - 0x20 * ONES) & ~v;

	return ((control | v) & (0x80 * ONES)) == 0 && !zero_bytes(v ^ ('"' * ONES)) &&
	       !zero_bytes(v ^ ('\\' * ONES));
}

static char *put_code(char *out, unsigned int code)
{
	memcpy(out, "\\u", 2);
	return number_hex(out + 2, code, 4);
}

static char *put_ascii(char *out, unsigned char c)
{
	static const char letters[] = { ['\b'] = 'b',
		['\t'] = 't',
		['\n'] = 'n',
		['\f'] = 'f',
		['\r'] = 'r',
		['"'] = '"',
		['\\'] = '\\' };
	char letter = c < sizeof(letters) ? letters[c] : 0;

	if (letter) {
		*out++ = '\\';
		*out++ = letter;
	} else if (c < 0x20) {
		out = put_code(out, c);
	} else {
		*out++ = (char)c;
	}
	return out;
}

/* Writes one character; a byte that is not UTF-8 becomes a lone surrogate. */
static char *put_character(char *out, const char **text, size_t left)
{
	const char *p = *text;
	size_t n = utf8_length(p, left);

	*text += n ? n : 1;
	if (n == 0) {
		return put_code(out, 0xdc00u + (unsigned char)*p);
	}
	if (n == 1) {
		return put_ascii(out, (unsigned char)*p);
	}
	uint32_t code = utf8_decode(p, n);

	if (escape_is_misleading(code)) {
		return put_code(out, code);
	}
	memcpy(out, p, n);
	return out + n;
}

char *json_put_text(char *out, const char *text, size_t length)
{
	const char *end = text + length;
	uint64_t v;

	while (text < end) {
		if (end - text >= (ptrdiff_t)sizeof(v)) {
			memcpy(&v, text, sizeof(v));
			if (LIKELY(is_plain(v))) {
				memcpy(out, &v, sizeof(v));
				out += sizeof(v);
				text += sizeof(v);
				continue;
			}
		}
		out = put_character(out, &text, (size_t)(end - text));
	}
	return out;
}

char *json_put_string(char *out, const char *text, size_t length)
{
	*out++ = '"';
	out = json_put_text(out, text, length);
	*out++ = '"';
	return out;
}

static char *put_word(char *out, const char *word)
{
	size_t length = strlen(word);

	memcpy(out, word, length);
	return out + length;
}

/* Writes a name or names of bits as a string, and a value without a name as a number. */
static char *put_named(char *out, const struct message_step *step, uint64_t v)
{
	bool is_negative = step->digits & MESSAGE_NAME_SIGNED && (int64_t)v < 0;
	bool is_text =
		step->digits & MESSAGE_NAME_BITS || message_name_of(step->values, v, is_negative);

	*out = '"';
	out = message_put_named(out + is_text, step, v);
	*out = '"';
	return out + is_text;
}

static char *put_number(char *out, const struct message_step *step, uint64_t v)
{
	v = message_cut(step, v);
	switch (step->op) {
	case MESSAGE_JSON_BOOL:
		return put_word(out, v ? "true" : "false");
	case MESSAGE_JSON_HEX:
		out = number_hex(put_word(out, "\"0x"), v, 1);
		*out = '"';
		return out + 1;
	case MESSAGE_JSON_NAME:
		return put_named(out, step, v);
	case MESSAGE_JSON_SIGNED:
		return number_signed(out, (int64_t)v);
	default:
		return number_decimal(out, v);
	}
}

char *message_put_json(char *out, const struct message_step *step, const void *args)
{
	const struct value *value = (const struct value *)args + step->arg;

	out = message_put_lead(out, step);
	if (value->kind == VALUE_NUMBER) {
		out = put_number(out, step, value->number);
	} else if (value->kind == VALUE_STRING && value->text) {
		out = json_put_string(out, value->text, value->length);
	} else {
		out = put_word(out, "null");
	}
	return message_next(out, step, args);
}

char *message_put_cut(char *out, const struct message_step *step, const void *args)
{
	const struct value *values = args;
	bool any = false;

	out = message_put_lead(out, step);
	for (size_t i = 0; i < step->arg; i++) {
		if (UNLIKELY(values[i].kind == VALUE_STRING && values[i].is_cut)) {
			out = put_word(out, any ? "," : ",\"cut\":[");
			out = put_word(out, step->names[i]);
			any = true;
		}
	}
	if (any) {
		*out++ = ']';
	}
	return message_next(out, step, args);
}
