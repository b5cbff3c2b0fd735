/* SPDX-License-Identifier: MIT */
/*
 * The front end for TOML, upon the reader of decl/toml.h:
 *
 *	toml_events.c	which tables and keys there are, events and scopes
 *	toml_args.c	the text of `args`
 */
#ifndef DECL_TOML_EVENTS_H
#define DECL_TOML_EVENTS_H

#include "decl/front_end.h"
#include "text/placed.h"

/* Without the white space of Unicode around it, as Rust trims. */
struct placed toml_trim(struct placed text);

/*
 * Reads `name: type, name: type` into `e`; for a scope it reserves room for the
 * number, which is not declared. Returns false after an error that leaves the arguments unknown.
 */
bool toml_read_args(struct front_end *fe, struct event *e, const struct placed *text);

#endif
