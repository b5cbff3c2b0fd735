/* SPDX-License-Identifier: MIT */
/*
 * Joins the asynchronous scopes of a section with the levels: finds the lanes of its slots. Costs
 * nothing for scopes that begin and end in the section, but for a look at their fingerprints where
 * numbers are used again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timeline/lanes.h"

/* ---- Names ---- */

static uint32_t name_in(struct pairs *to, const struct pairs *from, uint32_t name)
{
	const char *text = from->names.items[name];

	return texts_number(&to->names, text, strlen(text));
}

void section_names_fini(struct section_names *n)
{
	vec_fini(&n->to_levels);
	vec_fini(&n->to_own);
}

uint32_t section_name_in_levels(struct section_names *n, uint32_t name)
{
	for (size_t i = n->to_levels.count; i <= name; i++) {
		vec_push(&n->to_levels, name_in(n->levels, n->own, (uint32_t)i));
	}
	return n->to_levels.items[name];
}

static uint32_t own_name(struct section_names *n, uint32_t name)
{
	for (size_t i = n->to_own.count; i <= name; i++) {
		vec_push(&n->to_own, name_in(n->own, n->levels, (uint32_t)i));
	}
	return n->to_own.items[name];
}

static struct key key_in_levels(struct section_names *n, const struct key *key)
{
	struct key in = *key;

	in.name = section_name_in_levels(n, key->name);
	return in;
}

/* ---- The check ---- */

/* A scope that was open before the section. */
struct older {
	uint64_t print; /* 0: this slot is free */
	size_t begun; /* that many begin before it ends; SIZE_MAX: it does not end */
};

/* Hashed by their fingerprints. */
struct olders {
	struct older *slots; /* NULL: there is none */
	size_t capacity; /* a power of two; at most half of it is used */
};

static struct older *find_older(const struct olders *o, uint64_t print)
{
	size_t at = print & (o->capacity - 1);

	while (o->slots[at].print != 0 && o->slots[at].print != print) {
		at = (at + 1) & (o->capacity - 1);
	}
	return &o->slots[at];
}

static void add_older(struct olders *o, uint64_t print, size_t begun, size_t most)
{
	if (!o->slots) {
		for (o->capacity = 64; o->capacity < 2 * most; o->capacity *= 2) {
		}
		o->slots = xcalloc(o->capacity, sizeof(*o->slots));
	}
	*find_older(o, print) = (struct older){ print, begun };
}

/* Finds the lanes of slots that were released; false if a scope took one that has none. */
static bool find_released(
	struct section_lanes *a, const struct pairs *p, struct section_names *names, size_t *ends)
{
	vec_foreach (const struct section_released *, r, &a->released) {
		const struct key key = key_in_levels(names, &r->key);
		const struct scope_span *span = pairs_find(p, &key);
		struct section_slot *slot = &a->slots.items[r->slot];

		if (span && ends[span - p->spans.items] == SIZE_MAX) {
			ends[span - p->spans.items] = r->begun;
			slot->lane = span->mark;
		} else if (a->taken.items[r->slot]) {
			return false;
		}
	}
	return true;
}

/* Finds the older scopes whose numbers may begin in the section. */
static struct olders find_olders(const struct section_lanes *a, const struct pairs *p,
	struct section_names *names, const size_t *ends)
{
	struct olders o = { 0 };

	for (size_t i = 0; i < p->spans.count; i++) {
		const struct scope_span *span = &p->spans.items[i];
		const struct key *key = &span->key;

		if (!span->class || span->place != PAIRS_ANYWHERE || key->scope < a->least ||
			key->scope > a->most) {
			continue;
		}
		const struct key group = {
			.trace = key->trace, .pid = key->pid, .name = own_name(names, key->name)
		};
		uint32_t index = keys_get(&a->by_key, &group);

		if (index != KEYS_NONE) {
			add_older(&o, section_fingerprint(key->scope, key->tid, index), ends[i],
				pairs_open(p));
		}
	}
	return o;
}

/* True if no scope begins while an older one of the same key is open. */
static bool begins_new(const struct section_lanes *a, const struct olders *o)
{
	for (size_t i = 0; o->slots && i < a->begun.count; i++) {
		const struct older *older = find_older(o, a->begun.items[i]);

		if (older->print && i < older->begun) {
			return false;
		}
	}
	return true;
}

bool section_lanes_fit(struct section_lanes *a, struct levels *l, struct section_names *names)
{
	const struct pairs *p = &l->timeline.pairs;
	size_t *ends = xcalloc(p->spans.count + 1, sizeof(*ends));

	memset(ends, 0xff, p->spans.count * sizeof(*ends));
	bool fits = find_released(a, p, names, ends);

	if (fits) {
		struct olders o = find_olders(a, p, names, ends);

		fits = begins_new(a, &o);
		free(o.slots);
	}
	free(ends);
	return fits;
}

/* ---- The join ---- */

static struct key group_key(struct section_names *names, const struct section_group *g)
{
	const struct key key = { .trace = g->trace, .pid = g->pid, .name = g->name };

	return key_in_levels(names, &key);
}

void section_lanes_join(struct section_lanes *a, const struct section_steps *s, struct levels *l,
	struct section_names *names)
{
	for (size_t i = 0; i < a->used; i++) {
		struct section_slot *slot = &a->slots.items[i];

		if (slot->released == KEYS_NONE) {
			const struct key key = group_key(names, &a->groups.items[slot->group]);

			slot->lane = timeline_take_lane(&l->timeline, &key);
		}
	}
	vec_foreach (struct section_group *, g, &a->groups) {
		const struct key key = group_key(names, g);

		g->rest = timeline_free_lanes(&l->timeline, &key);
	}
	for (size_t i = 0; i < a->used; i++) {
		const struct section_slot *slot = &a->slots.items[i];

		if (slot->row.end > 0) {
			uint32_t track = l->of_lanes.items[slot->lane];

			section_row_join(
				s, &slot->row, l, level_row_at(&l->tracks.items[track], 0));
		}
	}
}

static void continue_scope(const struct section_lanes *a, const struct section_async *open,
	struct levels *l, struct section_names *names)
{
	const struct key key = section_async_key(a, open);

	timeline_continue(
		&l->timeline, &(struct timeline_begun){
				      .key = key_in_levels(names, &key),
				      .class = l->timeline.reader->classes.all.items[open->class],
				      .begin_ns = (uint64_t)open->begin_ns,
				      .slice_ns = (uint64_t)open->begin_ns,
				      .lane = a->slots.items[open->slot].lane,
			      });
}

void section_lanes_end_join(struct section_lanes *a, struct levels *l, struct section_names *names)
{
	vec_foreach (const struct section_group *, g, &a->groups) {
		const struct key key = group_key(names, g);

		timeline_set_free(&l->timeline, &key, g->rest);
		vec_foreach (const uint32_t *, slot, &g->free) {
			uint32_t lane = a->slots.items[*slot].lane;

			if (lane != KEYS_NONE) {
				timeline_free_lane(&l->timeline, lane);
			}
		}
	}
	vec_foreach (const struct section_async *, open, &a->open) {
		if (open->slot != KEYS_NONE) {
			continue_scope(a, open, l, names);
		}
	}
}
