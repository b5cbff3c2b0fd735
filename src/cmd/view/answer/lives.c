/* SPDX-License-Identifier: MIT */
/*
 * The lives of objects in a time, and the events of each that are not its begin or end. The first
 * question begins a pass over the events that have a declared key.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cmd/view/answer/answers.h"
#include "cmd/view/answer/beside.h"
#include "timeline/objects.h"
#include "timeline/tile.h"
#include "view/message/json.h"
#include "view/message/message.h"

#define ITEMS_MAX 3000
#define STEPS_MAX 2000

/* Lives whose steps are written, and records that are read for them. */
#define NEAR_LIVES 500
#define NEAR_RECORDS (UINT64_C(1) << 16)

struct view_lives {
	struct objects objects;
	struct view_pass pass;
};

/* ---- The pass ---- */

static bool needs(void *lives, const struct event_class *class)
{
	(void)lives;
	return class->event && life_kinds_key(class->event) >= 0;
}

static void begin(void *lives, struct reader *r)
{
	struct view_lives *l = lives;

	objects_begin(&l->objects, r, message_value_text, l->pass.viewer->is_across);
}

static void add(void *lives, struct reader *r, const struct record *rec)
{
	struct view_lives *l = lives;

	(void)r;
	objects_add(&l->objects, rec);
}

static void end(void *lives)
{
	struct view_lives *l = lives;

	objects_end(&l->objects);
}

static const struct view_pass_style style = {
	.needs = needs, .begin = begin, .add = add, .end = end
};

/* Returns the lives, begun now if they are new; NULL: no event has a key. */
static struct view_lives *find_lives(struct viewer *v)
{
	bool has_keys = false;

	viewer_lock(v);
	vec_foreach (struct event_class *const *, class, &v->session->reader->classes.all) {
		has_keys = has_keys || needs(NULL, *class);
	}
	if (has_keys && !v->lives) {
		v->lives = xcalloc(1, sizeof(*v->lives));
		v->lives->pass =
			(struct view_pass){ .viewer = v, .style = &style, .data = v->lives };
		view_pass_begin(&v->lives->pass);
	}
	struct view_lives *l = v->lives;

	viewer_unlock(v);
	return l;
}

void view_lives_end(struct viewer *v)
{
	if (v->lives) {
		view_pass_end(&v->lives->pass);
		objects_fini(&v->lives->objects);
		free(v->lives);
	}
}

/* ---- Steps ---- */

/* A time, its lives, and what is written of it. */
struct lives_part {
	struct viewer *viewer;
	struct view_lives *lives;
	struct near near; /* the lives */
	struct out *out;
	size_t columns;
	size_t items; /* that are written */
	size_t whole; /* as in struct question */
	size_t steps;
	int64_t first_ns; /* of the traces */
	const struct near_item **by_key; /* the lives, sorted as by_object() does */
};

static const struct object_life *life_of(const struct objects *o, const struct near_item *item)
{
	return &o->all.items[item->name - 1];
}

static int compare_groups(
	const struct object_group *a, const struct object_group *b, bool is_across)
{
	if (a->kind != b->kind) {
		return a->kind < b->kind ? -1 : 1;
	}
	if (is_across) {
		return 0; /* a life is in the group of its first event */
	}
	if (a->trace != b->trace) {
		return a->trace < b->trace ? -1 : 1;
	}
	return (a->pid > b->pid) - (a->pid < b->pid);
}

