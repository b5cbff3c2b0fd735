/* SPDX-License-Identifier: MIT */
/*
 * Front ends: make events of the model from the text of a declaration file. There is one front end
 * for each language, chosen by a table in decl.c. All report through the same diagnostics; none
 * prints.
 */
#ifndef DECL_DECL_H
#define DECL_DECL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "model/event.h"
#include "text/diag.h"

struct decl_options {
	size_t max_args; /* 0: EVENT_ARGS_DEFAULT */
	/*
	 * A reader of old traces is lenient: it needs names and argument types only, and accepts
	 * what any QEMU release accepted. Formats that cannot be checked are kept as text without
	 * conversions. Only a line that cannot be understood in any way is an error.
	 */
	bool lenient;
	bool old; /* accepts, with warnings, what QEMU 2.8 took and later releases refuse */
};

/*
 * Adds the events of `src` to `m` in order, and reports every fault of the file to `d`. `src` must
 * live as long as the model. Returns true if the file added no error.
 */
bool decl_read(struct model *m, struct diag *d, const struct source *src,
	const struct decl_options *options);

/* Checks the rules over all files of a run (duplicate names). Call once, at the end. */
bool decl_finish(struct model *m, struct diag *d);

/*
 * Warns of each name that is part of another. A pattern in StratoVirt's dialect matches anywhere in
 * a name, so the first cannot be switched without the second.
 */
void decl_warn_of_names(struct model *m, struct diag *d);

/*
 * A directory in place of declaration files: finds and orders its files, so that tracetool and the
 * readers of traces get the same events.
 */

/* True if the path is an existing directory. */
bool decl_is_directory(const char *path);

/*
 * Finds the files *.toml of `directory`, except hidden ones and those in subdirectories, ordered by
 * the bytes of their names, whatever the locale. Stores their paths, allocated in the arena.
 * Returns NULL, or the reason why there are none, in a text that the next call may overwrite.
 */
const char *decl_list_directory(
	struct arena *arena, const char *directory, const char *const **paths, size_t *count);

#endif
