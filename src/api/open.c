/* SPDX-License-Identifier: MIT */
/*
 * Opens and closes the readers of waymark/reader.h, with the selection of the options, and moves
 * them to a time by opening their traces anew.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/reader.h"
#include "base/hash.h"
#include "base/memory.h"
#include "read/merge.h"
#include "read/where.h"

static void set_error(char *error, size_t size, const char *text, size_t length)
{
	snprintf(error, error ? size : 0, "%.*s", (int)length, text);
}

/* Closes the reader with an error. Returns NULL. */
static struct waymark_reader *fail(
	struct waymark_reader *r, char *error, size_t size, const char *text, size_t length)
{
	set_error(error, size, text, length);
	waymark_reader_close(r);
	return NULL;
}

/* Sets the expression. Returns false with the error if it is wrong, or fits no declared event. */
static bool set_where(struct waymark_reader *r, const char *text, char *error, size_t size)
{
	const char *misfit = NULL;
	struct expr_error why;
	struct where *w = r->filter.where = where_parse(text, &why);

	if (w && (!reader_declares_all(r->reader) || where_check(w, r->reader, &why, &misfit))) {
		return true;
	}
	snprintf(error, error ? size : 0, "where, byte %zu: %s%s%s%s%s", why.at,
		misfit ? misfit : "", misfit ? ": " : "", why.text, *why.help ? ": " : "",
		why.help);
	return false;
}

/* Sets the patterns of names. Returns false with the error if one is no regular expression. */
static bool set_events(
	struct waymark_reader *r, const char *const *events, char *error, size_t size)
{
	char why[128];

	for (; *events; events++) {
		const char *text = arena_strdup(&r->arena, *events);

		if (!filter_add_pattern(&r->filter, text, why, sizeof(why))) {
			snprintf(error, error ? size : 0, "'%s' is not a regular expression: %s",
				text, why);
			return false;
		}
	}
	return true;
}

static void set_ids(struct filter_ids *ids, const uint32_t *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		vec_push(ids, items[i]);
	}
}

/* Sets the selection, and lets the reader leave out what it excludes. */
static bool set_filter(struct waymark_reader *r, const struct waymark_reader_options *how,
	char *error, size_t size)
{
	struct filter *f = &r->filter;

	set_ids(&f->pids, how->pids, how->pid_count);
	set_ids(&f->tids, how->tids, how->tid_count);
	f->from = (struct filter_time){ .ns = (int64_t)how->from_ns, .set = how->from_ns != 0 };
	f->to = (struct filter_time){ .ns = (int64_t)how->to_ns, .set = how->to_ns != 0 };
	if ((how->events && !set_events(r, how->events, error, size)) ||
		(how->where && !set_where(r, how->where, error, size))) {
		return false;
	}
	r->from = f->from;
	filter_start(f, r->reader);
	filter_limit(f);
	r->is_filtered = !filter_is_empty(f);
	return true;
}

/* The traces to open: paths, or a descriptor if there are none. */
struct origin {
	const char *const *paths;
	size_t count;
	int fd;
};

static struct waymark_reader *open_reader(const struct origin *from,
	const struct waymark_reader_options *how, char *error, size_t size)
{
	struct waymark_reader *r = xcalloc(1, sizeof(*r));
	const char *declarations = how->declarations;
	struct reader_options options = { 0 };
	struct read_error why;

	declarations_init(&r->declarations);
	arena_init(&r->arena);
	arena_init(&r->of_messages);
	arena_init(&r->texts);
	filter_init(&r->filter);
	out_init(&r->text, OUT_TO_MEMORY);
	out_init(&r->field, OUT_TO_MEMORY);
	if (declarations && !declarations_add(&r->declarations, declarations)) {
		/* Uses the first line of the first fault. */
		const struct out *faults = &r->declarations.diag.out;
		const char *end = memchr(faults->data, '\n', faults->len);

		return fail(r, error, size, faults->data, (size_t)(end - faults->data));
	}
	r->wait_ms = how->wait_ms;
	if (how->follow) {
		options.follow = how->only_new ? FOLLOW_NEW : FOLLOW_ALL;
	}
	options.declarations = declarations ? &r->declarations.model : NULL;
	r->paths = arena_array(&r->arena, const char *, from->count);
	for (size_t i = 0; i < from->count; i++) {
		r->paths[i] = arena_strdup(&r->arena, from->paths[i]);
	}
	r->options = options;
	r->path_count = from->count;
	r->reader = from->count ? merge_open(r->paths, from->count, &options, &why)
				: reader_open_fd(from->fd, &options, &why);
	if (!r->reader) {
		return fail(r, error, size, why.text, strlen(why.text));
	}
	if (!set_filter(r, how, error, size)) {
		waymark_reader_close(r);
		return NULL;
	}
	return r;
}

struct waymark_reader *waymark_reader_open(
	const char *path, const char *declarations, char *error, size_t error_size)
{
	const struct origin from = { .paths = &path, .count = 1 };
	const struct waymark_reader_options how = { .declarations = declarations };

	return open_reader(&from, &how, error, error_size);
}

