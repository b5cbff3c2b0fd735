/* SPDX-License-Identifier: MIT */
/*
 * The pieces of generated Rust: how it names and types the arguments of events,
 * and how rustfmt lays out a list. The texts live until the end of the run.
 */
#ifndef EMIT_FORMAT_RUST_H
#define EMIT_FORMAT_RUST_H

#include "emit/emit.h"

/*
 * The type of what a Rust function hands to C for an argument: `u64`, `c_int`,
 * `*const c_void`. The outermost pointer is always `*const`: an event keeps an
 * address and writes nothing behind it, and any pointer of Rust becomes one.
 */
const char *rust_type(struct emit_context *c, const struct type *t);

/* The name of argument `i`: a keyword of Rust becomes `r#type`, or where that is none, `self_`. */
const char *rust_name(struct emit_context *c, const struct event *e, size_t i);

/* rustfmt's limit of a line. */
#define RUST_COLUMNS 100

/* Writes `first second` and a newline; where that is too long, on two lines. */
void rust_halves(struct out *o, size_t indent, const char *first, const char *second);

/*
 * Writes `head`, the items with commas, and `tail`: on one line where the line is
 * at most 100 columns wide and the items are at most `width`, else an item a line.
 * `indent` is in columns.
 */
struct rust_list {
	size_t indent;
	size_t width;
	const char *head;
	const char *const *items;
	size_t count;
	const char *tail;
	bool is_empty; /* the tail opens a block that has nothing inside: it is closed too */
};
void rust_list(struct out *o, const struct rust_list *l);

#endif
