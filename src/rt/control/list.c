/* SPDX-License-Identifier: MIT */
/*
 * Lists of events, categories and threads. Events and categories are copies, made under the control
 * lock, because an object may be unloaded as soon as the lock is free. Memory is allocated without
 * the lock; if it was too little, more is allocated and everything is copied again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rt/control/list.h"
#include "rt/event/pattern.h"
#include "rt/event/decision.h"
#include "rt/event/registry.h"
#include "rt/event/site.h"
#include "rt/event/state.h"
#include "rt/event/vcpu.h"
#include "rt/host/error.h"
#include "rt/host/lock.h"
#include "rt/record/process.h"
#include "rt/record/stats.h"
#include "rt/site/limit.h"

/* Which events are wanted, and for which vCPU their states. */
struct query {
	const struct pattern *pattern; /* NULL: all */
	const struct terms *terms; /* only events that they fit; NULL: all */
	bool of_vcpu; /* only events declared `vcpu`, with their states on the vCPU `index` */
	unsigned int index;
};

/* The list being filled: `events_max` events, followed by their texts. */
struct copy {
	bool of_vcpu;
	const void *cpu; /* NULL: a CPU that is not registered */
	struct waymark_event_info *events;
	size_t events_max;
	size_t text_max;
	size_t count; /* the full counts, whether or not all fitted */
	size_t text_size;
};

static bool fits(const struct copy *c)
{
	return c->count <= c->events_max && c->text_size <= c->text_max;
}

/* A scope's counts include its begins and its ends. */
static struct tally counts_of(const struct waymark_event *event)
{
	struct tally counts;
	struct tally ends = { 0 };

	waymark_counts_get(event->id, &counts);
	if (event->flags & WAYMARK_EVENT_SCOPE && event->end) {
		waymark_counts_get(event->end->id, &ends);
	}
	return (struct tally){
		.recorded = counts.recorded + ends.recorded,
		.lost = counts.lost + ends.lost,
		.bytes = counts.bytes + ends.bytes,
	};
}

/* Copies a text behind the others, if there is room. Returns its place. */
static const char *put_text(struct copy *c, const char *text)
{
	size_t size = strlen(text) + 1;
	size_t at = c->text_size;

	c->text_size += size;
	return fits(c) ? memcpy((char *)(c->events + c->events_max) + at, text, size) : NULL;
}

/* Puts the names of an event's fields behind the other texts, with blanks between them. */
static const char *put_fields(struct copy *c, const struct waymark_event *event)
{
	const char *name = event_next_text(event_format(event));
	unsigned int count = event->flags & WAYMARK_EVENT_SITE ? 0 : event->arg_count;
	const char *fields = put_text(c, count ? name : "");

	for (unsigned int i = 1; i < count; i++) {
		char *next;

		name = event_next_text(event_next_text(name));
		next = (char *)put_text(c, name);
		if (next) {
			next[-1] = ' ';
		}
	}
	return fields;
}

static void put(struct copy *c, const struct waymark_event *event)
{
	const struct decision *d = waymark_decision_in_force(event);

	c->count++;
	const char *name = put_text(c, event->name);
	const char *condition = put_text(c, decision_condition(d));
	const char *limits = put_text(c, decision_limits(d));
	const char *fields = put_fields(c, event);

	if (!fits(c)) {
		return;
	}
	struct tally counts = counts_of(event);

	c->events[c->count - 1] = (struct waymark_event_info){
		.name = name,
		.backends = event->backends,
		.state = c->of_vcpu ? state_of_mask(event, waymark_vcpu_backends(event, c->cpu))
				    : state_get(event),
		.watchers = state_watchers(event),
		.recorded = counts.recorded,
		.lost = counts.lost,
		.bytes = counts.bytes,
		.vcpu = event->flags & WAYMARK_EVENT_VCPU,
		.scope = event->flags & WAYMARK_EVENT_SCOPE,
		.conditional = (uint16_t)state_get_conditional(event),
		.condition = condition,
		.limits = limits,
		.left_out = event->id ? waymark_limit_left_out(event->id) : 0,
		.fields = fields,
	};
}

static bool is_wanted(const struct query *q, const struct waymark_event *event)
{
	return (!q->of_vcpu || event->flags & WAYMARK_EVENT_VCPU) &&
	       (!q->pattern || waymark_pattern_matches_text(q->pattern, event->name)) &&
	       (!q->terms || waymark_terms_fit(q->terms, event, NULL));
}

/* Returns false if the vCPU does not exist. */
static bool fill(struct copy *c, const struct query *q)
{
	c->count = c->text_size = 0;
	waymark_lock();
	c->of_vcpu = q->of_vcpu;
	c->cpu = q->of_vcpu ? waymark_vcpu_find(q->index) : NULL;
	bool found = !q->of_vcpu || c->cpu || q->index == WAYMARK_VCPU_LATER;

	for (struct waymark_object *o = waymark_registry_first(); o && found; o = o->next) {
		registry_foreach_event(it, o)
		{
			if (is_wanted(q, *it)) {
				put(c, *it);
			}
		}
	}
	waymark_unlock();
	return found;
}

