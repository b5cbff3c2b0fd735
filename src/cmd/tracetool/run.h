/* SPDX-License-Identifier: MIT */
/*
 * One run of tracetool: what the command line asks for, checked in QEMU's order,
 * so that a build that fails there fails here for the same reason. Each function
 * returns false with the reason in `error`.
 */
#ifndef CMD_TRACETOOL_RUN_H
#define CMD_TRACETOOL_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/tracetool/options.h"
#include "decl/decl.h"
#include "emit/emit.h"

/* A file that was read, or a directory whose files are read. */
struct run_input {
	const char *path;
	bool was_found; /* in a directory, which is an input itself */
	struct source source; /* of a directory without text */
};

struct run {
	const struct tracetool_options *options;
	const char *const *inputs;
	size_t input_count;
	const char *output; /* `-` for standard output */
	const char *group;
	unsigned int backends; /* bits as in struct emit_context */
	const struct emit_format *format;
	const char *vcpu_tag; /* of the struct of a CPU */
	struct decl_options decl;
	VEC(struct run_input *) read; /* in order */
	struct model model;
	struct out error; /* the first reason to give up, lines without the last newline */
};

/* The value of an option, "" where it takes none, NULL where it was not given. */
static inline const char *run_option(const struct run *r, enum tracetool_option which)
{
	return r->options->values[which];
}

/* Gives up: `message` and `subject` are the reason, the second also says where help is. */
bool run_fail(struct run *r, const char *message, const char *subject);
bool run_fail_usage(struct run *r, const char *message, const char *subject);

/* Finds out which files are inputs and which is the output. */
void run_arrange_files(struct run *r);

/* The prefix of SystemTap's probes, as QEMU makes it where the target is known; or NULL. */
const char *run_probe_prefix(struct run *r);

/* Checks what can be checked before the inputs are read: group, names of files. */
bool run_check_names(struct run *r);

bool run_read_max_args(struct run *r);
bool run_check_warn(struct run *r);
bool run_read_format(struct run *r);
bool run_check_binary(struct run *r);
bool run_read_backends(struct run *r);

#endif
