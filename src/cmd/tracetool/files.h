/* SPDX-License-Identifier: MIT */
/*
 * tracetool's files. Inputs are read completely; outputs appear complete or not at all,
 * and keep their time when nothing changes. Functions return false with the reason in
 * `error`, one line without a newline.
 */
#ifndef CMD_TRACETOOL_FILES_H
#define CMD_TRACETOOL_FILES_H

#include <stdbool.h>

#include "cmd/tracetool/run.h"

/* Reads a file, `-` for standard input. The text is malloc'ed. */
bool file_read(struct source *src, const char *path, struct out *error);

/*
 * Writes `text` to a file, `-` for standard output. If the file has that text already, writes only
 * if `always`.
 */
bool file_write(const char *path, const struct out *text, bool always, struct out *error);

bool file_is_regular(const char *path);

/* True if both names are of the same existing file. */
bool file_is_same(const char *a, const char *b);

/*
 * Reads all inputs, and the TOML files of directories, into the model. `d` gets faults of
 * declarations. Returns false after a fault; r->error has the reason if it is not in a declaration.
 */
bool inputs_read(struct run *r, struct diag *d);

/* Frees the texts of the inputs. */
void inputs_fini(struct run *r);

/* Writes a rule for make and ninja, with all inputs as prerequisites of the output. */
void inputs_write_rule(const struct run *r, struct out *o);

#endif
