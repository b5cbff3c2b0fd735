/* SPDX-License-Identifier: MIT */
/*
 * Reads declarations, from files and directories, and writes generated files and depfiles.
 * All inputs are read before anything is written, so that one run reports all faults.
 */
#include "cmd/tracetool/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decl/decl.h"

/* No declarations are longer: the path is a device, or wrong. */
#define INPUT_MAX ((size_t)64 << 20)

static bool fail(struct out *error, const char *what, const char *path, const char *reason)
{
	OUT(error, "cannot ${what} ${path}: ${reason}", { "what", what }, { "path", path },
		{ "reason", reason });
	return false;
}

static bool is_standard(const char *path)
{
	return strcmp(path, "-") == 0;
}

bool file_is_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool file_is_same(const char *a, const char *b)
{
	struct stat sa;
	struct stat sb;

	return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

/* Reads to the end, or until more than INPUT_MAX. Returns 0 or an errno. */
static int read_all(int fd, struct out *to)
{
	while (to->len <= INPUT_MAX) {
		size_t room = 64 * 1024;
		ssize_t n = read(fd, out_reserve(to, room), room);

		if (n == 0) {
			return 0;
		}
		if (n > 0) {
			out_advance(to, (size_t)n);
		} else if (errno != EINTR) {
			return errno;
		}
	}
	return EFBIG;
}

bool file_read(struct source *src, const char *path, struct out *error)
{
	const char *name = is_standard(path) ? "<stdin>" : path;
	int fd = is_standard(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct out text;

	if (fd < 0) {
		return fail(error, "read", name, strerror(errno));
	}
	out_init(&text, OUT_TO_MEMORY);
	int failed = read_all(fd, &text);

	if (fd != STDIN_FILENO) {
		close(fd);
	}
	if (failed) {
		out_fini(&text);
		return fail(error, "read", name,
			failed == EFBIG ? "more than 64 MiB: not a declaration" : strerror(failed));
	}
	*src = (struct source){ .name = name, .text = text.data, .len = text.len };
	return true;
}

static int write_all(int fd, const struct out *text)
{
	for (size_t done = 0; done < text->len;) {
		ssize_t n = write(fd, text->data + done, text->len - done);

		if (n >= 0) {
			done += (size_t)n;
		} else if (errno != EINTR) {
			return errno;
		}
	}
	return 0;
}

/* True if a file with the status `st` already has the text. */
static bool is_unchanged(const char *path, const struct stat *st, const struct out *text)
{
	bool same = false;
	struct source old;
	struct out ignored;

	if ((size_t)st->st_size != text->len) {
		return false;
	}
	out_init(&ignored, OUT_TO_MEMORY);
	if (file_read(&old, path, &ignored)) {
		same = old.len == text->len && memcmp(old.text, text->data, old.len) == 0;
		free((char *)old.text);
	}
	out_fini(&ignored);
	return same;
}

/* Writes to a device or a pipe, which cannot be replaced. */
static bool write_in_place(const char *path, const struct out *text, struct out *error)
{
	int fd = is_standard(path) ? STDOUT_FILENO : open(path, O_WRONLY | O_CLOEXEC);
	const char *name = is_standard(path) ? "standard output" : path;

	if (fd < 0) {
		return fail(error, "write", name, strerror(errno));
	}
	int failed = write_all(fd, text);

	if (close(fd) && !failed) {
		failed = errno;
	}
	return failed ? fail(error, "write", name, strerror(failed)) : true;
}

static mode_t default_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/*
 * Writes a temporary file in the folder of `path` and renames it, so that no reader sees half a
 * file.
 */
static int replace(const char *path, mode_t mode, const struct out *text)
{
	const char *slash = strrchr(path, '/');
	struct out name;

	out_init(&name, OUT_TO_MEMORY);
	out_bytes(&name, path, slash ? (size_t)(slash - path) + 1 : 0);
	out_bytes(&name, ".tracetool-XXXXXX", sizeof(".tracetool-XXXXXX"));
	int fd = mkostemp(name.data, O_CLOEXEC);
	int failed = fd < 0 || fchmod(fd, mode) ? errno : 0;

	if (fd >= 0) {
		failed = write_all(fd, text);
		if (close(fd) && !failed) {
			failed = errno;
		}
		if (!failed && rename(name.data, path)) {
			failed = errno;
		}
		if (failed) {
			unlink(name.data);
		}
	}
	out_fini(&name);
	return failed;
}

bool file_write(const char *path, const struct out *text, bool always, struct out *error)
{
	struct stat st;
	bool exists = !is_standard(path) && stat(path, &st) == 0;

	if (is_standard(path) || (exists && !S_ISREG(st.st_mode))) {
		return write_in_place(path, text, error);
	}
	if (exists && !always && is_unchanged(path, &st, text)) {
		return true;
	}
	char *target = exists ? realpath(path, NULL) : NULL;
	mode_t mode = exists ? st.st_mode & 0777 : default_mode();
	int failed = replace(target ? target : path, mode, text);

	free(target);
	return failed ? fail(error, "write", path, strerror(failed)) : true;
}

/* ---- Inputs ---- */

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

/* Reads every file of a directory, even after a wrong one. */
static bool read_directory(struct run *r, struct diag *d, const char *directory)
{
	const char *const *paths = NULL;
	size_t count = 0;
	const char *reason = decl_list_directory(&r->model.arena, directory, &paths, &count);
	bool good = true;

	/* Adds a dot: make would take `trace` for a program, and build it from trace.c. */
	add_input(r, arena_printf(&r->model.arena, "%s/.", directory));
	if (reason) {
		return fail(&r->error, "read", directory, reason);
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

/* Writes a name with the escapes of rules of make and ninja. */
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
	/* A separate rule, so that make continues if the directory has lost the file. */
	vec_foreach (struct run_input **, input, &r->read) {
		if ((*input)->was_found) {
			write_name(o, (*input)->path);
			out_str(o, ":\n");
		}
	}
}
