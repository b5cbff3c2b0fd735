/* SPDX-License-Identifier: MIT */
/* Inputs of tracetool, see cmd/tracetool/inputs.h. */
#include "cmd/tracetool/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/tracetool/files.h"
#include "decl/directory.h"

static struct run_input *add_input(struct run *r, const char *path)
{
	struct run_input *input = arena_new(&r->model.arena, struct run_input);

	input->path = path;
	vec_push(&r->read, input);
	return input;
}

static bool read_file(struct run *r, struct diag *d, struct run_input *input)
{
	return file_read(&input->source, input->path, &r->error) &&
	       decl_read(&r->model, d, &input->source, &r->decl);
}

static bool fail(struct run *r, const char *path, const char *reason)
{
	out_printf(&r->error, "cannot read %s: %s", path, reason);
	return false;
}

/* Every file of the directory, though one is wrong. */
static bool read_directory(struct run *r, struct diag *d, const char *directory)
{
	const char *const *paths = NULL;
	size_t count = 0;
	const char *reason = decl_list_directory(&r->model.arena, directory, &paths, &count);
	bool good = true;

	/* With the dot, since make takes `trace` for a program, and has a rule to make it of
	 * trace.c. */
	add_input(r, arena_printf(&r->model.arena, "%s/.", directory));
	if (reason) {
		return fail(r, directory, reason);
	}
	for (size_t i = 0; i < count && r->error.len == 0; i++) {
		struct run_input *input = add_input(r, paths[i]);

		input->was_found = true;
		good = read_file(r, d, input) && good;
	}
	return good;
}

bool inputs_read(struct run *r, struct diag *d)
{
	static const char *const standard_input[] = { "-" };
	bool good = true;

	if (r->input_count == 0) {
		r->inputs = standard_input;
		r->input_count = 1;
	}
	for (size_t i = 0; i < r->input_count && r->error.len == 0; i++) {
		bool read = decl_is_directory(r->inputs[i])
				    ? read_directory(r, d, r->inputs[i])
				    : read_file(r, d, add_input(r, r->inputs[i]));

		good = read && good;
	}
	return good;
}

void inputs_fini(struct run *r)
{
	vec_foreach (struct run_input **, input, &r->read) {
		free((char *)(*input)->source.text);
	}
	vec_fini(&r->read);
}

/* A name as make and ninja read it in a rule. */
static void write_name(struct out *o, const char *name)
{
	for (; *name; name++) {
		if (*name == '$') {
			out_char(o, '$');
		} else if (strchr(" \t#:", *name)) {
			out_char(o, '\\');
		}
		out_char(o, *name);
	}
}

void inputs_write_rule(const struct run *r, struct out *o)
{
	write_name(o, r->output);
	out_char(o, ':');
	vec_foreach (struct run_input **, input, &r->read) {
		if (strcmp((*input)->path, "-") != 0) {
			out_str(o, " \\\n  ");
			write_name(o, (*input)->path);
		}
	}
	out_char(o, '\n');
	/* What a directory has lost since is no reason for make to stop. */
	vec_foreach (struct run_input **, input, &r->read) {
		if ((*input)->was_found) {
			write_name(o, (*input)->path);
			out_str(o, ":\n");
		}
	}
}
