/* SPDX-License-Identifier: MIT */
/*
 * An event as one line of text: what printf, or Rust's format!, would make of its format and
 * arguments. A format is compiled once into a chain of steps, each with the
 * function that shows it, so that rendering parses and asks nothing. A value is first cut to the C
 * type that was declared; control characters come out as escapes; arguments
 * without a usable format are shown as name=value, so that none is hidden.
 */
#ifndef VIEW_MESSAGE_MESSAGE_H
#define VIEW_MESSAGE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/escape.h"
#include "read/record.h"

/* Larger widths and precisions (a `*` may take any number) are cut to this. */
#define MESSAGE_WIDTH_MAX 4096

/* How a step shows its argument. */
enum message_op {
	MESSAGE_END, /* not at all: the last text */
	MESSAGE_TEXT, /* not at all: a part of a long text */
	MESSAGE_UNSIGNED, /* only cut, neither extended nor promoted */
	MESSAGE_PROMOTED,
	MESSAGE_SIGNED,
	MESSAGE_HEX, /* lower case, at least `digits` of them */
	MESSAGE_POINTER,
	MESSAGE_CHAR,
	MESSAGE_STRING,
	/* Forms of these two for what lies in the payload: 64 bits and a short text; a string. */
	MESSAGE_WORD,
	MESSAGE_BYTES,
	MESSAGE_JSON, /* as a JSON value of whatever it is; a number in decimal */
	MESSAGE_JSON_SIGNED,
	MESSAGE_JSON_BOOL,
	MESSAGE_JSON_HEX, /* in quotes */
	MESSAGE_JSON_CUT, /* not at all: which strings were cut, if any */
	MESSAGE_PRINTF, /* with flags, width or precision */
	MESSAGE_BRACE, /* a placeholder of a message with braces that no other step shows so */
	MESSAGE_JSON_ODD, /* as a JSON value: what is more than a word or a string */
};

/* Texts are copied whole, whatever of them counts: longer ones take several steps. */
#define MESSAGE_TEXT_MAX 32
#define MESSAGE_TEXT_SHORT 16

struct message_step;

/* Writes the step's text and value, then all further steps; returns the end. */
typedef char *message_put(char *out, const struct message_step *step, const void *args);

struct message_step {
	char text[MESSAGE_TEXT_MAX]; /* comes first */
	message_put *put;
	int32_t at; /* where the word is whose last bytes are the argument, in bytes */
	uint16_t arg;
	uint8_t op; /* of enum message_op */
	uint8_t digits; /* of MESSAGE_HEX; of a float: its bytes */
	uint32_t text_length;
	uint32_t shift; /* what is below the argument in its word, in bits */
	/* The value is (((v & mask) ^ sign) - sign) & result: cut, sign-extended, cut. */
	uint64_t mask;
	uint64_t sign;
	uint64_t result;
	union {
		const struct conversion *conversion; /* of MESSAGE_PRINTF */
		const char *const *names; /* of MESSAGE_JSON_CUT: of the first `arg` arguments */
		const struct message_placeholder *placeholder; /* of the last two */
	};
};

struct message {
	struct message_step *steps; /* the last one is MESSAGE_END */
	size_t args; /* of the event */
	size_t room; /* bytes that everything but strings takes at most */
	size_t expansion; /* bytes that one of a string takes at most */
	bool varies; /* in length: there are strings among the arguments, or it is raw */
	bool measures; /* there are steps whose text must be made to know its length */
	size_t growth; /* of a direct one: bytes that one of the payload takes at most */
	bool direct; /* shows what is in the payload, without its values */
	/* What shows a record behind the steps of whose arguments nothing is known, or NULL. */
	char *(*put_raw)(char *out, const struct message *m, const struct record *rec);
	bool swap; /* their byte order is not this host's */
};

/*
 * Compiles the message of a class into `a`. `lead` is put before it, with a
 * blank between when there is a message, and is not escaped. `form` is what the
 * reader promises.
 */
void message_compile(struct message *m, struct arena *a, const struct event_class *class,
	const char *lead, enum value_form form);

/* The same of argument `i` alone, an odd one: by {:?}. */
void message_compile_field(
	struct message *m, struct arena *a, const struct event_class *class, size_t i);

size_t message_room_varying(
	const struct message *m, const struct record *rec, const struct value *values);

/* How many bytes message_render() may write for this record. */
static inline size_t message_room(
	const struct message *m, const struct record *rec, const void *values)
{
	if (LIKELY(!m->varies || m->direct)) {
		return m->room + m->growth * rec->payload_size;
	}
	return message_room_varying(m, rec, values);
}

char *message_put_raw(char *out, const struct message *m, const struct record *rec);

/*
 * Writes the message to `out`, without a NUL; returns its end. `args`: what
 * reader_values() gives, or the record's payload of a message that is `direct`.
 */
static inline char *message_render(
	char *out, const struct message *m, const struct record *rec, const void *args)
{
	out = m->steps->put(out, m->steps, args);
	return UNLIKELY(m->put_raw) ? m->put_raw(out, m, rec) : out;
}

/*
 * A value alone, as {} shows it and %p a pointer, on the heap; "?":
 * it is not what its type says.
 */
char *message_value_text(const struct type *t, const struct value *v);

/* Copies text with its control characters escaped; needs ESCAPE_MAX * length + 8 bytes. */
char *message_escape(char *out, const char *text, size_t length);

/* The class's name, escaped. Lives in `a`. */
char *message_name(struct arena *a, const struct event_class *class);

#endif