/* Lives of one object are together, by their begins. `of` are the groups of both. */
static int compare_lives(const struct object_life *a, const struct object_life *b,
	const struct object_group *const of[2], bool is_across)
{
	int order = compare_groups(of[0], of[1], is_across);

	order = order ? order : strcmp(a->key, b->key);

	return order ? order : (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

static int by_object(const void *a, const void *b, void *objects)
{
	const struct objects *o = objects;
	const struct object_life *x = life_of(o, *(const struct near_item *const *)a);
	const struct object_life *y = life_of(o, *(const struct near_item *const *)b);

	const struct object_group *const of[] = { &o->groups.items[x->group],
		&o->groups.items[y->group] };

	return compare_lives(x, y, of, o->options.is_across);
}

/* Returns the life of an event; NULL: none is drawn. */
static const struct near_item *find_life(
	const struct lives_part *p, const struct record *rec, const char *key)
{
	const struct objects *o = &p->lives->objects;
	struct object_life wanted = { .begin_ns = (int64_t)rec->ns, .key = (char *)key };
	struct object_group group = { .trace = rec->trace,
		.pid = rec->pid,
		.kind = o->classes.items[rec->class->index].kind };
	const struct object_group *of[] = { NULL, &group };
	bool is_across = o->options.is_across;
	size_t low = 0;
	size_t high = p->near.items.count;

	/* The last life of the object that begins at the time or before. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct object_life *life = life_of(o, p->by_key[middle]);

		of[0] = &o->groups.items[life->group];
		if (compare_lives(life, &wanted, of, is_across) <= 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	if (low == 0) {
		return NULL;
	}
	const struct object_life *life = life_of(o, p->by_key[low - 1]);

	wanted.begin_ns = life->begin_ns;
	of[0] = &o->groups.items[life->group];
	return life->end_ns >= (int64_t)rec->ns && compare_lives(life, &wanted, of, is_across) == 0
		       ? p->by_key[low - 1]
		       : NULL;
}

static void put_step(struct lives_part *p, struct reader *r, const struct record *rec)
{
	const struct objects *o = &p->lives->objects;
	const struct object_class *class =
		rec->class->index < o->classes.count ? &o->classes.items[rec->class->index] : NULL;

	if (!class || !class->is_step) {
		return;
	}
	char *key = field_text(rec, reader_values(r, rec), class->key, message_value_text);
	const struct near_item *life = key ? find_life(p, rec, key) : NULL;

	free(key);
	if (life) {
		out_printf(p->out, "%s[%u,%u,%" PRId64 ",%zu,%" PRIu64 ",%u]",
			p->steps++ ? "," : "", life->track, life->depth,
			(int64_t)rec->ns - p->first_ns, rec->class->index + 1, rec->offset,
			rec->trace);
	}
}

static void sort_lives(struct lives_part *p)
{
	size_t count = p->near.items.count;

	p->by_key = xcalloc(count + 1, sizeof(*p->by_key));
	for (size_t i = 0; i < count; i++) {
		p->by_key[i] = &p->near.items.items[i];
	}
	qsort_r(p->by_key, count, sizeof(*p->by_key), by_object, &p->lives->objects);
}

/* Writes the events of a short time that belong to its lives. */
static void put_steps(struct lives_part *p)
{
	struct filter filter;
	struct reader *r = session_open_beside(p->viewer->session, &filter);
	enum read_result result;
	struct record rec;

	sort_lives(p);
	if (r) {
		answer_limit(p->viewer, &filter, p->near.from_ns, p->near.to_ns + 1);
		filter.needs_class = needs;
		filter_start(&filter, r);
		filter_limit(&filter);
		while (p->steps < (p->whole ? p->whole + 1 : STEPS_MAX) &&
			((result = reader_next(r, &rec)) == READ_RECORD ||
				result == READ_PROBLEM)) {
			if (result == READ_PROBLEM) {
				continue;
			}
			if ((int64_t)rec.ns > p->near.to_ns) {
				break;
			}
			if (rec.kind == RECORD_EVENT && filter_passes(&filter, &rec)) {
				put_step(p, r, &rec);
			}
		}
	}
	free(p->by_key);
	filter_fini(&filter);
	reader_close(r);
}

/* True if there are few lives and records, so that single steps can be seen. */
static bool is_near(struct viewer *v, const struct near *n)
{
	viewer_lock(v);
	bool is = !v->meets_events && n->items.count <= NEAR_LIVES &&
		  levels_count(&v->levels, n->from_ns, n->to_ns) < NEAR_RECORDS;

	viewer_unlock(v);
	return is;
}

/* ---- The answer ---- */

static size_t process_of(struct viewer *v, const struct object_group *g)
{
	viewer_lock(v);
	size_t at = timeline_find_process(&v->levels.timeline, g->trace, g->pid);

	viewer_unlock(v);
	return at;
}

static void put_groups(const struct lives_part *p)
{
	const struct objects *o = &p->lives->objects;

	out_str(p->out, "\"groups\":[");
	for (size_t i = 0; i < o->groups.count; i++) {
		const struct object_group *g = &o->groups.items[i];

		out_printf(p->out, "%s{\"process\":%zu,\"name\":", i ? "," : "",
			process_of(p->viewer, g));
		json_out_string(p->out, g->name);
		out_printf(p->out, ",\"lanes\":%u,\"count\":%" PRIu64 ",\"left\":%" PRIu64 "}",
			g->lanes, g->count, g->left);
	}
	out_str(p->out, "],");
}

/* Writes the names of the lives of a tile by number. */
static void put_names(const struct lives_part *p, const struct tile *t)
{
	const struct objects *o = &p->lives->objects;
	bool is_first = true;

	out_str(p->out, "\"names\":{");
	vec_foreach (const struct tile_row *, row, &t->rows) {
		vec_foreach (const struct tile_item *, item, &row->items) {
			const struct object_life *life = &o->all.items[item->name - 1];

			out_printf(p->out, "%s\"%u\":", is_first ? "" : ",", item->name);
			json_out_string(p->out, life->key);
			is_first = false;
		}
	}
	out_str(p->out, "},");
}

static void put_tile(struct lives_part *p)
{
	const struct objects *o = &p->lives->objects;
	uint32_t *tracks = xcalloc(o->groups.count + 1, sizeof(*tracks));
	struct tile_wish wish = { .from_ns = p->near.from_ns,
		.to_ns = p->near.to_ns,
		.columns = p->columns,
		.tracks = tracks,
		.track_count = o->groups.count };
	struct tile t;

	for (size_t i = 0; i < o->groups.count; i++) {
		tracks[i] = (uint32_t)i;
	}
	tile_from_near(&t, &p->near, &wish);
	while (!p->whole && t.items > ITEMS_MAX && wish.columns > 1) {
		tile_fini(&t);
		wish.columns /= 2;
		tile_from_near(&t, &p->near, &wish);
	}
	p->items = t.items;
	put_names(p, &t);
	out_str(p->out, "\"tile\":");
	answer_put_tile(p->viewer, &t, NULL, p->out);
	tile_fini(&t);
	free(tracks);
}

static void put_lives(struct lives_part *p)
{
	const struct objects *o = &p->lives->objects;

	pthread_mutex_lock(&p->lives->pass.lock);
	out_printf(p->out, "{\"done\":%s,\"shortest\":%" PRId64 ",\"error\":",
		p->lives->pass.is_done ? "true" : "false", o->shortest_ns);
	json_out_string(p->out, o->error);
	out_char(p->out, ',');
	objects_near(o, &p->near);
	put_groups(p);
	put_tile(p);
	out_str(p->out, ",\"steps\":[");
	if (p->whole || is_near(p->viewer, &p->near)) {
		put_steps(p);
	}
	out_str(p->out, "]}");
	pthread_mutex_unlock(&p->lives->pass.lock);
	near_fini(&p->near);
}

unsigned int answer_lives(struct viewer *v, const struct question *q, struct out *out)
{
	struct time_range range;
	size_t columns;

	if (!question_range(v, q, &range)) {
		return answer_refuse(out, "from, to", "two times in ns, the earlier one first");
	}
	if (!question_columns(q, &columns)) {
		return answer_refuse(out, "columns", COLUMNS_WANTED);
	}
	struct lives_part p = { .viewer = v,
		.lives = find_lives(v),
		.near = { .from_ns = range.from, .to_ns = range.to },
		.out = out,
		.columns = columns,
		.whole = q->whole,
		.first_ns = viewer_first_ns(v) };

	if (!p.lives) {
		out_str(out, "{\"done\":true,\"groups\":[]}");
		return 200;
	}
	if (q->waits) {
		view_pass_wait(&p.lives->pass);
	}
	put_lives(&p);
	return q->whole && p.items + p.steps > q->whole ? answer_refuse(out, "to", TIME_WANTED)
							: 200;
}

void view_lives_names(struct viewer *v, view_name_fn *put, void *data)
{
	struct view_lives *lives = find_lives(v);

	if (!lives) {
		return;
	}
	view_pass_wait(&lives->pass);
	vec_foreach (const struct object_group *, g, &lives->objects.groups) {
		put(data, g->name);
	}
}
