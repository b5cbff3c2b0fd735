/* SPDX-License-Identifier: MIT */
/*
 * Makes a section's rows. Nearly all records of a long trace only count in a cell here; those that
 * need the state of the whole trace are kept until the join (section_join.c).
 */
#include "timeline/section.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

/* Kept records, ends and open scopes of one thread, looks at these: with more the section is odd.
 */
#define KEPT_MAX ((size_t)1 << 16)
#define ENDS_MAX 1024
#define OPEN_MAX 4096
#define LOOKS_MAX ((size_t)1 << 22)

/* Records between two marks, and scopes in all of them. */
#define MARK_RECORDS ((size_t)1 << 16)
#define MARKED_MAX ((size_t)1 << 16)

void level_section_init(struct level_section *s, struct reader *reader)
{
	*s = (struct level_section){ .reader = reader, .spacing = MARK_RECORDS };
	pairs_init(&s->pairs, &reader->classes);
	section_lanes_init(&s->lanes);
	s->kinds = xcalloc(reader->classes.all.count + 1, sizeof(*s->kinds));
	for (size_t i = 0; i < reader->classes.all.count; i++) {
		s->kinds[i] = pairs_kind_of(&s->pairs, reader->classes.all.items[i]);
	}
}

static void free_rows(struct section_thread *t)
{
	section_row_free(&t->events);
	section_row_free(&t->deep);
	vec_foreach (struct section_row *, row, &t->slices) {
		section_row_free(row);
	}
	vec_fini(&t->slices);
}

void level_section_fini(struct level_section *s)
{
	vec_foreach (struct section_thread *, t, &s->threads) {
		free_rows(t);
		vec_fini(&t->open);
		vec_fini(&t->ends);
	}
	vec_fini(&s->threads);
	vec_fini(&s->used);
	vec_fini(&s->kept);
	vec_fini(&s->marks);
	vec_fini(&s->marked);
	section_lanes_fini(&s->lanes);
	section_names_fini(&s->names);
	free(s->kinds);
	keys_fini(&s->by_key);
	pairs_fini(&s->pairs);
}

/* ---- Rows ---- */

/* Returns the row of slices that are so deep in the section, negative below its begin. */
static inline struct section_row *row_at(struct section_thread *t, size_t open)
{
	int64_t depth = (int64_t)open - (int64_t)t->ends.count;
	size_t index = depth >= 0 ? 2 * (size_t)depth : (size_t)(-2 * depth - 1);

	if (open >= LEVELS_DEPTH_MAX - 1) {
		return &t->deep;
	}
	while (UNLIKELY(t->slices.count <= index)) {
		vec_push(&t->slices, ((struct section_row){ 0 }));
	}
	return &t->slices.items[index];
}

static inline void count_event(
	struct level_section *s, struct section_thread *t, const struct record *rec)
{
	struct level_cell *cell =
		section_cell(&s->steps, &t->events, section_step(&s->steps, (int64_t)rec->ns));

	if (LIKELY(cell)) {
		cell->count++;
		cell_vote(cell, (uint32_t)rec->class->index + 1, 1);
	}
}

/* ---- Records ---- */

static COLD struct section_thread *find_thread(struct level_section *s, const struct record *rec)
{
	const struct key key = { .trace = rec->trace, .pid = rec->pid, .tid = rec->tid };
	uint32_t index = keys_get(&s->by_key, &key);

	if (index == KEYS_NONE) {
		index = (uint32_t)s->threads.count;
		keys_swap(&s->by_key, &key, index);
		vec_push(&s->threads,
			((struct section_thread){
				.trace = rec->trace, .pid = rec->pid, .tid = rec->tid }));
	}
	struct section_thread *t = &s->threads.items[index];

	if (!t->is_used) {
		t->is_used = true;
		t->least_scope = INT64_MAX;
		t->most_scope = INT64_MIN;
		vec_push(&s->used, index);
	}
	s->recent[rec->tid % SECTION_RECENT] = index;
	return t;
}

static inline struct section_thread *thread_of(struct level_section *s, const struct record *rec)
{
	uint32_t index = s->recent[rec->tid % SECTION_RECENT];

	if (LIKELY(index != KEYS_NONE)) {
		struct section_thread *t = &s->threads.items[index];

		if (LIKELY(t->tid == rec->tid && t->pid == rec->pid && t->trace == rec->trace)) {
			return t;
		}
	}
	return find_thread(s, rec);
}

/* Keeps a record, with the numbers of its scope. */
static void keep(struct level_section *s, const struct record *rec, const struct key *key)
{
	struct section_kept kept = { .number = s->records, .rec = *rec };

	if (s->kept.count == KEPT_MAX) {
		s->steps.is_odd = true;
		return;
	}
	if (key) {
		kept.ids[0] =
			(struct value){ .number = (uint64_t)key->scope, .kind = VALUE_NUMBER };
		kept.ids[1] = (struct value){ .number = key->tid, .kind = VALUE_NUMBER };
	}
	vec_push(&s->kept, kept);
}

