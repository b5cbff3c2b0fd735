/* SPDX-License-Identifier: MIT */
/*
 * Makes a section's rows, and joins them with the levels. Nearly all records of a long trace only
 * count in a cell here; those that need the state of the whole trace are kept until the join.
 */
#include "timeline/section.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

/* Bytes of a section's rows, its kept records, ends of one thread: with more it is odd. */
#define ROW_BYTES ((size_t)8 << 20)
#define KEPT_MAX ((size_t)1 << 15)
#define ENDS_MAX 64

/* Records between two marks, and scopes in all of them. */
#define MARK_RECORDS ((size_t)1 << 16)
#define MARKED_MAX ((size_t)1 << 16)

void level_section_init(struct level_section *s, struct reader *reader)
{
	*s = (struct level_section){ .reader = reader, .spacing = MARK_RECORDS };
	pairs_init(&s->pairs, &reader->classes);
	s->parts = xcalloc(reader->classes.all.count + 1, sizeof(*s->parts));
	for (size_t i = 0; i < reader->classes.all.count; i++) {
		s->parts[i] = pairs_part_of(&s->pairs, reader->classes.all.items[i]);
	}
}

static void free_rows(struct section_thread *t)
{
	free(t->events.cells);
	free(t->deep.cells);
	vec_foreach (struct section_row *, row, &t->slices) {
		free(row->cells);
	}
	vec_fini(&t->slices);
	t->events = t->deep = (struct section_row){ 0 };
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
	vec_fini(&s->names);
	free(s->parts);
	keys_fini(&s->by_key);
	pairs_fini(&s->pairs);
}

/* ---- Rows ---- */

static void clear_row(struct section_row *row)
{
	if (row->end > row->first) {
		memset(row->cells + row->first, 0, (row->end - row->first) * sizeof(*row->cells));
	}
	row->first = row->end = 0;
}

static COLD bool make_row(struct level_section *s, struct section_row *row)
{
	if (row->capacity < s->steps) {
		s->bytes += (s->steps - row->capacity) * sizeof(*row->cells);
		if (s->bytes > ROW_BYTES) {
			s->is_odd = true;
			return false;
		}
		free(row->cells);
		row->cells = xcalloc(s->steps, sizeof(*row->cells));
		row->capacity = s->steps;
	}
	row->first = row->end = 0;
	return true;
}

/* Returns the cell of a step; NULL, and the section is odd, if it has none. */
static inline struct level_cell *cell_of(
	struct level_section *s, struct section_row *row, size_t step)
{
	if (UNLIKELY(step >= s->steps)) {
		s->is_odd = true;
		return NULL;
	}
	if (UNLIKELY(row->capacity < s->steps || row->end == 0)) {
		if (!make_row(s, row)) {
			return NULL;
		}
		row->first = step;
	}
	row->first = step < row->first ? step : row->first;
	row->end = step >= row->end ? step + 1 : row->end;
	return &row->cells[step];
}

/* Returns the time since the first step; times of a damaged trace may be far apart. */
static inline uint64_t since_base(const struct level_section *s, int64_t ns)
{
	return ns > s->base_ns ? (uint64_t)ns - (uint64_t)s->base_ns : 0;
}

/* Returns the step of a time; a large number if that is before the section. */
static inline size_t step_of(const struct level_section *s, int64_t ns)
{
	return (size_t)(since_base(s, ns) >> s->shift) - s->first;
}

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
	struct level_cell *cell = cell_of(s, &t->events, step_of(s, (int64_t)rec->ns));

	if (LIKELY(cell)) {
		cell->count++;
		cell_vote(cell, (uint32_t)rec->class->index + 1, 1);
	}
}

