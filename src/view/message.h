/* SPDX-License-Identifier: MIT */
/*
 * An event as one line of text: what printf would make of its format and
 * arguments. A format is compiled once into a list of steps, so that rendering
 * an event walks the list and parses nothing. A value is first cut to the C
 * type that was declared; control characters come out as escapes; arguments
 * without a usable format are shown as name=value, so that none is hidden.
 */
#ifndef VIEW_MESSAGE_H
#define VIEW_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/escape.h"
#include "read/record.h"

/* Larger widths and precisions (a `*` may take any number) are cut to this. */
#define MESSAGE_WIDTH_MAX 4096

/* How a step shows its argument; those before MESSAGE_STRING take a number. */
enum message_op {
	MESSAGE_TEXT, /* not at all: text only */
	MESSAGE_UNSIGNED,
	MESSAGE_SIGNED,
	MESSAGE_HEX, /* lower case, at least `digits` of them */
	MESSAGE_POINTER,
	MESSAGE_CHAR,
	MESSAGE_STRING,
	MESSAGE_PRINTF, /* with flags, width or precision */
};

struct message_step {
	const char *text; /* comes first; MESSAGE_PAD bytes more may be read */
	uint32_t text_length;
	uint16_t arg;
	uint8_t op; /* of enum message_op */
	uint8_t digits;
	/* The value is (((v & mask) ^ sign) - sign) & result: cut, sign-extended, cut. */
	uint64_t mask;
	uint64_t sign;
	uint64_t result;
	const struct conversion *conversion; /* of MESSAGE_PRINTF */
};

struct message {
	struct message_step *steps;
	size_t count;
	size_t args; /* of the event */
	size_t room; /* bytes that everything but strings takes at most */
	bool has_strings; /* among the arguments */
	bool raw; /* nothing is known of the arguments: words in hex */
	bool swap; /* their byte order is not this host's */
};

/*
 * Compiles the message of a class into `a`. `lead` is put before it, with a
 * blank between when there is a message, and is not escaped.
 */
void message_compile(
	struct message *m, struct arena *a, const struct event_class *class, const char *lead);

/* How many bytes message_render() may write for this record. */
size_t message_room(const struct message *m, const struct record *rec, const struct value *values);

/* Writes the message to `out`, without a NUL; returns its end. `values`: reader_values(). */
char *message_render(
	char *out, const struct message *m, const struct record *rec, const struct value *values);

/* Copies text with its control characters escaped; needs ESCAPE_MAX * length + 8 bytes. */
char *message_escape(char *out, const char *text, size_t length);

/* The class's name, escaped. Lives in `a`. */
char *message_name(struct arena *a, const struct event_class *class);

/* Texts of steps are copied in pieces of this size. */
#define MESSAGE_PAD 32

#endif
