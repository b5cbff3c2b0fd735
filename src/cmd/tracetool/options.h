/* SPDX-License-Identifier: MIT */
/*
 * tracetool's command line, as QEMU's getopt reads it: long options with `=` or a blank
 * before their value, which may be abbreviated if that is unambiguous, before the first
 * name of a file.
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
	/*
	 * By enum tracetool_option: the value, "" where it takes none,
	 * NULL where it was not given.
	 */
	const char *values[OPTION_COUNT];
	const char *const *files;
	size_t file_count;
};

/*
 * Reads the command line. An option that prints something and exits (--help and
 * the like) ends it. Returns false, with the reason in `error`, for a bad one.
 */
bool tracetool_options_parse(struct tracetool_options *o, int argc, char **argv, struct out *error);

/* True if an option only prints: --help, --version, a list. */
bool tracetool_options_are_about(const struct tracetool_options *o);

/* Writes --help: a line for each option, format and backend. */
void tracetool_options_help(struct out *out);

#endif