/* Counts a slice, and covers its time. */
static inline void count_slice(struct level_section *s, struct section_row *row,
	const struct section_open *slice, int64_t end_ns)
{
	uint64_t width = UINT64_C(1) << s->shift;
	uint64_t at = since_base(s, slice->begin_ns);
	uint64_t end = since_base(s, end_ns);
	size_t step = (size_t)(at >> s->shift) - s->first;
	struct level_cell *cell = cell_of(s, row, step);

	if (UNLIKELY(!cell)) {
		return;
	}
	cell->count++;
	cell_vote(cell, slice->class + 1, 0);
	while (at < end) {
		uint64_t left = width - (at & (width - 1)); /* of the step */
		uint64_t part = left < end - at ? left : end - at;

		cell = cell_of(s, row, step++);
		if (UNLIKELY(!cell)) {
			return;
		}
		cell_cover(cell, slice->class + 1, part);
		at += part;
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
		s->is_odd = true;
		return;
	}
	if (key) {
		kept.ids[0] =
			(struct value){ .number = (uint64_t)key->scope, .kind = VALUE_NUMBER };
		kept.ids[1] = (struct value){ .number = key->tid, .kind = VALUE_NUMBER };
	}
	vec_push(&s->kept, kept);
}

static inline void begin_slice(struct level_section *s, struct section_thread *t,
	const struct record *rec, const struct key *key)
{
	const struct section_open open = {
		.scope = key->scope,
		.begin_ns = (int64_t)rec->ns,
		.name = key->name,
		.class = (uint32_t)rec->class->index,
		.number = s->records,
	};

	/* Numbers mostly increase; a scope that begins twice ends the first one. */
	for (size_t i = 0; UNLIKELY(key->scope <= t->most_scope) && i < t->open.count; i++) {
		s->is_odd |= t->open.items[i].scope == key->scope;
	}
	t->least_scope = key->scope < t->least_scope ? key->scope : t->least_scope;
	t->most_scope = key->scope > t->most_scope ? key->scope : t->most_scope;
	vec_push(&t->open, open);
}

static inline void end_slice(struct level_section *s, struct section_thread *t,
	const struct record *rec, const struct key *key)
{
	const struct section_open *top = t->open.count ? &t->open.items[t->open.count - 1] : NULL;

	if (LIKELY(top && top->scope == key->scope && top->name == key->name &&
		    key->tid == t->tid)) {
		t->open.count--;
		count_slice(s, row_at(t, t->open.count), top, (int64_t)rec->ns);
	} else if (top || key->tid != t->tid || t->ends.count == ENDS_MAX) {
		s->is_odd = true;
	} else {
		keep(s, rec, key);
		vec_push(&t->ends, ((struct section_end){ key->scope, key->name }));
	}
}

static inline void add_event(struct level_section *s, const struct record *rec)
{
	struct section_thread *t = thread_of(s, rec);
	struct pairs_scope scope;

	if (LIKELY(s->parts[rec->class->index] == PAIRS_OTHER)) {
		count_event(s, t, rec);
		return;
	}
	pairs_read(&s->pairs, s->reader, rec, &scope);
	if (scope.part == PAIRS_OTHER) {
		count_event(s, t, rec);
	} else if (!pairs_is_sync(&scope.key)) {
		keep(s, rec, &scope.key);
	} else if (scope.part == PAIRS_BEGIN) {
		begin_slice(s, t, rec, &scope.key);
	} else {
		end_slice(s, t, rec, &scope.key);
	}
}

/* Notes which scopes are open before a record. */
static COLD void mark(struct level_section *s, int64_t ns)
{
	struct section_mark m = { .number = s->records, .ns = ns, .first = s->marked.count };

	vec_foreach (const uint32_t *, index, &s->used) {
		const struct section_thread *t = &s->threads.items[*index];

		vec_foreach (const struct section_open *, open, &t->open) {
			const struct key key = { .trace = t->trace,
				.pid = t->pid,
				.tid = t->tid,
				.scope = open->scope };

			vec_push(&s->marked, ((struct section_marked){ open->number,
						     { key, open->class, open->begin_ns } }));
		}
	}
	m.count = s->marked.count - m.first;
	if (s->marked.count <= MARKED_MAX) {
		vec_push(&s->marks, m);
	} else {
		s->marked.count = m.first;
	}
}

/* Returns the number of the record that may have the next mark. */
static inline size_t next_mark(const struct level_section *s)
{
	size_t count = s->marks.count;

	return (count ? s->marks.items[count - 1].number : 0) + s->spacing;
}

