/* SPDX-License-Identifier: MIT */
/*
 * Writers of single values for the table in render.c: with printf's flags (printf.c), for messages
 * with braces (brace.c), for JSON (json.c). All write to `out`, where message_room() bytes are
 * free, and return the end. Private to src/view/message.
 */
#ifndef VIEW_MESSAGE_PUTTERS_H
#define VIEW_MESSAGE_PUTTERS_H

#include <string.h>

#include "view/message/message.h"

/* Bytes of the largest double by %f, without width and precision. */
#define MESSAGE_FLOAT_ROOM 330

/* A conversion with its `*` resolved. */
struct message_spec {
	bool left;
	bool plus;
	bool blank;
	bool alternate;
	bool zeros;
	size_t width;
	int precision; /* -1: none */
	char letter;
};

/* Returns the value, cast to its declared type and by its conversion. */
static inline uint64_t message_cut(const struct message_step *s, uint64_t v)
{
	return (((v & s->mask) ^ s->sign) - s->sign) & s->result;
}

/* Writes the text of a step. */
static inline char *message_put_lead(char *out, const struct message_step *step)
{
	memcpy(out, step->text, sizeof(step->text));
	return out + step->text_length;
}

/* Writes the rest of the message. */
static inline char *message_next(char *out, const struct message_step *step, const void *args)
{
	return step[1].put(out, step + 1, args);
}

/* True if the step's argument is a number, read as its bits. */
static inline bool message_is_number(enum message_op op)
{
	return op >= MESSAGE_UNSIGNED && op < MESSAGE_STRING;
}

/* ---- printf.c ---- */

char *message_put_text(char *out, const struct message_spec *s, const char *text, size_t length);
char *message_put_string(char *out, const struct message_spec *s, const struct value *value);

/* Writes a value that does not fit the class of its conversion. */
char *message_put_misfit(char *out, const struct value *value);

/* Writes the value of a MESSAGE_PRINTF step. */
char *message_put_printf(
	char *out, const struct message_step *step, const struct value *values) COLD;

/* ---- json.c ---- */

/* Writes the value of a MESSAGE_JSON, _SIGNED, _BOOL, _HEX or _NAME step. */
message_put message_put_json;

/* MESSAGE_JSON_CUT: writes the names of strings that were cut; nothing if none was. */
message_put message_put_cut;

/* ---- brace.c ---- */

/* The placeholder of a step of MESSAGE_BRACE or MESSAGE_JSON_ODD. */
struct message_placeholder {
	struct brace_spec spec;
	const struct type *type;
};

message_put message_put_brace;
message_put message_put_json_odd;

/*
 * Returns a value as printed by {}, a pointer as by %p; "?" if it is not of its type. The caller
 * frees the text.
 */
char *message_brace_text(const struct type *t, const struct value *v);

/* Returns the bytes of the step's text, before any escapes. */
size_t message_measure(const struct message_step *step, const struct value *values);

/* ---- names.c ---- */

/* Writes a value of a step with names, without its text. */
/* Writes a number in the largest unit that needs no fraction: 64 KiB, 1500 B, 20 us. */
char *message_put_unit(char *out, const struct message_step *step, uint64_t v);

char *message_put_named(char *out, const struct message_step *step, uint64_t v);

/* ---- render.c ---- */

/* Returns the writer of the step. `checked`: the value may not be of its type's class. */
message_put *message_putter(const struct message_step *step, bool checked);

#endif
