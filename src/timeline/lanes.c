/* SPDX-License-Identifier: MIT */
/*
 * The asynchronous scopes of a section by its thread: a table of the open ones, and the slots of
 * each group.
 */
#include "timeline/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define FIRST_BUCKETS 64

/* Scopes that may begin in a section or be open, and ends of those that were open before it. */
#define BEGUN_MAX ((size_t)1 << 20)
#define OPEN_MAX ((size_t)1 << 16)
#define RELEASED_MAX ((size_t)1 << 16)

/* ---- Open scopes ---- */

static void empty_buckets(struct section_lanes *a)
{
	memset(a->buckets, 0xff, a->bucket_count * sizeof(*a->buckets));
}

static inline uint32_t *bucket_of(const struct section_lanes *a, uint64_t print)
{
	return &a->buckets[print & (a->bucket_count - 1)];
}

static COLD void add_buckets(struct section_lanes *a)
{
	a->bucket_count *= 2;
	a->buckets = xrealloc(a->buckets, a->bucket_count * sizeof(*a->buckets));
	empty_buckets(a);
	for (size_t i = 0; i < a->open.count; i++) {
		struct section_async *open = &a->open.items[i];

		if (open->slot != KEYS_NONE) {
			uint32_t *bucket = bucket_of(
				a, section_fingerprint(open->scope, open->tid, open->group));

			open->next = *bucket;
			*bucket = (uint32_t)i;
		}
	}
}

/* Returns the link to an open scope; *link is KEYS_NONE if there is none. */
static inline uint32_t *find(
	struct section_lanes *a, const struct key *key, uint32_t group, uint64_t print)
{
	uint32_t *link = bucket_of(a, print);

	while (*link != KEYS_NONE) {
		struct section_async *open = &a->open.items[*link];

		if (open->scope == key->scope && open->tid == key->tid && open->group == group) {
			break;
		}
		link = &open->next;
	}
	return link;
}

static inline struct section_async *new_open(struct section_lanes *a, uint32_t *bucket)
{
	uint32_t index = a->free;

	if (UNLIKELY(index == KEYS_NONE)) {
		index = (uint32_t)a->open.count;
		vec_push(&a->open, ((struct section_async){ 0 }));
	} else {
		a->free = a->open.items[index].next;
	}
	struct section_async *open = &a->open.items[index];

	open->next = *bucket;
	*bucket = index;
	a->count++;
	return open;
}

static inline void remove_open(struct section_lanes *a, uint32_t *link)
{
	uint32_t index = *link;
	struct section_async *open = &a->open.items[index];

	*link = open->next;
	open->next = a->free;
	open->slot = KEYS_NONE;
	a->free = index;
	a->count--;
}

/* ---- Groups and slots ---- */

static COLD uint32_t find_group(struct section_lanes *a, const struct key *of, size_t class)
{
	const struct key key = { .trace = of->trace, .pid = of->pid, .name = of->name };
	uint32_t group = keys_get(&a->by_key, &key);

	if (group == KEYS_NONE) {
		group = (uint32_t)a->groups.count;
		vec_push(&a->groups, ((struct section_group){
					     key.trace, key.pid, key.name, .rest = KEYS_NONE }));
		keys_swap(&a->by_key, &key, group);
	}
	while (a->known.count <= class) {
		vec_push(&a->known, ((struct section_known){ .group = KEYS_NONE }));
	}
	a->known.items[class] = (struct section_known){ key.trace, key.pid, group };
	return group;
}

static inline uint32_t group_of(struct section_lanes *a, const struct key *key, size_t class)
{
	if (LIKELY(class < a->known.count)) {
		const struct section_known *known = &a->known.items[class];

		if (LIKELY(known->group != KEYS_NONE && known->pid == key->pid &&
			    known->trace == key->trace)) {
			return known->group;
		}
	}
	return find_group(a, key, class);
}

static COLD uint32_t new_slot(struct section_lanes *a, uint32_t group, uint32_t released)
{
	if (a->used == a->slots.count) {
		vec_push(&a->slots, ((struct section_slot){ 0 }));
		vec_push(&a->taken, false);
	}
	struct section_slot *slot = &a->slots.items[a->used];

	slot->group = group;
	slot->row.is_shared = ++a->groups.items[group].slots > LEVELS_LANES_MAX;
	slot->released = released;
	slot->lane = KEYS_NONE;
	a->taken.items[a->used] = false;
	return (uint32_t)a->used++;
}

static inline uint32_t take_slot(struct section_lanes *a, uint32_t group)
{
	struct section_group *g = &a->groups.items[group];
	uint32_t slot = LIKELY(g->free.count > 0) ? g->free.items[--g->free.count]
						  : new_slot(a, group, KEYS_NONE);

	a->taken.items[slot] = true;
	return slot;
}