void level_section_add(struct level_section *s, const struct record *records, size_t count)
{
	bool may_mark = s->records + count >= next_mark(s);

	for (size_t i = 0; i < count && !s->is_odd; i++) {
		const struct record *rec = &records[i];
		int64_t ns = (int64_t)rec->ns;

		/* Records of the same time stay together. */
		if (UNLIKELY(may_mark) && s->records >= next_mark(s) && ns > s->last_ns) {
			mark(s, ns);
		}
		s->first_ns = s->records == 0 ? ns : s->first_ns;
		s->last_ns = ns;
		if (LIKELY(rec->kind == RECORD_EVENT)) {
			add_event(s, rec);
		} else {
			thread_of(s, rec);
			keep(s, rec, NULL);
		}
		s->records++;
	}
}

/* ---- The section ---- */

static void clear_thread(struct section_thread *t)
{
	clear_row(&t->events);
	clear_row(&t->deep);
	vec_foreach (struct section_row *, row, &t->slices) {
		clear_row(row);
	}
	t->open.count = t->ends.count = 0;
	t->is_used = false;
}

void level_section_begin(
	struct level_section *s, const struct levels *l, int64_t from_ns, int64_t until_ns)
{
	int64_t end_ns = l->base_ns + (int64_t)((uint64_t)l->steps << l->shift);
	bool is_full = s->bytes > ROW_BYTES / 2;

	vec_foreach (uint32_t *, index, &s->used) {
		clear_thread(&s->threads.items[*index]);
	}
	vec_foreach (struct section_thread *, t, &s->threads) {
		if (is_full) {
			free_rows(t);
		}
	}
	s->bytes = is_full ? 0 : s->bytes;
	s->used.count = s->kept.count = s->marks.count = s->marked.count = 0;
	memset(s->recent, 0xff, sizeof(s->recent));
	s->is_odd = false;
	s->records = 0;
	s->base_ns = l->base_ns;
	s->shift = l->shift;
	s->first = 0;
	from_ns = from_ns > l->base_ns ? from_ns : l->base_ns;
	until_ns = until_ns < end_ns ? until_ns : end_ns;
	s->first = step_of(s, from_ns);
	s->steps = until_ns > from_ns ? step_of(s, until_ns) + 1 : 1;
}

/* ---- The join ---- */

/* Returns the levels' number of a name. */
static uint32_t name_of(struct level_section *s, struct levels *l, uint32_t name)
{
	while (s->names.count <= name) {
		const char *text = s->pairs.names.items[s->names.count];

		vec_push(&s->names, pairs_name(&l->timeline.pairs, text, strlen(text)));
	}
	return s->names.items[name];
}

/* True if the thread's ends are those of its last slices, and no scope begins that is open. */
static bool fits(struct level_section *s, struct levels *l, const struct section_thread *t)
{
	uint32_t index = timeline_find_thread(&l->timeline, t->trace, t->pid, t->tid);
	const struct timeline_thread *known =
		index == KEYS_NONE ? NULL : &l->timeline.threads.items[index];
	size_t count = known ? known->open.count : 0;

	if (t->ends.count > count) {
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		const struct timeline_slice *slice = &known->open.items[count - 1 - i];
		const struct section_end *end = &t->ends.items[i];

		if ((slice->scope >= t->least_scope && slice->scope <= t->most_scope) ||
			(i < t->ends.count && (slice->scope != end->scope ||
						      slice->name != name_of(s, l, end->name)))) {
			return false;
		}
	}
	return true;
}

static void add_row(struct level_section *s, struct levels *l, struct level_row *to,
	const struct section_row *row)
{
	const struct level_cells cells = {
		.cells = row->cells + row->first,
		.count = row->end - row->first,
		.first = s->first + row->first,
		.shift = s->shift,
	};

	levels_add_cells(l, to, &cells);
}

