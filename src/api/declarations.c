/* SPDX-License-Identifier: MIT */
/* Reads declaration files for the commands that read traces, and for waymark/reader.h. */
#include "api/declarations.h"

#include <errno.h>
#include <string.h>

#include "decl/decl.h"
#include "read/input.h"
#include "read/reader.h"

/* Limit of a declaration file's size; a larger file is a trace or a disk. */
#define FILE_MAX ((size_t)256 << 20)

void declarations_init(struct declarations *d)
{
	*d = (struct declarations){ 0 };
	model_init(&d->model);
	diag_init(&d->diag);
}

void declarations_fini(struct declarations *d)
{
	diag_fini(&d->diag);
	model_fini(&d->model);
}

static bool fail(struct declarations *d, const char *path, const char *why)
{
	d->diag.errors++;
	d->is_unreadable = true;
	out_printf(&d->diag.out, "cannot read the declarations %s: %s\n", path, why);
	return false;
}

/* Reads a file into the model's arena. */
static bool read_text(struct declarations *d, const char *path, struct source *source)
{
	struct input in;
	int failed = input_open(&in, path);

	if (failed) {
		return fail(d, path, strerror(failed));
	}
	if (reader_is_trace(&in)) {
		input_fini(&in);
		return fail(d, path, "this is a trace: are trace and declarations swapped?");
	}
	size_t wanted = 1;

	while (wanted < FILE_MAX && input_has(&in, wanted)) {
		wanted = 2 * input_left(&in) + 1;
	}
	source->name = arena_strdup(&d->model.arena, path);
	source->len = input_left(&in);
	source->text = arena_strndup(&d->model.arena, (const char *)in.pos, source->len);
	failed = in.error;
	input_fini(&in);
	if (failed) {
		return fail(d, path, strerror(failed));
	}
	return wanted < FILE_MAX || fail(d, path, strerror(EFBIG));
}

/* Reads all files before parsing one, so that an unreadable file is the only error. */
static bool add_files(struct declarations *d, const char *const *paths, size_t count)
{
	const struct decl_options options = { .lenient = true, .max_args = EVENT_ARGS_LIMIT };
	struct source *sources = arena_array(&d->model.arena, struct source, count);
	bool good = true;

	for (size_t i = 0; i < count; i++) {
		if (!read_text(d, paths[i], &sources[i])) {
			return false;
		}
	}
	for (size_t i = 0; i < count; i++) {
		good = decl_read(&d->model, &d->diag, &sources[i], &options) && good;
	}
	return good;
}

bool declarations_add(struct declarations *d, const char *path)
{
	const char *const *paths = NULL;
	size_t count = 0;

	if (!decl_is_directory(path)) {
		return add_files(d, &path, 1);
	}
	const char *reason = decl_list_directory(&d->model.arena, path, &paths, &count);

	return reason ? fail(d, path, reason) : add_files(d, paths, count);
}
