/* SPDX-License-Identifier: MIT */
/* Lists of held counts: their entries and numbers are used again when they are free. */
#include "analyse/match/held.h"

void held_fini(struct held *h)
{
	vec_fini(&h->entries);
	vec_fini(&h->lists);
	keys_fini(&h->by_frame);
}

static struct key key_of(uint32_t list, uint32_t frame)
{
	return (struct key){ .pid = list, .tid = frame };
}

static uint32_t new_list(struct held *h)
{
	uint32_t list = h->free_lists;

	if (list == 0) {
		vec_push(&h->lists, ((struct held_list){ 0 }));
		list = (uint32_t)h->lists.count;
	} else {
		h->free_lists = h->lists.items[list - 1].first;
	}
	h->lists.items[list - 1] = (struct held_list){ .first = HELD_NONE };
	return list - 1;
}

static uint32_t new_entry(struct held *h)
{
	uint32_t entry = h->free_entries;

	if (entry == 0) {
		vec_push(&h->entries, ((struct held_entry){ 0 }));
		return (uint32_t)h->entries.count - 1;
	}
	h->free_entries = h->entries.items[entry - 1].next;
	return entry - 1;
}

void held_add(struct held *h, uint32_t *list, const struct held_count *count)
{
	if (*list == HELD_NONE) {
		*list = new_list(h);
	}
	const struct key key = key_of(*list, count->frame);
	uint32_t entry = keys_get(&h->by_frame, &key);

	if (entry != KEYS_NONE) {
		h->entries.items[entry].of.self_ns += count->self_ns;
		h->entries.items[entry].of.count += count->count;
		return;
	}
	struct held_list *l = &h->lists.items[*list];

	entry = new_entry(h);
	h->entries.items[entry] = (struct held_entry){ .of = *count, .next = l->first };
	l->first = entry;
	l->count++;
	keys_swap(&h->by_frame, &key, entry);
}

bool held_take(struct held *h, uint32_t *list, struct held_count *count)
{
	if (*list == HELD_NONE) {
		return false;
	}
	struct held_list *l = &h->lists.items[*list];
	struct held_entry *e = &h->entries.items[l->first];
	const struct key key = key_of(*list, e->of.frame);
	uint32_t next = e->next;

	*count = e->of;
	keys_take(&h->by_frame, &key);
	e->next = h->free_entries;
	h->free_entries = l->first + 1;
	l->first = next;
	l->count--;
	if (l->count == 0) {
		l->first = h->free_lists;
		h->free_lists = *list + 1;
		*list = HELD_NONE;
	}
	return true;
}

static uint32_t length(const struct held *h, uint32_t list)
{
	return list == HELD_NONE ? 0 : h->lists.items[list].count;
}

/* Moves the shorter list, so that a long one is not copied for each span around. */
void held_move(struct held *h, uint32_t *from, uint32_t *to)
{
	struct held_count count;

	if (length(h, *from) > length(h, *to)) {
		uint32_t list = *from;

		*from = *to;
		*to = list;
	}
	while (held_take(h, from, &count)) {
		held_add(h, to, &count);
	}
}
