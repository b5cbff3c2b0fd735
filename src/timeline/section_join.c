/* SPDX-License-Identifier: MIT */
/*
 * Joins a section with the levels, which have all before it: checks that what the section assumed
 * of the scopes that are open before it is so, then adds its rows, the records it kept, and the
 * scopes that stay open.
 */
#include "timeline/section.h"

#include <stdlib.h>
#include <string.h>

/* ---- The check ---- */

/* True if no scope of a thread begins that is open. */
static bool begins_new(const struct section_thread *t, const struct timeline_thread *known)
{
	vec_foreach (const struct timeline_slice *, slice, &known->open) {
		if (slice->scope >= t->least_scope && slice->scope <= t->most_scope) {
			return false;
		}
	}
	return true;
}

/* Removes the slice of an end; false if there is none, or if it cuts one that may not continue. */
static bool end_older(struct level_section *s, struct timeline_slice *open, size_t *count,
	const struct section_end *end)
{
	uint32_t name = section_name_in_levels(&s->names, end->name);
	size_t at = *count;

	while (at > 0 && (open[at - 1].scope != end->scope || open[at - 1].name != name)) {
		if (open[at - 1].is_doubtful || s->has_gaps) {
			return false;
		}
		at--;
	}
	if (at == 0) {
		return false;
	}
	memmove(&open[at - 1], &open[at], (*count - at) * sizeof(*open));
	--*count;
	return true;
}

/* True if the thread's ends are those of its slices, and no scope begins that is open. */
static bool fits(struct level_section *s, const struct levels *l, const struct section_thread *t)
{
	uint32_t index = timeline_find_thread(&l->timeline, t->trace, t->pid, t->tid);

	if (index == KEYS_NONE) {
		return t->ends.count == 0;
	}
	const struct timeline_thread *known = &l->timeline.threads.items[index];
	size_t count = known->open.count;
	bool ok = t->ends.count <= count && begins_new(t, known);

	if (!ok || t->ends.count == 0) {
		return ok;
	}
	struct timeline_slice *open = xcalloc(count, sizeof(*open));

	memcpy(open, known->open.items, count * sizeof(*open));
	for (size_t i = 0; i < t->ends.count && ok; i++) {
		ok = end_older(s, open, &count, &t->ends.items[i]);
	}
	free(open);
	return ok;
}

/* ---- The join ---- */

/* Adds a thread's rows; `begin` is its depth at the section's begin. */
static void add_rows(struct level_section *s, struct levels *l, struct level_track *track,
	const struct section_thread *t)
{
	int64_t begin = (int64_t)track->open.count;

	if (t->events.end > 0) {
		section_row_join(&s->steps, &t->events, l, &track->events);
	}
	for (size_t i = 0; i < t->slices.count; i++) {
		int64_t depth = i % 2 ? -(int64_t)(i / 2) - 1 : (int64_t)(i / 2);

		if (t->slices.items[i].end > 0) {
			section_row_join(&s->steps, &t->slices.items[i], l,
				level_row_at(track, (size_t)(begin + depth)));
		}
	}
	if (t->deep.end > 0) {
		section_row_join(&s->steps, &t->deep, l, level_row_at(track, LEVELS_DEPTH_MAX));
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

/* Begins the slices of a thread that stay open. */
static void continue_slices(
	struct level_section *s, struct levels *l, const struct section_thread *t)
{
	vec_foreach (const struct section_open *, open, &t->open) {
		const struct timeline_begun begun = {
			.key = { .trace = t->trace,
				.pid = t->pid,
				.tid = t->tid,
				.name = section_name_in_levels(&s->names, open->name),
				.scope = open->scope },
			.class = l->timeline.reader->classes.all.items[open->slice.class],
			.begin_ns = (uint64_t)open->begin_ns,
			.slice_ns = (uint64_t)open->slice.begin_ns,
			.is_continued = open->slice.is_continued,
			.is_doubtful = open->is_doubtful,
			.lane = KEYS_NONE,
		};

		timeline_continue(&l->timeline, &begun);
	}
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

	vec_foreach (const struct section_mark *, m, &s->marks) {
		while (next < s->kept.count && s->kept.items[next].number < m->number) {
			add_one(l, &s->kept.items[next++]);
		}
		levels_check(l, &(struct level_point){ .ns = m->ns,
					.records = before + m->number,
					.more = s->marked.items + m->first,
					.count = m->count });
	}
	while (next < s->kept.count) {
		add_one(l, &s->kept.items[next++]);
	}
}

bool level_section_join(struct level_section *s, struct levels *l)
{
	s->names.own = &s->pairs;
	s->names.levels = &l->timeline.pairs;
	for (size_t i = 0; i < s->used.count && !s->steps.is_odd; i++) {
		s->steps.is_odd = !fits(s, l, &s->threads.items[s->used.items[i]]);
	}
	if (s->steps.is_odd || !section_lanes_fit(&s->lanes, l, &s->names)) {
		return false;
	}
	if (s->records > 0) {
		levels_count_records(l, s->records, s->first_ns, s->last_ns);
	}
	levels_widen(l, s->steps.shift);
	add_threads(s, l);
	section_lanes_join(&s->lanes, &s->steps, l, &s->names);
	add_kept(s, l);
	vec_foreach (const uint32_t *, index, &s->used) {
		continue_slices(s, l, &s->threads.items[*index]);
	}
	section_lanes_end_join(&s->lanes, l, &s->names);
	return true;
}
