/* SPDX-License-Identifier: MIT */
/*
 * A printf format taken apart: literal text and conversions, in order. Made
 * once when a declaration is read; checked by the front end, written by the
 * emitters, rendered by the reader. `PRIx64` and friends are resolved here, so
 * nobody else ever sees them.
 */
#ifndef MODEL_FORMAT_H
#define MODEL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "text/diag.h"

/* The argument that a `*` or a conversion takes; FORMAT_NO_ARG where there is none. */
#define FORMAT_NO_ARG (-1)

struct conversion {
	char flags[8]; /* of "-+ #0", NUL-terminated */
	int width; /* -1: none */
	int precision; /* -1: none */
	int width_arg; /* index of the argument that `*` takes */
	int precision_arg;
	int arg; /* index of the argument that is printed */
	const char *length; /* as declared, "64" for PRI?64 */
	char letter; /* d i u x X o c s p */
	struct location at;
};

/* Literal text (may hold any byte), then one conversion unless `has_conversion` is false. */
struct segment {
	const char *text;
	size_t len;
	bool has_conversion;
	struct conversion conversion;
};

struct format {
	const char *source; /* as declared, quotes and macros included; NULL: no format at all */
	struct segment *segments;
	size_t count;
	size_t args; /* how many arguments the conversions take, `*` included */
};

#endif
