/* SPDX-License-Identifier: MIT */
/*
 * What formats of old declarations, of QEMU 2.8, have and others have not:
 * floating point, `%m` and a newline at the end. Private to the parser, but for
 * format_is_float().
 */
#ifndef MODEL_FORMAT_OLD_H
#define MODEL_FORMAT_OLD_H

#include <string.h>

#include "model/format.h"

#define FORMAT_FLOATS "aAeEfFgG"

/* The text of a format as it is in the file, which mending it changes. */
struct format_text {
	char *text;
	size_t begin; /* of the text in the file */
	size_t len;
};

static inline bool format_is_float(const struct conversion *c)
{
	return c->letter && strchr(FORMAT_FLOATS, c->letter);
}

/* Takes a letter that only an old format may have; false: there is no such letter. */
bool format_old_letter(struct conversion *c, int unit);

/* Warns of `%m`, whose letter is at `at` in the file, and makes it `%s` in the text. */
void format_old_warn(
	const struct conversion *c, struct format_text *written, size_t at, struct diag *d);

/* Removes the newlines at the end, however spelled; the first is at `at` in the file. */
void format_old_drop_newlines(struct segment *last, struct format_text *written, size_t at);

#endif
