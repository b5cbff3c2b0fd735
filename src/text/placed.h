/* SPDX-License-Identifier: MIT */
/*
 * A text that was decoded from a source, such as a string with escapes. Each byte has its place
 * in the source, so that messages about a part of the text point into the file.
 */
#ifndef TEXT_PLACED_H
#define TEXT_PLACED_H

#include <stddef.h>

#include "text/diag.h"
#include "text/scan.h"

struct placed {
	struct span span; /* not NUL-terminated */
	const struct source *source;
	const size_t *places; /* offsets in the source: of each byte and of the end */
};

/* Returns the place of the byte `at`, which may be the length. */
static inline struct location placed_location(const struct placed *p, size_t at)
{
	return (struct location){ p->source, p->places[at] };
}

static inline struct placed placed_part(const struct placed *p, size_t from, size_t len)
{
	return (struct placed){ { p->span.text + from, len }, p->source, p->places + from };
}

#endif
