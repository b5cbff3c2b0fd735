/* SPDX-License-Identifier: MIT */
/*
 * Counts of frames that are held back in lists, one for each open span: only its end decides
 * whether they count. A list has an entry for each frame, so memory is bounded by the open spans
 * and the number of different stacks in each. One thread.
 */
#ifndef ANALYSE_HELD_H
#define ANALYSE_HELD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "read/keys.h"

/* An empty list; the caller keeps the number of each list. */
#define HELD_NONE UINT32_MAX

struct held_count {
	uint32_t frame;
	uint64_t self_ns;
	uint64_t count;
};

struct held_entry {
	struct held_count of;
	uint32_t next; /* in its list, or of the free entries; HELD_NONE: the last */
};

struct held_list {
	uint32_t first; /* index of `entries`; of a free list: the next free one */
	uint32_t count;
};

/* Empty when zeroed. */
struct held {
	/* For held.c only: */
	VEC(struct held_entry) entries;
	VEC(struct held_list) lists;
	uint32_t free_entries; /* index of the first free entry + 1; 0: none */
	uint32_t free_lists; /* the same of lists */
	struct keys by_frame; /* indices of `entries`, by list and frame */
};

void held_fini(struct held *h);

/* Adds a count to a list; makes the list if it is HELD_NONE. */
void held_add(struct held *h, uint32_t *list, const struct held_count *count);

/* Moves all counts of a list to another, and makes it empty. */
void held_move(struct held *h, uint32_t *from, uint32_t *to);

/* Takes a count out of a list; false if the list is empty. */
bool held_take(struct held *h, uint32_t *list, struct held_count *count);

#endif