/* Adds a thread's rows; `begin` is its depth at the section's begin. */
static void add_rows(struct level_section *s, struct levels *l, struct level_track *track,
	const struct section_thread *t)
{
	int64_t begin = (int64_t)track->open.count;

	if (t->events.end > 0) {
		add_row(s, l, &track->events, &t->events);
	}
	for (size_t i = 0; i < t->slices.count; i++) {
		int64_t depth = i % 2 ? -(int64_t)(i / 2) - 1 : (int64_t)(i / 2);

		if (t->slices.items[i].end > 0) {
			add_row(s, l, level_row_at(track, (size_t)(begin + depth)),
				&t->slices.items[i]);
		}
	}
	if (t->deep.end > 0) {
		add_row(s, l, level_row_at(track, LEVELS_DEPTH_MAX), &t->deep);
	}
}

static void add_threads(struct level_section *s, struct levels *l)
{
	vec_foreach (const uint32_t *, index, &s->used) {
		const struct section_thread *t = &s->threads.items[*index];
		const struct timeline_thread *known =
			timeline_know_thread(&l->timeline, t->trace, t->pid, t->tid);

		add_rows(s, l, &l->tracks.items[l->of_threads.items[known->index]], t);
	}
}

/* Keeps the beginnings of the slices that are still open. */
static void keep_open(struct level_section *s, const struct section_thread *t)
{
	vec_foreach (const struct section_open *, open, &t->open) {
		const struct record rec = {
			.kind = RECORD_EVENT,
			.trace = t->trace,
			.pid = t->pid,
			.tid = t->tid,
			.ns = (uint64_t)open->begin_ns,
			.class = s->reader->classes.all.items[open->class],
		};
		const struct key key = { .scope = open->scope, .tid = t->tid };

		keep(s, &rec, &key);
		if (!s->is_odd) {
			s->kept.items[s->kept.count - 1].number = open->number;
		}
	}
}

static int by_number(const void *a, const void *b)
{
	const struct section_kept *x = a;
	const struct section_kept *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* True if the scope's beginning was kept, so that the levels have it. */
static bool is_kept(const struct level_section *s, size_t number)
{
	const struct section_kept key = { .number = number };

	return s->kept.count && bsearch(&key, s->kept.items, s->kept.count, sizeof(key), by_number);
}

/* Makes a checkpoint of a mark; the levels have `before` records before the section. */
static void check_mark(
	struct level_section *s, struct levels *l, const struct section_mark *m, uint64_t before)
{
	VEC(struct level_scope) more = { 0 };

	for (size_t i = m->first; i < m->first + m->count; i++) {
		if (!is_kept(s, s->marked.items[i].number)) {
			vec_push(&more, s->marked.items[i].scope);
		}
	}
	levels_check(l, &(struct level_point){ .ns = m->ns,
				.records = before + m->number,
				.more = more.items,
				.count = more.count });
	vec_fini(&more);
}

static void add_one(struct levels *l, struct section_kept *kept)
{
	if (kept->rec.kind == RECORD_EVENT) {
		kept->rec.class = l->timeline.reader->classes.all.items[kept->rec.class->index];
		kept->rec.values = kept->ids;
	}
	timeline_add(&l->timeline, &kept->rec);
}

/* Adds what was kept, by the order of records, with checkpoints in between. */
static void add_kept(struct level_section *s, struct levels *l)
{
	uint64_t before = l->records - s->records;
	size_t next = 0;

	if (s->kept.count > 1) {
		qsort(s->kept.items, s->kept.count, sizeof(*s->kept.items), by_number);
	}
	vec_foreach (const struct section_mark *, m, &s->marks) {
		while (next < s->kept.count && s->kept.items[next].number < m->number) {
			add_one(l, &s->kept.items[next++]);
		}
		check_mark(s, l, m, before);
	}
	while (next < s->kept.count) {
		add_one(l, &s->kept.items[next++]);
	}
}

bool level_section_join(struct level_section *s, struct levels *l)
{
	vec_foreach (const uint32_t *, index, &s->used) {
		keep_open(s, &s->threads.items[*index]);
	}
	for (size_t i = 0; i < s->used.count && !s->is_odd; i++) {
		s->is_odd = !fits(s, l, &s->threads.items[s->used.items[i]]);
	}
	if (s->is_odd) {
		return false;
	}
	if (s->records > 0) {
		levels_count_records(l, s->records, s->first_ns, s->last_ns);
	}
	add_threads(s, l);
	add_kept(s, l);
	return true;
}