/* Makes room for the events that fill() counted. */
static bool grow(struct copy *c)
{
	free(c->events);
	c->events_max = c->count;
	c->text_max = c->text_size;
	c->events = malloc(c->events_max * sizeof(*c->events) + c->text_max);
	return c->events;
}

static int list(
	const struct query *q, struct waymark_event_list *events, struct waymark_error *error)
{
	struct copy c = { 0 };
	bool found = fill(&c, q);

	while (found && !fits(&c)) {
		if (!grow(&c)) {
			return waymark_fail(error, "out of memory");
		}
		found = fill(&c, q);
	}
	if (!found) {
		free(c.events);
		return waymark_fail(error, "there is no vCPU with index %u", q->index);
	}
	*events = (struct waymark_event_list){ .events = c.events, .count = c.count };
	return 0;
}

/* Makes the list with `text`, which may be NULL, as the pattern. */
static int list_matching(struct query *q, const char *text, struct waymark_event_list *events,
	struct waymark_error *error)
{
	struct pattern p;

	error_clear(error);
	*events = (struct waymark_event_list){ 0 };
	if (!text) {
		return list(q, events, error);
	}
	if (waymark_pattern_init(&p, text, error) < 0) {
		return -1;
	}
	q->pattern = &p;
	int result = list(q, events, error);

	waymark_pattern_fini(&p);
	return result;
}

int waymark_list_events(
	const char *pattern, struct waymark_event_list *events, struct waymark_error *error)
{
	return list_matching(&(struct query){ .of_vcpu = false }, pattern, events, error);
}

int waymark_list_fitting(const struct waymark_rule *rule, struct waymark_event_list *events,
	struct waymark_error *error)
{
	return list(
		&(struct query){ .pattern = &rule->match, .terms = rule->terms }, events, error);
}

int waymark_vcpu_list_events(unsigned int index, const char *pattern,
	struct waymark_event_list *events, struct waymark_error *error)
{
	return list_matching(
		&(struct query){ .of_vcpu = true, .index = index }, pattern, events, error);
}

void waymark_free_events(struct waymark_event_list *events)
{
	free(events->events);
	*events = (struct waymark_event_list){ 0 };
}

/* Each object has its own categories. Categories of the same name make one row of the list. */
#define FIRST_MAX 32u
#define TEXT_EACH 128u

/* A category of one object. */
struct object_category {
	const struct waymark_category *category;
	size_t events;
	size_t on;
};

/*
 * One block of memory: first the rows, which are the result, then the categories, then the texts.
 */
struct category_copy {
	struct waymark_category_info *rows;
	struct object_category *categories;
	char *text;
	size_t max; /* number of rows, and of categories, that fit */
	size_t text_max;
	size_t row_count;
	size_t category_count;
	size_t text_size;
};

/* Returns NULL if there is no room. */
static struct object_category *category_of(
	struct category_copy *c, const struct waymark_category *category)
{
	for (size_t i = c->category_count; i-- > 0;) {
		if (c->categories[i].category == category) {
			return &c->categories[i];
		}
	}
	if (c->category_count == c->max) {
		return NULL;
	}
	c->categories[c->category_count] = (struct object_category){ .category = category };
	return &c->categories[c->category_count++];
}

/*
 * Counts also events that are compiled out, which may still be among the pointers. Returns false if
 * there is no room.
 */
static bool count_sites(struct category_copy *c, const struct waymark_object *object)
{
	for (struct waymark_event *const *it = object->begin; it < object->end; it++) {
		const struct waymark_event *event = *it;

		if (!(event->flags & WAYMARK_EVENT_SITE) || !site_of(event)->category) {
			continue;
		}
		struct object_category *p = category_of(c, site_of(event)->category);

		if (!p) {
			return false;
		}
		p->events++;
		p->on += state_get(event) != 0;
	}
	return true;
}

/* Returns NULL if there is no room. */
static const char *keep(struct category_copy *c, const char *text)
{
	size_t size = strlen(text) + 1;

	if (size > c->text_max - c->text_size) {
		return NULL;
	}
	char *kept = memcpy(c->text + c->text_size, text, size);

	c->text_size += size;
	return kept;
}

/* The row of that name; NULL: no room. */
static struct waymark_category_info *row_of(
	struct category_copy *c, const struct waymark_category *category)
{
	for (size_t i = 0; i < c->row_count; i++) {
		if (strcmp(c->rows[i].name, category->name) == 0) {
			return &c->rows[i];
		}
	}
	struct waymark_category_info row = {
		.name = keep(c, category->name),
		.description = keep(c, category->description),
	};

