/* SPDX-License-Identifier: MIT */
/*
 * What the values of an event's arguments mean. Declared in comments above the event, or in TOML by
 * its key `meaning`: statements, one a line; in TOML they may be divided by `;` instead.
 *
 *	@enum op 0=read 1=write      names of values
 *	@flags mode 1=direct 2=sync  names of bits
 *	@unit bytes B                unit of a number
 *	@key request                 the argument names an object
 *	@begin io                    the object begins a life here; @step io, @end io
 *	@hot                         the event is mostly on
 *	@secret password             the argument stays on its host
 */
#ifndef MODEL_MEANING_H
#define MODEL_MEANING_H

#include "model/event.h"
#include "text/placed.h"

/*
 * Reads statements and adds what they say to the event, whose arguments are known. Reports what is
 * wrong, and leaves it out; `d` may be NULL. Text that does not begin with `@` and a word that is,
 * or nearly is, a statement's is ignored if `is_comment`, because comments may have any text.
 */
void meaning_read(struct event *e, struct arena *a, struct diag *d, const struct placed *text,
	bool is_comment);

#endif
