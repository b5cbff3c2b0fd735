/* SPDX-License-Identifier: MIT */
/*
 * The front end for TOML, on top of the reader in decl/toml.h:
 *
 *	toml_events.c	tables and keys, events and scopes
 *	toml_args.c	the text of `args`
 */
#ifndef DECL_TOML_EVENTS_H
#define DECL_TOML_EVENTS_H

#include "decl/front_end.h"
#include "text/placed.h"

/* Removes Unicode white space from both ends, like Rust's trim(). */
struct placed toml_trim(struct placed text);

/*
 * Reads `name: type, name: type` into `e`; for a scope, reserves room for its undeclared number.
 * Returns false after an error that leaves the arguments unknown.
 */
bool toml_read_args(struct front_end *fe, struct event *e, const struct placed *text);

#endif
