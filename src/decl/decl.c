/* SPDX-License-Identifier: MIT */
/*
 * The table of front ends, and the checks of names over all files of a run. Called by the commands
 * and the readers; calls the front ends, which use front_end.c.
 */
#include "decl/decl.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/compiler.h"
#include "decl/front_end.h"

/*
 * The table: the first row whose suffix ends the file's name is used; the last matches every file.
 */
static const struct {
	const char *suffix;
	void (*read)(struct front_end *fe);
} front_ends[] = {
	{ ".toml", decl_read_toml },
	{ "", decl_read_qemu },
};

static bool has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name);
	size_t suffix_len = strlen(suffix);

	return len >= suffix_len && strcmp(name + len - suffix_len, suffix) == 0;
}

static size_t max_args(const struct decl_options *options)
{
	if (options->lenient || options->max_args > EVENT_ARGS_LIMIT) {
		return EVENT_ARGS_LIMIT;
	}
	return options->max_args ? options->max_args : EVENT_ARGS_DEFAULT;
}

/* Returns false for a binary file, which gets a single error. */
static bool is_text(struct diag *d, const struct source *source)
{
	const char *nul = source->len > 0 ? memchr(source->text, '\0', source->len) : NULL;

	if (nul) {
		diag_error(d, ((struct location){ source, (size_t)(nul - source->text) }),
			"is this a file of declarations? it was not read",
			"a NUL byte: not a text file");
	}
	return !nul;
}

bool decl_read(struct model *m, struct diag *d, const struct source *src,
	const struct decl_options *options)
{
	unsigned int errors = d->errors;
	struct front_end fe = {
		.model = m,
		.diag = d,
		.rules = options->lenient ? NULL : d,
		.source = src,
		.max_args = max_args(options),
		.lenient = options->lenient,
		.old = options->old,
	};

	if (!is_text(d, src)) {
		return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(front_ends); i++) {
		if (has_suffix(src->name, front_ends[i].suffix)) {
			front_ends[i].read(&fe);
			break;
		}
	}
	return d->errors == errors;
}

/* Returns the scope of an end, whose name is derived; else the event itself. */
static const struct event *scope_of(const struct event *e)
{
	return e->begin ? e->begin : e;
}

static void report_clash(
	struct diag *d, const struct event *e, const struct event *first, struct arena *a)
{
	const char *help = arena_printf(a, "rename one of them; the first is at %s:%u",
		first->at.source->name, first->line);
	const struct event *end = e->begin ? e : first;

	if (end->begin && strcmp(scope_of(e)->name, scope_of(first)->name) == 0) {
		return; /* two scopes of one name: reported for their beginnings */
	}
	if (end->begin) {
		diag_error(d, e->at, help, "'%s' clashes with '%s', whose end is the event '%s'",
			scope_of(end == e ? first : e)->name, end->begin->name, end->name);
	} else if (strcmp(e->name, first->name) == 0) {
		diag_error(d, e->at, help, "the event '%s' is declared twice", e->name);
	} else {
		diag_error(d, e->at, help,
			"the events '%s' and '%s' differ only in case: both need the macro "
			"TRACE_%s_ENABLED",
			first->name, e->name, e->upper);
	}
}

/* A scope x has the functions trace_x_enter(), trace_x_leave() and trace_x_start(). */
static const struct event *find_scope_clash(struct model *m, const struct event *e)
{
	static const char *const ends[] = { "enter", "leave", "start" };
	const struct event *other = NULL;

	for (size_t i = 0; e->end && !other && i < ARRAY_SIZE(ends); i++) {
		other = model_find(m, arena_printf(&m->arena, "%s_%s", e->name, ends[i]));
	}
	return other;
}

/*
 * Checks for names of other events: a `vcpu` event x has the macro TRACE_X_VCPU_STATE, like an
 * event x_vcpu; a `tcg` event x has the function trace_x_tcg(), like an event x_tcg.
 */
