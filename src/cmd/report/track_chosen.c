/* SPDX-License-Identifier: MIT */
/*
 * The lives of `waymark track` that are shown with all their events. The first pass chooses them; a
 * second one finds them again by their first event and their key, and keeps their lines. So memory
 * is bounded by the number of chosen lives and of the lines of each.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cmd/report/track.h"
#include "cmd/selection.h"

void chosen_clear(struct chosen *c)
{
	vec_foreach (struct chosen_life *, it, &c->all) {
		free(it->life.steps);
		free(it->key);
		if (it->has_view) {
			lines_fini(&it->view);
			out_fini(&it->text);
		}
	}
	c->all.count = 0;
}

void chosen_fini(struct chosen *c)
{
	chosen_clear(c);
	vec_fini(&c->all);
}

/* True if `a` comes before `b`. */
static bool is_before(const struct chosen *c, const struct life *a, const struct life *b)
{
	uint64_t first = c->is_oldest ? b->begin_ns : a->end_ns - a->begin_ns;
	uint64_t second = c->is_oldest ? a->begin_ns : b->end_ns - b->begin_ns;

	return first != second ? first > second : a->number < b->number;
}

void chosen_offer(struct chosen *c, const struct lives *lives, const struct life *life)
{
	if (c->all.count == c->limit &&
		(c->limit == 0 || !is_before(c, life, &c->all.items[c->limit - 1].life))) {
		return;
	}
	if (c->all.count == c->limit) {
		struct chosen_life *last = &c->all.items[--c->all.count];

		free(last->life.steps);
		free(last->key);
	}
	size_t at = c->all.count;

	vec_push(&c->all, ((struct chosen_life){ 0 }));
	for (; at > 0 && is_before(c, life, &c->all.items[at - 1].life); at--) {
		c->all.items[at] = c->all.items[at - 1];
	}
	struct chosen_life *it = &c->all.items[at];

	*it = (struct chosen_life){ .life = *life, .key = lives_key_text(lives, life) };
	it->life.steps = xcalloc(life->step_count + 1, sizeof(*life->steps));
	if (life->step_count) {
		memcpy(it->life.steps, life->steps, life->step_count * sizeof(*life->steps));
	}
}

/* ---- Their events ---- */

static struct key begin_key(const struct life *life)
{
	return (struct key){
		.trace = life->trace,
		.pid = life->pid,
		.tid = life->tid,
		.scope = (int64_t)life->begin_ns,
	};
}

/* Returns the mark of a chosen life: its number in both lists, from 1; 0: it is none. */
static uint32_t find(struct track *t, const struct life *life)
{
	const struct key key = begin_key(life);
	size_t count = t->slowest.all.count;

	if (keys_get(&t->begins, &key) == KEYS_NONE) {
		return 0;
	}
	char *text = lives_key_text(&t->again, life);
	uint32_t mark = 0;

	for (size_t i = 0; i < count + t->unfinished.all.count && !mark; i++) {
		const struct chosen_life *it =
			i < count ? &t->slowest.all.items[i] : &t->unfinished.all.items[i - count];
		const struct key other = begin_key(&it->life);

		if (memcmp(&key, &other, sizeof(key)) == 0 && strcmp(it->key, text) == 0 &&
			strcmp(it->life.first->name, life->first->name) == 0) {
			mark = (uint32_t)i + 1;
		}
	}
	free(text);
	return mark;
}

static struct chosen_life *marked(struct track *t, uint32_t mark)
{
	size_t count = t->slowest.all.count;

	return mark <= count ? &t->slowest.all.items[mark - 1]
			     : &t->unfinished.all.items[mark - 1 - count];
}

static void put_line(struct track *t, struct chosen_life *it, const struct record *rec)
{
	if (!it->has_view) {
		it->has_view = true;
		out_init(&it->text, OUT_TO_MEMORY);
		lines_init(&it->view, &it->text, t->session.reader, t->style, TIMESTAMP_RELATIVE);
		lines_show_tid(&it->view);
		lines_see(&it->view, rec);
	}
	if (it->lines++ < TRACK_LINES_MAX) {
		lines_put(&it->view, rec);
	}
}

static void on_step(void *track, struct life *life, const struct record *rec)
{
	struct track *t = track;

	if (life->count == 1) {
		life->mark = find(t, life);
	}
	if (UNLIKELY(life->mark != 0)) {
		put_line(t, marked(t, life->mark), rec);
	}
}

static void note_begins(struct track *t, const struct chosen *c)
{
	vec_foreach (const struct chosen_life *, it, &c->all) {
		const struct key key = begin_key(&it->life);

		keys_swap(&t->begins, &key, 1);
	}
}

static void read_lines(struct track *t)
{
	struct lives_options options = t->options;
	struct record records[SESSION_FEW];
	size_t count;

	options.where = NULL;
	options.ended = NULL;
	options.stepped = on_step;
	options.data = t;
	t->style = t->report.style == REPORT_JSON ? &lines_json : &lines_text;
	note_begins(t, &t->slowest);
	note_begins(t, &t->unfinished);
	lives_init(&t->again, &options, t->session.reader);
	t->again.gaps.is_complete = true;
	while (!*t->again.error && (count = selection_next_few(&t->session, records))) {
		for (size_t i = 0; i < count; i++) {
			lives_add(&t->again, &records[i]);
		}
	}
	lives_fini(&t->again);
	keys_fini(&t->begins);
}

bool track_read_chosen(struct track *t)
{
	struct reader *before;

	if (t->slowest.all.count + t->unfinished.all.count == 0) {
		return true;
	}
	before = session_read_again(&t->session);
	if (!before) {
		return false;
	}
	read_lines(t);
	/* The lines keep what they need; the lives refer to the classes of the first reader. */
	t->first_reader = before;
	return true;
}
