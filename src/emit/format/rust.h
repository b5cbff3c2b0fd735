/* SPDX-License-Identifier: MIT */
/*
 * The pieces of generated Rust: names and types of events' arguments, and rustfmt's layout of
 * lists. The texts live until the end of the run.
 */
#ifndef EMIT_FORMAT_RUST_H
#define EMIT_FORMAT_RUST_H

#include "emit/emit.h"

/*
 * Returns the type that a Rust function passes to C for an argument: `u64`, `c_int`, `*const
 * c_void`. The outermost pointer is always `*const`: an event keeps an address and writes nothing
 * to it, and any Rust pointer converts to it.
 */
const char *rust_type(struct emit_context *c, const struct type *t);

/*
 * Returns the name of argument `i`. A Rust keyword becomes `r#type`, or `self_` if raw names
 * exclude it.
 */
const char *rust_name(struct emit_context *c, const struct event *e, size_t i);

/* rustfmt's limit of a line. */
#define RUST_COLUMNS 100

/* Writes `first second` and a newline; on two lines if one would be too long. */
void rust_halves(struct out *o, size_t indent, const char *first, const char *second);

/*
 * A list of `head`, the items with commas, and `tail`. It is one line if that is at most 100
 * columns wide and its items at most `width`; else each item has a line. `indent` is in columns.
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
