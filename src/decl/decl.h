/* SPDX-License-Identifier: MIT */
/*
 * Front ends: from the text of a declaration file to events of the model. One
 * front end a language, chosen by a table in decl.c; all report through the
 * same diagnostics and none prints.
 */
#ifndef DECL_DECL_H
#define DECL_DECL_H

#include <stdbool.h>
#include <stddef.h>

#include "model/event.h"
#include "text/diag.h"

struct decl_options {
	size_t max_args; /* 0: EVENT_ARGS_DEFAULT */
	/*
	 * A reader of old traces is lenient: it wants names and argument types only,
	 * and takes what some QEMU release accepted. Formats that cannot be checked
	 * are kept as text without conversions; nothing but a line that cannot be
	 * understood at all is an error.
	 */
	bool lenient;
	bool old; /* takes what QEMU 2.8 took and later releases refuse, with a warning for each */
};

/*
 * Adds the events of `src` to `m` in order and reports every fault of the file
 * to `d`. The caller keeps `src` alive as long as the model. Returns true when
 * the file added no error.
 */
bool decl_read(struct model *m, struct diag *d, const struct source *src,
	const struct decl_options *options);

/* Checks that hold over all files of a run (duplicate names): call once, last. */
bool decl_finish(struct model *m, struct diag *d);

/*
 * Warns of each name that is part of another: a pattern in StratoVirt's dialect matches
 * anywhere in a name, so that the one cannot be switched without the other.
 */
void decl_warn_of_names(struct model *m, struct diag *d);

#endif