struct waymark_reader *waymark_reader_open_several(const char *const *paths, size_t count,
	const char *declarations, char *error, size_t error_size)
{
	const struct origin from = { .paths = paths, .count = count };
	const struct waymark_reader_options how = { .declarations = declarations };

	return open_reader(&from, &how, error, error_size);
}

struct waymark_reader *waymark_reader_open_fd(
	int fd, const char *declarations, char *error, size_t error_size)
{
	const struct origin from = { .fd = fd };
	const struct waymark_reader_options how = { .declarations = declarations };

	return open_reader(&from, &how, error, error_size);
}

struct waymark_reader *waymark_reader_open_with(const char *const *paths, size_t count,
	const struct waymark_reader_options *options, char *error, size_t error_size)
{
	const struct origin from = { .paths = paths, .count = count };
	static const char wrong[] = "options of another version, or no trace";
	struct waymark_reader_options all = { 0 };

	/* A program built with an older header has fewer options. */
	if (count == 0 || options->size < offsetof(struct waymark_reader_options, where) ||
		options->size > sizeof(all)) {
		set_error(error, error_size, wrong, sizeof(wrong) - 1);
		return NULL;
	}
	memcpy(&all, options, options->size);
	return open_reader(&from, &all, error, error_size);
}

void waymark_reader_stop(struct waymark_reader *r)
{
	reader_stop(r->reader);
}

void waymark_reader_close(struct waymark_reader *r)
{
	if (!r) {
		return;
	}
	reader_close(r->reader);
	reader_close(r->first);
	reader_free_kept(r->kept);
	vec_fini(&r->outline.threads);
	filter_fini(&r->filter);
	free(r->batch);
	arena_fini(&r->texts);
	declarations_fini(&r->declarations);
	vec_fini(&r->messages);
	arena_fini(&r->of_messages);
	arena_fini(&r->arena);
	out_fini(&r->text);
	out_fini(&r->field);
	free(r);
}

/* ---- Names that stay valid ---- */

/*
 * Names that were returned stay valid: the first reader keeps its names when its files are closed,
 * and names of later readers are copied when they are returned. So all seeks together take no more
 * memory than one.
 */

struct kept_texts {
	struct hash by_text;
	struct arena arena;
};

const char *reader_keep(const struct waymark_reader *r, const char *text)
{
	struct kept_texts *k = r->kept;

	if (LIKELY(!k) || !text) {
		return text;
	}
	char *kept = hash_get(&k->by_text, text);

	if (!kept) {
		kept = arena_strdup(&k->arena, text);
		hash_add(&k->by_text, kept, kept);
	}
	return kept;
}

void reader_free_kept(struct kept_texts *k)
{
	if (k) {
		hash_fini(&k->by_text);
		arena_fini(&k->arena);
		free(k);
	}
}

/* Keeps the names of the first reader; events have the same pointers as before. */
static void keep_first(struct waymark_reader *r, struct reader *first)
{
	r->first = first;
	r->kept = xcalloc(1, sizeof(*r->kept));
	hash_init(&r->kept->by_text);
	arena_init(&r->kept->arena);
	vec_foreach (struct event_class *const *, it, &first->classes.all) {
		hash_add(&r->kept->by_text, (*it)->name, (void *)(*it)->name);
	}
	reader_close_files(first);
}

/* ---- Seek ---- */

/* True if the traces can be read once more. */
static bool can_read_again(const struct waymark_reader *r)
{
	struct stat st;

	for (size_t i = 0; i < r->path_count; i++) {
		if (strcmp(r->paths[i], "-") == 0 || stat(r->paths[i], &st) != 0 ||
			!(S_ISDIR(st.st_mode) || S_ISREG(st.st_mode))) {
			return false;
		}
	}
	return r->path_count > 0 && r->options.follow == FOLLOW_NOT;
}

int waymark_reader_seek(struct waymark_reader *r, uint64_t ns)
{
	struct read_error why;
	struct filter_time from = { .ns = (int64_t)ns, .set = true };
	struct reader *next = NULL;

	if (can_read_again(r)) {
		next = merge_open(r->paths, r->path_count, &r->options, &why);
	}
	if (!next) {
		return -1;
	}
	struct reader *left = r->reader;

	r->reader = next;
	/* They are of the other reader's classes. */
	r->messages.count = 0;
	arena_fini(&r->of_messages);
	arena_init(&r->of_messages);
	r->batch_at = r->batch_count = 0;
	r->state = WAYMARK_READ_NOTHING;
	r->filter.from = (int64_t)ns > r->from.ns || !r->from.set ? from : r->from;
	filter_start(&r->filter, next);
	filter_limit(&r->filter);
	r->is_filtered = true;
	if (r->first) {
		reader_close(left);
	} else {
		keep_first(r, left);
	}
	return 0;
}