/* Counts looks at open slices. */
static void look(struct level_section *s, size_t count)
{
	s->looks += count;
	s->steps.is_odd |= s->looks > LOOKS_MAX;
}

static inline void begin_slice(struct level_section *s, struct section_thread *t,
	const struct record *rec, const struct key *key)
{
	const struct section_open open = {
		.scope = key->scope,
		.begin_ns = (int64_t)rec->ns,
		.slice = { (int64_t)rec->ns, (uint32_t)rec->class->index, false },
		.name = key->name,
	};

	if (UNLIKELY(t->open.count == OPEN_MAX)) {
		s->steps.is_odd = true;
		return;
	}
	/* Numbers mostly increase; a scope that begins twice ends the first one. */
	if (UNLIKELY(key->scope <= t->most_scope)) {
		look(s, t->open.count);
		for (size_t i = 0; i < t->open.count; i++) {
			s->steps.is_odd |= t->open.items[i].scope == key->scope;
		}
	}
	t->least_scope = key->scope < t->least_scope ? key->scope : t->least_scope;
	t->most_scope = key->scope > t->most_scope ? key->scope : t->most_scope;
	vec_push(&t->open, open);
}

/* Cuts the slices from a depth on: ends each, which continues at that time. */
static void cut(struct level_section *s, struct section_thread *t, size_t from, int64_t ns)
{
	look(s, t->open.count - from);
	for (size_t i = from; i < t->open.count; i++) {
		struct section_open *open = &t->open.items[i];

		section_cover(&s->steps, row_at(t, i), &open->slice, ns);
		open->slice.begin_ns = ns;
		open->slice.is_continued = true;
		s->steps.is_odd |= open->is_doubtful; /* it may not continue */
	}
}

/* Ends a slice that is not the innermost one, or that began before the section. */
static NOINLINE void end_around(struct level_section *s, struct section_thread *t,
	const struct record *rec, const struct key *key)
{
	size_t at = t->open.count;

	while (at > 0 && (t->open.items[at - 1].scope != key->scope ||
				 t->open.items[at - 1].name != key->name)) {
		at--;
	}
	if (key->tid != t->tid || (at == 0 && t->ends.count == ENDS_MAX)) {
		s->steps.is_odd = true;
	} else if (at == 0) {
		cut(s, t, 0, (int64_t)rec->ns);
		keep(s, rec, key);
		vec_push(&t->ends, ((struct section_end){ key->scope, key->name }));
	} else {
		section_cover(&s->steps, row_at(t, at - 1), &t->open.items[at - 1].slice,
			(int64_t)rec->ns);
		cut(s, t, at, (int64_t)rec->ns);
		memmove(&t->open.items[at - 1], &t->open.items[at],
			(t->open.count - at) * sizeof(*t->open.items));
		t->open.count--;
	}
}

static inline void end_slice(struct level_section *s, struct section_thread *t,
	const struct record *rec, const struct key *key)
{
	const struct section_open *top = t->open.count ? &t->open.items[t->open.count - 1] : NULL;

	if (LIKELY(top && top->scope == key->scope && top->name == key->name &&
		    key->tid == t->tid)) {
		t->open.count--;
		section_cover(&s->steps, row_at(t, t->open.count), &top->slice, (int64_t)rec->ns);
	} else {
		end_around(s, t, rec, key);
	}
}

static inline void add_scope(struct level_section *s, struct section_thread *t,
	const struct record *rec, const struct key *key)
{
	bool is_begin = s->kinds[rec->class->index].part == PAIRS_BEGIN;

	if (!pairs_is_sync(key)) {
		if (is_begin) {
			section_lanes_begin(&s->lanes, &s->steps, rec, key);
		} else if (!section_lanes_end(&s->lanes, &s->steps, rec, key)) {
			keep(s, rec, key);
		}
	} else if (is_begin) {
		begin_slice(s, t, rec, key);
	} else {
		end_slice(s, t, rec, key);
	}
}

static inline void add_event(struct level_section *s, const struct record *rec)
{
	struct section_thread *t = thread_of(s, rec);
	const struct pairs_kind *kind = &s->kinds[rec->class->index];
	struct key key;

	if (LIKELY(kind->part == PAIRS_OTHER)) {
		count_event(s, t, rec);
	} else if (LIKELY(pairs_is_laid_out(s->reader, rec))) {
		key = pairs_load(rec, kind);
		add_scope(s, t, rec, &key);
	} else if (pairs_read(&s->pairs, s->reader, rec, &key)) {
		add_scope(s, t, rec, &key);
	} else {
		count_event(s, t, rec);
	}
}