static bool check_made_names(
	struct model *m, struct diag *d, const struct event *e, const struct hash *by_upper)
{
	const char *of_vcpu = arena_printf(&m->arena, "%s_VCPU", e->upper);
	int declared = (int)(strlen(e->name) - strlen("_exec"));
	const struct event *other = NULL;

	if (e->properties & EVENT_VCPU) {
		other = hash_get(by_upper, of_vcpu);
	}
	if (!other && e->properties & EVENT_TCG_EXEC) {
		other = model_find(m, arena_printf(&m->arena, "%.*s_tcg", declared, e->name));
	}
	if (!other) {
		other = find_scope_clash(m, e);
	}
	if (other) {
		diag_error(d, other->at,
			arena_printf(&m->arena, "rename one of them; the other is at %s:%u",
				e->at.source->name, e->line),
			"the code generated for '%s' and for '%s' would have the same name",
			e->name, other->name);
	}
	return !other;
}

bool decl_finish(struct model *m, struct diag *d)
{
	struct hash seen;
	bool ok = true;

	hash_init(&seen);
	vec_foreach (struct event **, it, &m->events) {
		const struct event *first = hash_add(&seen, (*it)->upper, *it);

		if (first != *it) {
			report_clash(d, *it, first, &m->arena);
			ok = false;
		}
	}
	vec_foreach (struct event **, it, &m->events) {
		ok = check_made_names(m, d, *it, &seen) && ok;
	}
	hash_fini(&seen);
	return ok;
}

/* Counts events whose name contains that of `e`; sets the first one. */
static size_t count_around(const struct model *m, const struct event *e, const struct event **first)
{
	size_t count = 0;

	vec_foreach (struct event **, it, &m->events) {
		if (*it != e && !(*it)->begin && strstr((*it)->name, e->name)) {
			*first = count++ ? *first : *it;
		}
	}
	return count;
}

void decl_warn_of_names(struct model *m, struct diag *d)
{
	vec_foreach (struct event **, it, &m->events) {
		const struct event *e = *it;
		const struct event *first = NULL;
		size_t count = e->begin ? 0 : count_around(m, e, &first);

		if (count > 0) {
			diag_warning(d, e->at,
				arena_printf(&m->arena,
					"rename one of them, or switch it by the pattern ^%s$",
					e->name),
				"the pattern '%s' also matches '%s'%s", e->name, first->name,
				count > 1 ? arena_printf(&m->arena, " and %zu more", count - 1)
					  : "");
		}
	}
}

/* ---- A directory in place of files ---- */

/* Finds the declaration files of a directory, ordered by the bytes of their names. */

#define SUFFIX ".toml"

bool decl_is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Skips hidden files, which editors keep next to an open file. */
static int is_declaration(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);
	size_t suffix = strlen(SUFFIX);

	return entry->d_name[0] != '.' && len > suffix &&
	       strcmp(entry->d_name + len - suffix, SUFFIX) == 0;
}

static int compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/*
 * Returns a message about the first path that cannot be read, NULL if there is none. Opening a pipe
 * would wait for its writer. A directory of that name becomes an error when it is read.
 */
static const char *find_odd(struct arena *arena, const char *const *paths, size_t count)
{
	struct stat st;

	for (size_t i = 0; i < count; i++) {
		if (stat(paths[i], &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
			return arena_printf(arena, "%s is not a regular file", paths[i]);
		}
	}
	return NULL;
}

const char *decl_list_directory(
	struct arena *arena, const char *directory, const char *const **paths, size_t *count)
{
	struct dirent **entries = NULL;
	int found = scandir(directory, &entries, is_declaration, compare);
	size_t len = strlen(directory);
	const char *slash = len > 0 && directory[len - 1] == '/' ? "" : "/";

	if (found < 0) {
		return strerror(errno);
	}
	const char **list = arena_array(arena, const char *, (size_t)found + 1);

	for (int i = 0; i < found; i++) {
		list[i] = arena_printf(arena, "%s%s%s", directory, slash, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	*paths = list;
	*count = (size_t)found;
	return found ? find_odd(arena, list, *count) : "a directory without files *" SUFFIX;
}