static inline void cover(struct section_lanes *a, struct section_steps *s,
	const struct section_async *open, uint64_t ns)
{
	const struct section_slice slice = { open->begin_ns, open->class, false };

	section_cover(s, &a->slots.items[open->slot].row, &slice, (int64_t)ns);
}

/* ---- Records ---- */

/* A scope that begins twice ends the first one, and keeps its slot. */
static COLD void begin_again(struct section_lanes *a, struct section_steps *s,
	struct section_async *open, const struct record *rec)
{
	cover(a, s, open, rec->ns);
	open->begin_ns = (int64_t)rec->ns;
	open->class = (uint32_t)rec->class->index;
}

void section_lanes_begin(struct section_lanes *a, struct section_steps *s, const struct record *rec,
	const struct key *key)
{
	uint32_t group = group_of(a, key, rec->class->index);
	uint64_t print = section_fingerprint(key->scope, key->tid, group);
	uint32_t *link = find(a, key, group, print);

	if (UNLIKELY(*link != KEYS_NONE)) {
		begin_again(a, s, &a->open.items[*link], rec);
		return;
	}
	if (UNLIKELY(a->begun.count == BEGUN_MAX || a->count == OPEN_MAX)) {
		s->is_odd = true;
		return;
	}
	vec_push(&a->begun, print);
	a->least = key->scope < a->least ? key->scope : a->least;
	a->most = key->scope > a->most ? key->scope : a->most;
	if (UNLIKELY(a->count >= a->bucket_count)) {
		add_buckets(a);
	}
	struct section_async *open = new_open(a, bucket_of(a, print));

	open->scope = key->scope;
	open->tid = key->tid;
	open->group = group;
	open->begin_ns = (int64_t)rec->ns;
	open->class = (uint32_t)rec->class->index;
	open->slot = take_slot(a, group);
}

static COLD void release(
	struct section_lanes *a, struct section_steps *s, const struct key *key, uint32_t group)
{
	uint32_t slot;

	if (a->released.count == RELEASED_MAX) {
		s->is_odd = true;
		return;
	}
	slot = new_slot(a, group, (uint32_t)a->released.count);
	vec_push(&a->groups.items[group].free, slot);
	vec_push(&a->released, ((struct section_released){ *key, slot, a->begun.count }));
}

bool section_lanes_end(struct section_lanes *a, struct section_steps *s, const struct record *rec,
	const struct key *key)
{
	uint32_t group = group_of(a, key, rec->class->index);
	uint32_t *link = find(a, key, group, section_fingerprint(key->scope, key->tid, group));

	if (UNLIKELY(*link == KEYS_NONE)) {
		release(a, s, key, group);
		return false;
	}
	const struct section_async *open = &a->open.items[*link];

	cover(a, s, open, rec->ns);
	vec_push(&a->groups.items[group].free, open->slot);
	remove_open(a, link);
	return true;
}

/* ---- Memory ---- */

void section_lanes_init(struct section_lanes *a)
{
	*a = (struct section_lanes){ .free = KEYS_NONE, .bucket_count = FIRST_BUCKETS };
	a->buckets = xcalloc(a->bucket_count, sizeof(*a->buckets));
	section_lanes_clear(a, false);
}

void section_lanes_fini(struct section_lanes *a)
{
	vec_foreach (struct section_group *, g, &a->groups) {
		vec_fini(&g->free);
	}
	vec_foreach (struct section_slot *, slot, &a->slots) {
		section_row_free(&slot->row);
	}
	vec_fini(&a->groups);
	vec_fini(&a->known);
	vec_fini(&a->slots);
	vec_fini(&a->taken);
	vec_fini(&a->open);
	vec_fini(&a->released);
	vec_fini(&a->begun);
	free(a->buckets);
	keys_fini(&a->by_key);
}

void section_lanes_clear(struct section_lanes *a, bool frees_rows)
{
	for (size_t i = 0; i < a->used; i++) {
		section_row_clear(&a->slots.items[i].row);
	}
	if (frees_rows) {
		vec_foreach (struct section_slot *, slot, &a->slots) {
			section_row_free(&slot->row);
		}
	}
	vec_foreach (struct section_group *, g, &a->groups) {
		g->free.count = g->slots = 0;
	}
	a->used = a->count = a->open.count = 0;
	a->released.count = a->begun.count = 0;
	a->free = KEYS_NONE;
	a->least = INT64_MAX;
	a->most = INT64_MIN;
	empty_buckets(a);
}
