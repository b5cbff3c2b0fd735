/* SPDX-License-Identifier: MIT */
/*
 * Expressions on the fields of an event, as in C: `bytes > 64K && op == read`. An expression is
 * parsed once (parse.c), bound to each kind of event (bind.c), and evaluated for each event
 * (eval.c). Needs libc only; evaluation allocates nothing, reads nothing but the fields, and is
 * async-signal-safe. waymark-expressions(7) describes the language.
 *
 * From weak to strong: `||`, `&&`, comparisons, `|`, `^`, `&`, shifts, `+ -`, `* / %`, and `! ~ -`
 * before an operand. Unlike in C, `flags & 4 == 4` compares `flags & 4`.
 */
#ifndef EXPR_EXPR_H
#define EXPR_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/value_name.h"
#include "expr/names.h"

/* The most operands and operators of an expression. */
#define EXPR_NODES 256u

enum expr_type {
	EXPR_NONE, /* no value: the event lacks a field, or a division by zero */
	EXPR_INTEGER, /* of 64 bits; the sum of large ones wraps */
	EXPR_FLOAT,
	EXPR_TEXT,
	EXPR_ANY, /* of a field: one of the above, another one in each event */
};

/* An integer that is a character: it is also compared with text. */
enum expr_character {
	EXPR_NO_CHARACTER,
	EXPR_BYTE, /* a text of this byte */
	EXPR_CODE_POINT, /* a text of this character in UTF-8 */
};

struct expr_value {
	union {
		uint64_t integer;
		double number;
		const char *text; /* not NUL-terminated; NULL: the program passed NULL */
	} as;
	uint32_t length; /* of the text */
	uint8_t type; /* of enum expr_type */
	bool is_negative; /* the integer is an int64_t below 0 */
	uint8_t character; /* of enum expr_character */
};

/* Returns an integer. `is_signed`: it is an int64_t. */
static inline struct expr_value expr_integer(uint64_t v, bool is_signed)
{
	return (struct expr_value){
		.as.integer = v, .type = EXPR_INTEGER, .is_negative = is_signed && (int64_t)v < 0
	};
}

/*
 * Returns an integer of 128 bits: as an integer if it has a sign and 64 bits, or else as the
 * nearest fraction. `is_signed`: `high` is an int64_t.
 */
struct expr_value expr_wide(uint64_t low, uint64_t high, bool is_signed);

/* The dimension of a number with a unit, or of a field. */
enum expr_dimension {
	EXPR_PLAIN,
	EXPR_COUNT, /* `4K`: bytes, where it meets a field of bytes */
	EXPR_BYTES,
	EXPR_TIME,
};

/* The meaning of a name in an expression. */
struct expr_field {
	unsigned int slot; /* passed to expr_get */
	enum expr_type type;
	const struct value_name *names; /* of its values; NULL: none */
	enum expr_dimension dimension; /* of its unit */
	uint64_t unit; /* bytes or nanoseconds of its unit; 0: none */
	bool is_character; /* each value is one byte */
};

/* The meaning of names in one kind of event. */
struct expr_scope {
	/* Gives the field; false if there is none of that name. */
	bool (*find)(const void *data, const char *name, size_t length, struct expr_field *field);
	const void *data;
};

/* Gets the value of a field; EXPR_NONE if it has none. */
typedef void expr_get(void *data, unsigned int slot, struct expr_value *value);

/* The place where an expression is wrong, and why. */
struct expr_error {
	size_t at; /* byte offset in the expression */
	size_t length; /* of the wrong part */
	char text[160];
	char help[160]; /* what to write; "": nothing to say */
};

struct expr;

/* Parses an expression. Returns NULL with the error. */
struct expr *expr_parse(const char *text, struct expr_error *error);
void expr_free(struct expr *e);

/* Returns the text as it was parsed. */
const char *expr_text(const struct expr *e);

/*
 * Returns the number of names and texts, and each of them; a name can occur more than once. A text
 * may be the name of a field's value.
 */
size_t expr_name_count(const struct expr *e);
const char *expr_name(const struct expr *e, size_t i, size_t *at, size_t *length);

/* An expression for one kind of event. The expression must outlive it. */
struct expr_bound;

/*
 * Binds the expression to the fields of one kind of event. A field that this kind lacks has no
 * value, nor has a name that none of its fields has for a value. Returns NULL with the error if the
 * types do not fit: text is compared with a number, bytes with a time.
 */
struct expr_bound *expr_bind(
	const struct expr *e, const struct expr_scope *scope, struct expr_error *error);
void expr_bound_free(struct expr_bound *b);

/* Returns true if the name, see expr_name(), is a field of this kind of event or a value. */
bool expr_bound_knows(const struct expr_bound *b, size_t i);

/* Returns the type of the result. */
enum expr_type expr_bound_type(const struct expr_bound *b);

/* Evaluates the expression. */
struct expr_value expr_eval(const struct expr_bound *b, expr_get *get, void *data);

/*
 * Returns true if the expression is true for an event. If a field is missing, an expression can
 * still be true: `error != 0 || @tid == 7`.
 */
bool expr_is_true(const struct expr_bound *b, expr_get *get, void *data);

/* ---- For traced programs ---- */

/* The most operands and operators of a part of a program that has neither `&&` nor `||`. */
#define EXPR_TEST_NODES 32u

/* The word that a field's value is passed in. */
struct expr_word {
	uint16_t index;
	uint8_t bits; /* of an integer, whose other bits are 0; 0: it is none */
	bool is_signed;
	bool is_string; /* the address of a text that ends in NUL; NULL is one, too */
	bool is_own; /* it is among the caller's own words, not those of the event */
};

/* Gives the word of a field that is an integer or a string; returns false for others. */
typedef bool expr_word_of(const void *data, unsigned int slot, struct expr_word *word);

/* An expression as a program: nothing that it was made from must outlive it, but names of values.
 */
struct expr_program;

/* Compiles. Returns NULL, with the error, if a part has too many operands, or memory ran out. */
struct expr_program *expr_compile(const struct expr_bound *b, expr_word_of *word_of,
	const void *data, struct expr_error *error);
void expr_program_free(struct expr_program *p);

#endif