	if (!row.name || !row.description || c->row_count == c->max) {
		return NULL;
	}
	c->rows[c->row_count] = row;
	return &c->rows[c->row_count++];
}

static bool add_category(struct category_copy *c, const struct object_category *p)
{
	struct waymark_category_info *row = row_of(c, p->category);

	if (!row) {
		return false;
	}
	row->events += p->events;
	row->on += p->on;
	row->compiled_in |= p->category->is_in;
	row->live += __atomic_load_n(&p->category->live, __ATOMIC_RELAXED);
	return true;
}

/* Returns false if there is no room. Under the control lock. */
static bool fill_categories(struct category_copy *c)
{
	bool fits = true;

	for (struct waymark_object *o = waymark_registry_first(); o && fits; o = o->next) {
		fits = count_sites(c, o);
	}
	for (size_t i = 0; i < c->category_count && fits; i++) {
		fits = add_category(c, &c->categories[i]);
	}
	return fits;
}

static bool make_room(struct category_copy *c, size_t max)
{
	*c = (struct category_copy){ .max = max, .text_max = max * TEXT_EACH };
	c->rows = malloc(max * (sizeof(*c->rows) + sizeof(*c->categories) + TEXT_EACH));
	c->categories = (struct object_category *)(c->rows + max);
	c->text = (char *)(c->categories + max);
	return c->rows;
}

static int by_name(const void *a, const void *b)
{
	const struct waymark_category_info *x = a, *y = b;

	return strcmp(x->name, y->name);
}

int waymark_list_categories(struct waymark_category_list *list, struct waymark_error *error)
{
	struct category_copy c = { .max = FIRST_MAX / 2 };
	bool is_whole = false;

	*list = (struct waymark_category_list){ 0 };
	error_clear(error);
	while (!is_whole) {
		free(c.rows);
		if (!make_room(&c, 2 * c.max)) {
			return waymark_fail(error, "no memory for a list of categories");
		}
		waymark_lock();
		is_whole = fill_categories(&c);
		waymark_unlock();
	}
	qsort(c.rows, c.row_count, sizeof(*c.rows), by_name);
	*list = (struct waymark_category_list){ .categories = c.rows, .count = c.row_count };
	return 0;
}

void waymark_free_categories(struct waymark_category_list *list)
{
	free(list->categories);
	*list = (struct waymark_category_list){ 0 };
}

/*
 * ---- Threads that have recorded ----
 *
 * They record, begin and end meanwhile, so each row is right for one moment only
 * (rt/record/cursor.h).
 */

static struct waymark_thread_info *add_row(struct waymark_thread_list *list)
{
	if ((list->count & (list->count - 1)) == 0) {
		size_t room = list->count ? 2 * list->count : 1;
		void *rows = realloc(list->threads, room * sizeof(*list->threads));

		if (!rows) {
			return NULL;
		}
		list->threads = rows;
	}
	struct waymark_thread_info *row = &list->threads[list->count++];

	memset(row, 0, sizeof(*row));
	return row;
}

/* Reads the thread's name from the system; the thread may have ended meanwhile. */
static void read_name(uint32_t tid, char *name, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", (unsigned int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		return;
	}
	ssize_t length = read(fd, name, size - 1);

	close(fd);
	name[length > 0 ? length : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
}

static bool add_thread(struct waymark_thread_list *list, uint32_t tid, const struct tally *t)
{
	if (!(t->recorded | t->lost)) {
		return true;
	}
	struct waymark_thread_info *row = add_row(list);

	if (!row) {
		return false;
	}
	row->tid = tid;
	row->recorded = t->recorded;
	row->lost = t->lost;
	row->bytes = t->bytes;
	if (tid) {
		read_name(tid, row->name, sizeof(row->name));
	}
	return true;
}

static bool add_all(struct waymark_thread_list *list)
{
	struct tally ended = { 0 };
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next_ever(&index));) {
		struct tally own = { 0 };
		uint32_t tid = waymark_tally_owner(s, &own, &ended);

		if (!add_thread(list, tid, &own)) {
			return false;
		}
	}
	waymark_stats_add_unplaced(waymark_process_current(), &ended);
	return add_thread(list, 0, &ended);
}

static int by_tid(const void *a, const void *b)
{
	const struct waymark_thread_info *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

int waymark_list_threads(struct waymark_thread_list *list, struct waymark_error *error)
{
	*list = (struct waymark_thread_list){ 0 };
	error_clear(error);
	if (!add_all(list)) {
		waymark_free_threads(list);
		return waymark_fail(error, "no memory for a list of threads");
	}
	if (list->count) {
		qsort(list->threads, list->count, sizeof(*list->threads), by_tid);
	}
	return 0;
}

void waymark_free_threads(struct waymark_thread_list *list)
{
	free(list->threads);
	*list = (struct waymark_thread_list){ 0 };
}
