/* SPDX-License-Identifier: MIT */
/*
 * The characters of a format as the C compiler reads them: neighbouring string literals are one
 * text, an escape is one character, and a PRI macro is a separate unit. Only model/format_parse.c
 * reads it.
 */
#ifndef MODEL_FORMAT_LEXER_H
#define MODEL_FORMAT_LEXER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "text/diag.h"
#include "text/scan.h"

#define UNIT_END (-1) /* the end of the text, a comma, or an error */
#define UNIT_MACRO (-2)

struct format_lexer {
	struct diag *diag; /* may be NULL */
	struct scan in;
	bool in_literal;
	bool failed; /* an error was reported */
	size_t quote; /* start of the literal */

	/* The current unit: a byte from 1 to 255, or UNIT_*. */
	int unit;
	size_t at;
	char letter; /* of a macro */
	const char *length; /* of a macro */
};

/* Starts at the first unit of `in`. */
void format_lexer_init(struct format_lexer *l, struct diag *d, const struct scan *in);

/* Moves to the next unit; stays at UNIT_END. */
void format_lexer_next(struct format_lexer *l);

/* Returns the text of a well-formed format: literals and macros separated by one blank. */
const char *format_regular_source(struct arena *a, struct span text);

#endif
