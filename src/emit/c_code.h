/* SPDX-License-Identifier: MIT */
/*
 * The pieces of generated C that several emitters need: what fills the holes of
 * their templates. The texts live until the end of the run. Names that generated
 * functions need for themselves begin with `waymark_`, because an argument of an
 * event may have any other name.
 */
#ifndef EMIT_C_CODE_H
#define EMIT_C_CODE_H

#include "emit/emit.h"

/* The comment that begins a generated file. */
const char *c_banner(struct emit_context *c);

/* `TRACE_HW_BLOCK_H`: of a header of the group hw-block, between a beginning and an end. */
const char *c_guard(struct emit_context *c, const char *begin, const char *end);

/* The end of a header that is for C++, too, and of its guard. */
extern const char c_header_end[];

/* A text in a comment, which it does not end. */
const char *c_comment(struct emit_context *c, const char *text);

/* The declaration's file, never as an absolute path: in a comment, as a string literal. */
const char *c_file_comment(struct emit_context *c, const struct event *e);
const char *c_file_literal(struct emit_context *c, const struct event *e);

/*
 * `5f3a09c1`: other where the declaration is another one, or what its calls hand over. It is
 * part of the names of functions that calls need: where two archives of one program have an event
 * of one name, a linker that took one definition for both would have calls with wrong arguments.
 */
const char *c_digest(struct emit_context *c, const struct event *e);

/* `#define waymark_emit_x waymark_emit_x_5f3a09c1`, with a newline; `what` is `emit`. */
const char *c_renaming(struct emit_context *c, const char *what, const struct event *e);

/* `12` */
const char *c_number(struct emit_context *c, size_t n);

/* The text as a string literal that every compiler reads back as the same bytes. */
const char *c_literal(struct emit_context *c, const char *text);

/* The argument's name for a language that cannot have it: with `_`, unique in the event. */
const char *c_renamed(struct emit_context *c, const struct event *e, const char *name);

/* `struct CPUState *`: what a vCPU's events have as their first parameter. */
const char *c_vcpu_type(struct emit_context *c);

/* `uint64_t offset, uint32_t bytes`, or `void`. Text with its length is two parameters. */
const char *c_parameters(struct emit_context *c, const struct event *e);

/* `offset, bytes`, or nothing. */
const char *c_arguments(struct emit_context *c, const struct event *e);

/* True where calls of the event hand over their file and line: some backend shows them. */
bool c_has_place(const struct emit_context *c, const struct event *e);

/* The same two, with the place of the call in front where it is handed over. */
const char *c_placed_parameters(struct emit_context *c, const struct event *e);
const char *c_placed_arguments(struct emit_context *c, const struct event *e);

/* The same for a caller that does not know the place. */
const char *c_unplaced_arguments(struct emit_context *c, const struct event *e);

/* The arguments that a macro passes on: `__FILE__, __LINE__, __VA_ARGS__` or a part of it. */
const char *c_given(struct emit_context *c, const struct event *e);

/* True when an argument of the event has that name in C. */
bool c_is_parameter(const struct event *e, const char *c_name);

/* `name_length`: the second parameter of such an argument; unique in the event. */
const char *c_length_name(struct emit_context *c, const struct event *e, size_t arg);

/* An argument in a call of a function: `name`, or `name, name_length`. */
const char *c_value(struct emit_context *c, const struct event *e, size_t arg);

/* An integer argument as an int, which printf takes for a `*`: `n`, or `(int)n`. */
const char *c_int(struct emit_context *c, const struct arg *a);

/* True where some event of the model is a scope. */
bool c_has_scopes(const struct emit_context *c);

/* True where some event of the model has a parameter of a type of waymark/debug.h. */
bool c_needs_debug(const struct emit_context *c);

/*
 * `" offset=0x%" PRIx64, offset`: what a printf-like function takes to print what
 * follows the event's name; each length modifier and each argument is of one type
 * on every host.
 */
const char *c_printf(struct emit_context *c, const struct event *e);

/* The width in bits to which `hh`, PRI?8, `h` and PRI?16 cut a value; 0 for all others. */
unsigned int c_narrowed_to(const struct conversion *v);

/* The letter of what printf has no conversion for. */
#define C_NO_LETTER '?'

/*
 * The event's format in the language of printf, as near as that comes; of one that has
 * arguments and no format, `name=value` for each.
 */
const struct format *c_format(struct emit_context *c, const struct event *e);

/* Statements that add to `waymark_on` the bits of tracers outside that have the event on. */
const char *c_watched(struct emit_context *c, const struct event *e);

/*
 * How far an event may read what a `char *` argument points to: as far as printf does. Behind
 * that there may be no NUL, memory of another owner, or none.
 */

/* True for a string of which only the address is printed: nothing of it may be read. */
bool c_is_address(const struct event *e, size_t arg);

/* The int that bounds how many bytes of a string are read: `4`, `n`; NULL: up to its NUL. */
const char *c_precision(struct emit_context *c, const struct event *e, size_t arg);

/* `(void)offset;` on a line each, for all parameters. */
const char *c_unused(struct emit_context *c, const struct event *e);

/* Begins and ends such a text: writes go to c_begin()'s result, c_end() returns them. */
struct out *c_begin(struct emit_context *c);
const char *c_end(struct emit_context *c);

/* Writes one character as it stands inside a literal, after the character `before`. */
void c_literal_char(struct out *o, char ch, char before);

#endif
