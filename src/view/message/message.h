/* SPDX-License-Identifier: MIT */
/*
 * An event as one line of text: the output of printf, or of Rust's format!, for its format and
 * arguments. A format is compiled once into a chain of steps, each with the function that writes
 * it, so that rendering needs no parsing. A value is first cut to its declared C type. Control
 * characters are escaped. Arguments without a usable format become name=value.
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

/* Larger widths and precisions are reduced to this, as the argument of a `*` may be any number. */
#define MESSAGE_WIDTH_MAX 4096

/* The form in which a step shows its argument. */
enum message_op {
	MESSAGE_END, /* no argument: the last text */
	MESSAGE_TEXT, /* no argument: a part of a long text */
	MESSAGE_UNSIGNED, /* cut only, neither extended nor promoted */
	MESSAGE_PROMOTED,
	MESSAGE_SIGNED,
	MESSAGE_HEX, /* lower case, at least `digits` of them */
	MESSAGE_POINTER,
	MESSAGE_CHAR,
	MESSAGE_NAME, /* of a value, or of its bits */
	MESSAGE_UNIT, /* a number with its unit: 64 KiB */
	MESSAGE_STRING,
	/* Faster forms for arguments in the payload: */
	MESSAGE_WORD, /* MESSAGE_UNSIGNED of 64 bits, with a short text */
	MESSAGE_BYTES, /* MESSAGE_STRING */
	MESSAGE_JSON, /* a JSON value of its kind; a number in decimal */
	MESSAGE_JSON_SIGNED,
	MESSAGE_JSON_BOOL,
	MESSAGE_JSON_HEX, /* in quotes */
	MESSAGE_JSON_NAME, /* name of a value or of its bits, in quotes; else a number */
	MESSAGE_JSON_CUT, /* no argument: the list of cut strings */
	MESSAGE_PRINTF, /* with flags, width or precision */
	MESSAGE_BRACE, /* a placeholder that needs src/brace */
	MESSAGE_JSON_ODD, /* a JSON value that is neither one word nor a C string */
};

/* Steps copy all bytes of their text's array. A longer text needs several steps. */
#define MESSAGE_TEXT_MAX 32
#define MESSAGE_TEXT_SHORT 16

/* Properties of a MESSAGE_NAME or MESSAGE_JSON_NAME step. */
enum message_name_form {
	MESSAGE_NAME_BITS = 1 << 0,
	MESSAGE_NAME_SIGNED = 1 << 1,
	MESSAGE_NAME_HEX = 1 << 2, /* of a value without a name */
};

struct message_step;
struct value_name;
struct unit;

/* Writes the step's text and value, then all further steps; returns the end. */
typedef char *message_put(char *out, const struct message_step *step, const void *args);

struct message_step {
	char text[MESSAGE_TEXT_MAX]; /* before the argument */
	message_put *put;
	int32_t at; /* offset of the word whose last bytes are the argument */
	uint16_t arg;
	uint8_t op; /* enum message_op */
	/* MESSAGE_HEX: the minimum; a float: its bytes; names: of enum message_name_form;
	 * MESSAGE_UNIT: 1: it is signed */
	uint8_t digits;
	uint32_t text_length;
	uint32_t shift; /* bits below the argument in its word */
	/* The value is (((v & mask) ^ sign) - sign) & result: cut, sign-extended, cut. */
	uint64_t mask;
	uint64_t sign;
	uint64_t result;
	union {
		const struct conversion *conversion; /* for MESSAGE_PRINTF */
		const char *const *names; /* for MESSAGE_JSON_CUT: names of `arg` arguments */
		const struct value_name *values; /* for MESSAGE_NAME and MESSAGE_JSON_NAME */
		const struct unit *unit; /* for MESSAGE_UNIT */
		const struct message_placeholder *placeholder; /* for the last two forms */
	};
};

struct message {
	struct message_step *steps; /* the last one is MESSAGE_END */
	size_t args; /* number of the event's arguments */
	size_t room; /* maximum bytes of everything but strings */
	size_t expansion; /* maximum bytes for each byte of a string */
	bool varies; /* in length: an argument is a string, or the event is undeclared */
	bool measures; /* some steps must render their text to know its length */
	size_t growth; /* if direct: maximum bytes for each byte of the payload */
	bool direct; /* reads arguments from the payload, without decoding */
	/* Writes the payload of an undeclared event after the steps; else NULL. */
	char *(*put_raw)(char *out, const struct message *m, const struct record *rec);
	bool swap; /* the payload has the other byte order */
};

/*
 * Compiles the message of a class into `a`. `lead` precedes it, unescaped, with a blank after it if
 * the message is not empty. `form` is the reader's.
 */
void message_compile(struct message *m, struct arena *a, const struct event_class *class,
	const char *lead, enum value_form form);

/* What to show of an event. */
struct message_look {
	const char *lead; /* as for message_compile() */
	const char *const *fields; /* to show as ` name=value`, those that the event has */
	size_t field_count; /* 0: the message */
	bool has_names; /* as JSON: values are shown by their names */
};

/* Does the same for a look. */
void message_compile_look(struct message *m, struct arena *a, const struct event_class *class,
	const struct message_look *look, enum value_form form);

/* Compiles a message of argument `i` only, which is odd: by {:?}. */
void message_compile_field(
	struct message *m, struct arena *a, const struct event_class *class, size_t i);

size_t message_room_varying(
	const struct message *m, const struct record *rec, const struct value *values);

/* Returns the maximum bytes that message_render() writes for this record. */
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
 * Writes the message to `out`, without a NUL; returns its end. `args` is the result of
 * reader_values(), or the record's payload if the message is `direct`.
 */
static inline char *message_render(
	char *out, const struct message *m, const struct record *rec, const void *args)
{
	out = m->steps->put(out, m->steps, args);
	return UNLIKELY(m->put_raw) ? m->put_raw(out, m, rec) : out;
}

/*
 * Returns a value of an argument as its declared name, else as printed by {}, a pointer as by %p;
 * "?" if it is not of its type. The caller frees the text.
 */
char *message_value_text(const struct arg *arg, const struct value *v);

/*
 * Writes the character that a value with its own kind is, UTF8_MAX bytes at most; returns its
 * bytes. 0: it is another value, or no character has this number.
 */
size_t message_put_character(char *out, const struct value *v);

/*
 * Writes the name of an argument's value, or the names of its bits, as `direct|sync|0x8`; a value
 * without one as a number. Writes at most message_names_room() bytes; returns the end.
 */
char *message_put_names(char *out, const struct arg *arg, uint64_t v);
size_t message_names_room(const struct value_name *names);

/* Returns the name of a value; NULL if it has none. */
const char *message_name_of(const struct value_name *names, uint64_t v, bool is_negative);

/* Copies text with its control characters escaped; needs ESCAPE_MAX * length + 8 bytes. */
char *message_escape(char *out, const char *text, size_t length);

/* Returns the class's name, escaped, in the memory of `a`. */
char *message_name(struct arena *a, const struct event_class *class);

#endif
