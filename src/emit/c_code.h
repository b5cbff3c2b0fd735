/* SPDX-License-Identifier: MIT */
/*
 * The pieces of generated C that several emitters share: texts for the holes of their templates.
 * The texts live until the end of the run. Names that generated functions need for themselves begin
 * with `waymark_`, because an argument of an event may have any other name.
 */
#ifndef EMIT_C_CODE_H
#define EMIT_C_CODE_H

#include "emit/emit.h"

/* Returns the comment at the start of a generated file. */
const char *c_banner(struct emit_context *c);

/*
 * Returns the guard of a header, such as `TRACE_HW_BLOCK_H` for the group hw-block: the group
 * between a prefix and a suffix.
 */
const char *c_guard(struct emit_context *c, const char *begin, const char *end);

/* The end of a header for C and C++, and of its guard. */
extern const char c_header_end[];

/* Returns a text that is safe inside a comment. */
const char *c_comment(struct emit_context *c, const char *text);

/*
 * Return the declaration's file, never as an absolute path: for a comment, and as a string literal.
 */
const char *c_file_comment(struct emit_context *c, const struct event *e);
const char *c_file_literal(struct emit_context *c, const struct event *e);

/*
 * Returns a digest such as `5f3a09c1` of the declaration, and of whether its calls pass their
 * place. It is part of the names of the functions that calls need. If two archives of one
 * program have an event of one name, a linker could otherwise use one definition for both, and one
 * archive's calls would pass wrong arguments.
 */
const char *c_digest(struct emit_context *c, const struct event *e);

/* Returns `#define waymark_emit_x waymark_emit_x_5f3a09c1`, with a newline; `what` is `emit`. */
const char *c_renaming(struct emit_context *c, const char *what, const struct event *e);

/*
 * Return how a call site tests an event, and the attributes of the function that it calls then: GCC
 * keeps no value in a register across a call that it does not expect.
 */
static inline const char *c_expected(const struct event *e)
{
	return e->is_hot ? "WAYMARK_LIKELY" : "WAYMARK_UNLIKELY";
}

static inline const char *c_apart(const struct event *e)
{
	return e->is_hot ? "WAYMARK_NOINLINE" : "WAYMARK_COLD";
}

/* Returns a number's digits. */
const char *c_number(struct emit_context *c, size_t n);

/* Returns the text as a string literal that every compiler reads back as the same bytes. */
const char *c_literal(struct emit_context *c, const char *text);

/* Returns an argument's name for a language that reserves it: with `_`, unique in the event. */
const char *c_renamed(struct emit_context *c, const struct event *e, const char *name);

/* Returns the type of the first parameter of vCPU events, such as `struct CPUState *`. */
const char *c_vcpu_type(struct emit_context *c);

/*
 * Returns `uint64_t offset, uint32_t bytes`, or `void`. Text with a length becomes two parameters.
 */
const char *c_parameters(struct emit_context *c, const struct event *e);

/* Returns `offset, bytes`, or nothing. */
const char *c_arguments(struct emit_context *c, const struct event *e);

/* Returns the same for `...`, without an implicit conversion. */
const char *c_promoted(struct emit_context *c, const struct event *e);

/* True if calls of the event pass their file and line, because some backend shows them. */
bool c_has_place(const struct emit_context *c, const struct event *e);

/* Return the parameters and arguments, after the place of the call if it is passed. */
const char *c_placed_parameters(struct emit_context *c, const struct event *e);
const char *c_placed_arguments(struct emit_context *c, const struct event *e);

/* Returns the arguments for a caller that does not know its place. */
const char *c_unplaced_arguments(struct emit_context *c, const struct event *e);

/*
 * Returns the arguments that a macro passes on: `__FILE__, __LINE__, __VA_ARGS__` or a part of
 * them.
 */
const char *c_given(struct emit_context *c, const struct event *e);

/* True if an argument of the event has that name in C. */
bool c_is_parameter(const struct event *e, const char *c_name);

/* Returns the name of a length, `name_length`, as the second parameter; unique in the event. */
const char *c_length_name(struct emit_context *c, const struct event *e, size_t arg);

/* Returns an argument for a call: `name`, or `name, name_length`. */
const char *c_value(struct emit_context *c, const struct event *e, size_t arg);

/* Returns an integer argument as an int, which printf needs for a `*`: `n`, or `(int)n`. */
const char *c_int(struct emit_context *c, const struct arg *a);

/* True if any event of the model is a scope. */
bool c_has_scopes(const struct emit_context *c);

/* True if any event of the model has a parameter of a waymark/debug.h type. */
bool c_needs_debug(const struct emit_context *c);

/*
 * Returns format and arguments for a printf-like function to print the text after the event's name,
 * such as `" offset=0x%" PRIx64, offset`. Each length modifier and its argument have one type on
 * every host.
 */
const char *c_printf(struct emit_context *c, const struct event *e);

/* True if c_printf() prints each argument once, in order, and as it is recorded. */
bool c_prints_as_recorded(struct emit_context *c, const struct event *e);

/* Returns the width in bits to which `hh`, PRI?8, `h` and PRI?16 cut a value; 0 for all others. */
unsigned int c_narrowed_to(const struct conversion *v);

/* The letter of conversions that printf lacks. */
#define C_NO_LETTER '?'

/*
 * Returns the event's format in the language of printf, as nearly as possible. Without a format, it
 * has `name=value` for each argument.
 */
const struct format *c_format(struct emit_context *c, const struct event *e);

/*
 * Returns statements that add to `waymark_on` the bits of external tracers that have the event on.
 */
const char *c_watched(struct emit_context *c, const struct event *e);

/*
 * An event may read the memory of a `char *` argument only as far as printf does. After that there
 * may be no NUL, memory of another owner, or none.
 */

/* True for a string whose address only is printed: its bytes must not be read. */
bool c_is_address(const struct event *e, size_t arg);

/* Returns the conversion that limits the bytes read of a string; NULL if it is read up to its NUL.
 */
const struct conversion *c_precise(const struct event *e, size_t arg);

/* Returns the int that limits the bytes read of a string: `4`, `n`; NULL if there is none. */
const char *c_precision(struct emit_context *c, const struct event *e, size_t arg);

/* Returns the number, from 0, of the placeholder that shows an argument. */
size_t c_placeholder(const struct event *e, size_t arg);

/* Returns `(void)offset;` for each parameter, on a line each. */
const char *c_unused(struct emit_context *c, const struct event *e);

/* Begin and end a text: write to the result of c_begin(); c_end() returns the text. */
struct out *c_begin(struct emit_context *c);
const char *c_end(struct emit_context *c);

/* Writes one character in the form it has in a literal, after the character `before`. */
void c_literal_char(struct out *o, char ch, char before);

#endif
