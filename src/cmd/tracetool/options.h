/* SPDX-License-Identifier: MIT */
/*
 * tracetool's command line, as QEMU's getopt reads it: long options, with `=` or a blank before
 * their value, before the first file name. They may be abbreviated if that is unambiguous.
 */
#ifndef CMD_TRACETOOL_OPTIONS_H
#define CMD_TRACETOOL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "text/out.h"

enum tracetool_option {
#define TRACETOOL_OPTION(id, name, argument, help) OPTION_##id,
#include "cmd/tracetool/options.def"
#undef TRACETOOL_OPTION
	OPTION_COUNT,
};

struct tracetool_options {
	/* Values by enum tracetool_option: "" for an option without argument, NULL if not given. */
	const char *values[OPTION_COUNT];
	const char *const *files;
	size_t file_count;
};

/*
 * Reads the command line. Stops at an option that prints something and exits (--help and the like).
 * Returns false, with the reason in `error`, for a bad command line.
 */
bool tracetool_options_parse(struct tracetool_options *o, int argc, char **argv, struct out *error);

/* True if an option that only prints was given: --help, --version, a list. */
bool tracetool_options_are_about(const struct tracetool_options *o);

/* Writes --help: a line for each option, format and backend. */
void tracetool_options_help(struct out *out);

#endif
