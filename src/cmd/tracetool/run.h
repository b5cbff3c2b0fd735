/* SPDX-License-Identifier: MIT */
/*
 * One run of tracetool. The command line is checked in QEMU's order, so that a build that fails
 * with QEMU's tracetool fails here for the same reason. Functions return false with the reason in
 * `error`.
 */
#ifndef CMD_TRACETOOL_RUN_H
#define CMD_TRACETOOL_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "decl/decl.h"
#include "emit/emit.h"
#include "text/out.h"

/* ---- The command line ---- */

/*
 * tracetool's command line, as QEMU's getopt reads it: long options, with `=` or a blank before
 * their value, before the first file name. They may be abbreviated if that is unambiguous.
 */

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

/* A file or a directory that was read. */
struct run_input {
	const char *path;
	bool was_found; /* found in a directory, which is another input */
	struct source source; /* without text for a directory */
};

struct run {
	const struct tracetool_options *options;
	const char *const *inputs;
	size_t input_count;
	const char *output; /* `-` for standard output */
	const char *group;
	unsigned int backends; /* bits, as in struct emit_context */
	const struct emit_format *format;
	const char *vcpu_tag; /* tag of a CPU's struct */
	struct decl_options decl;
	VEC(struct run_input *) read; /* inputs in order */
	struct model model;
	struct out error; /* the first error, without the last newline */
};

/* Returns the value of an option, "" if it has no argument, NULL if it was not given. */
static inline const char *run_option(const struct run *r, enum tracetool_option which)
{
	return r->options->values[which];
}

/* Append `message` and `subject` to the error; the second also names --help. Return false. */
bool run_fail(struct run *r, const char *message, const char *subject);
bool run_fail_usage(struct run *r, const char *message, const char *subject);

/* Sets the inputs, the output and the group. */
void run_arrange_files(struct run *r);

/*
 * Returns the prefix of SystemTap's probes, which QEMU makes from the target; NULL if there is
 * none.
 */
const char *run_probe_prefix(struct run *r);

/* Checks everything that needs no input: group, names, outputs. */
bool run_check_names(struct run *r);

bool run_read_max_args(struct run *r);
bool run_check_warn(struct run *r);
bool run_read_format(struct run *r);
bool run_check_binary(struct run *r);
bool run_read_backends(struct run *r);

#endif