/* Keeps a gap, which may have the ends of open slices. */
static COLD void add_gap(struct level_section *s, const struct record *rec)
{
	thread_of(s, rec);
	keep(s, rec, NULL);
	s->has_gaps = true;
	vec_foreach (const uint32_t *, index, &s->used) {
		struct section_thread *t = &s->threads.items[*index];

		if (t->trace != rec->trace || (rec->pid && rec->pid != t->pid) ||
			(rec->tid && rec->tid != t->tid)) {
			continue;
		}
		vec_foreach (struct section_open *, open, &t->open) {
			open->is_doubtful = true;
		}
	}
}

static void mark_thread(struct level_section *s, const struct section_thread *t)
{
	vec_foreach (const struct section_open *, open, &t->open) {
		const struct key key = {
			.trace = t->trace, .pid = t->pid, .tid = t->tid, .scope = open->scope
		};

		vec_push(&s->marked, ((struct level_scope){ .key = key,
					     .class = open->slice.class,
					     .is_doubtful = open->is_doubtful,
					     .begin_ns = open->begin_ns }));
	}
}

static size_t count_open(const struct level_section *s)
{
	size_t count = s->lanes.count;

	vec_foreach (const uint32_t *, index, &s->used) {
		count += s->threads.items[*index].open.count;
	}
	return count;
}

/* Notes which scopes are open before a record, until there are too many of them. */
static COLD void mark(struct level_section *s, int64_t ns)
{
	const struct section_mark m = {
		.number = s->records,
		.ns = ns,
		.first = s->marked.count,
		.count = count_open(s),
	};

	if (m.count > MARKED_MAX - m.first) {
		s->next_mark = UINT64_MAX;
		return;
	}
	vec_foreach (const uint32_t *, index, &s->used) {
		mark_thread(s, &s->threads.items[*index]);
	}
	vec_foreach (const struct section_async *, open, &s->lanes.open) {
		if (open->slot != KEYS_NONE) {
			const struct key key = section_async_key(&s->lanes, open);

			vec_push(&s->marked, ((struct level_scope){ .key = key,
						     .class = open->class,
						     .begin_ns = open->begin_ns }));
		}
	}
	vec_push(&s->marks, m);
	s->next_mark = s->records + s->spacing;
}

/* Makes all steps twice as wide. */
static COLD void widen(struct level_section *s)
{
	const struct section_steps before = s->steps;

	section_steps_widen(&s->steps);
	vec_foreach (struct section_thread *, t, &s->threads) {
		section_row_widen(&s->steps, &before, &t->events);
		section_row_widen(&s->steps, &before, &t->deep);
		vec_foreach (struct section_row *, row, &t->slices) {
			section_row_widen(&s->steps, &before, row);
		}
	}
	vec_foreach (struct section_slot *, slot, &s->lanes.slots) {
		section_row_widen(&s->steps, &before, &slot->row);
	}
}

void level_section_add(struct level_section *s, const struct record *records, size_t count)
{
	while (UNLIKELY(section_is_full(&s->steps))) {
		widen(s);
	}
	s->steps.is_odd |= section_is_large(&s->steps);
	bool may_mark = s->records + count >= s->next_mark;

	for (size_t i = 0; i < count && !s->steps.is_odd; i++) {
		const struct record *rec = &records[i];
		int64_t ns = (int64_t)rec->ns;

		/* Records of the same time stay together. */
		if (UNLIKELY(may_mark) && s->records >= s->next_mark && ns > s->last_ns) {
			mark(s, ns);
		}
		/* Records of a damaged trace may be older than those before them. */
		s->first_ns = s->records == 0 ? ns : s->first_ns;
		s->last_ns = s->records == 0 || ns > s->last_ns ? ns : s->last_ns;
		if (LIKELY(rec->kind == RECORD_EVENT)) {
			add_event(s, rec);
		} else {
			add_gap(s, rec);
		}
		s->records++;
	}
}

/* ---- The section ---- */

static void clear_thread(struct section_thread *t)
{
	section_row_clear(&t->events);
	section_row_clear(&t->deep);
	vec_foreach (struct section_row *, row, &t->slices) {
		section_row_clear(row);
	}
	t->open.count = t->ends.count = 0;
	t->is_used = false;
}

void level_section_begin(
	struct level_section *s, const struct levels *l, int64_t from_ns, int64_t until_ns)
{
	bool keeps_rows = section_steps_begin(&s->steps, l, from_ns, until_ns);

	vec_foreach (uint32_t *, index, &s->used) {
		clear_thread(&s->threads.items[*index]);
	}
	vec_foreach (struct section_thread *, t, &s->threads) {
		if (!keeps_rows) {
			free_rows(t);
		}
	}
	section_lanes_clear(&s->lanes, !keeps_rows);
	s->used.count = s->kept.count = s->marks.count = s->marked.count = 0;
	memset(s->recent, 0xff, sizeof(s->recent));
	s->has_gaps = false;
	s->records = 0;
	s->looks = 0;
	s->next_mark = s->spacing;
}
