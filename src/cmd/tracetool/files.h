/* SPDX-License-Identifier: MIT */
/*
 * tracetool's files. Inputs are read whole; outputs appear whole or not at all,
 * and keep their time when nothing changes. Each function returns false with the
 * reason in `error`, one line without a newline.
 */
#ifndef CMD_TRACETOOL_FILES_H
#define CMD_TRACETOOL_FILES_H

#include <stdbool.h>

#include "text/diag.h"
#include "text/out.h"

/* Reads a file, `-` for standard input. The text is malloc'ed. */
bool file_read(struct source *src, const char *path, struct out *error);

/* Writes `text` to a file, `-` for standard output. `always`: even what is there already. */
bool file_write(const char *path, const struct out *text, bool always, struct out *error);

bool file_is_regular(const char *path);

/* True when both names lead to the same existing file. */
bool file_is_same(const char *a, const char *b);

#endif
