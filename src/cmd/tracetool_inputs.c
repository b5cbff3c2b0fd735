/* SPDX-License-Identifier: MIT */
/* Inputs of tracetool, see cmd/tracetool_inputs.h. */
#include "cmd/tracetool_inputs.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/tracetool_files.h"

#define SUFFIX ".toml"

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

/* Editors keep hidden files beside the one that is being edited. */
static int is_declaration(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);
	size_t suffix = strlen(SUFFIX);

	return entry->d_name[0] != '.' && len > suffix &&
	       strcmp(entry->d_name + len - suffix, SUFFIX) == 0;
}

/* By bytes, whatever the locale: the same events in the same order everywhere. */
static int compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool fail(struct run *r, const char *path, const char *reason)
{
	out_printf(&r->error, "cannot read %s: %s", path, reason);
	return false;
}

/* Every file of the directory, though one is wrong. */
static bool read_files(
	struct run *r, struct diag *d, const char *directory, struct dirent **entries)
{
	size_t len = strlen(directory);
	const char *slash = len > 0 && directory[len - 1] == '/' ? "" : "/";
	bool good = true;

	for (; *entries && r->error.len == 0; entries++) {
		struct run_input *input =
			add_input(r, arena_printf(&r->model.arena, "%s%s%s", directory, slash,
					     (*entries)->d_name));

		input->was_found = true;
		good = read_file(r, d, input) && good;
	}
	return good;
}

static bool read_directory(struct run *r, struct diag *d, const char *directory)
{
	struct dirent **entries = NULL;
	int count = scandir(directory, &entries, is_declaration, compare);

	/* With the dot, since make takes `trace` for a program, and has a rule to make it of
	 * trace.c. */
	add_input(r, arena_printf(&r->model.arena, "%s/.", directory));
	if (count < 0) {
		return fail(r, directory, strerror(errno));
	}
	if (count == 0) {
		free(entries);
		return fail(r, directory, "a directory without files *" SUFFIX);
	}
	struct dirent **all = arena_array(&r->model.arena, struct dirent *, (size_t)count + 1);

	memcpy(all, entries, (size_t)count * sizeof(struct dirent *));
	bool good = read_files(r, d, directory, all);

	while (count > 0) {
		free(entries[--count]);
	}
	free(entries);
	return good;
}

bool inputs_read(struct run *r, struct diag *d)
{
	static char name[] = "-";
	static char *standard_input[] = { name, NULL };
	bool good = true;

	if (r->input_count == 0) {
		r->inputs = standard_input;
		r->input_count = 1;
	}
	for (size_t i = 0; i < r->input_count && r->error.len == 0; i++) {
		bool read = file_is_directory(r->inputs[i])
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
