/* SPDX-License-Identifier: MIT */
/*
 * Moves a reader of waymark/reader.h to a time, by opening its traces anew. Names that were
 * returned stay valid: the first reader keeps its names when its files are closed, and names of
 * later readers are copied when they are returned. So all seeks together take no more memory than
 * one.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/reader.h"
#include "base/hash.h"
#include "base/memory.h"
#include "read/merge.h"

/* ---- Names ---- */

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
