/* SPDX-License-Identifier: MIT */
/*
 * The parts of rendering that render.c leaves out of its loop: values
 * with flags, width or precision, and values that do not fit their conversion.
 * Private to src/view/message.
 */
#ifndef VIEW_MESSAGE_PRINTF_H
#define VIEW_MESSAGE_PRINTF_H

#include <string.h>

#include "view/message/message.h"

/* What %f makes of the largest double, without width and precision. */
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

/* The value as its declared type and its conversion make it. */
static inline uint64_t message_cut(const struct message_step *s, uint64_t v)
{
	return (((v & s->mask) ^ s->sign) - s->sign) & s->result;
}

/* The text of a step. */
static inline char *message_put_lead(char *out, const struct message_step *step)
{
	memcpy(out, step->text, sizeof(step->text));
	return out + step->text_length;
}

/* Hands on to the next step. */
static inline char *message_next(char *out, const struct message_step *step, const void *args)
{
	return step[1].put(out, step + 1, args);
}

/* A value as JSON; the step is one of MESSAGE_JSON*. */
message_put message_put_json;

/* Which strings were cut, in JSON; nothing when none was. */
message_put message_put_cut;

/* All write to `out`, where message_room() bytes are free, and return the end. */
char *message_put_text(char *out, const struct message_spec *s, const char *text, size_t length);
char *message_put_string(char *out, const struct message_spec *s, const struct value *value);

/* A value that is not of the class that its conversion needs. */
char *message_put_misfit(char *out, const struct value *value);

/* Whether the step takes a number, in no other form than its bits. */
static inline bool message_is_number(enum message_op op)
{
	return op >= MESSAGE_UNSIGNED && op < MESSAGE_STRING;
}

/* What shows the step; `checked`: the value may be of another. */
message_put *message_putter(const struct message_step *step, bool checked);

/* The value of a MESSAGE_PRINTF step. */
char *message_put_printf(
	char *out, const struct message_step *step, const struct value *values) COLD;

#endif
