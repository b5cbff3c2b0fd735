/* SPDX-License-Identifier: MIT */
/*
 * Lists of categories: what the trace points of the loaded objects say of the category that
 * they are in. Each object has places of its own for its categories; those of one name are one
 * row here. Copies, made under the control lock, as lists of events are: memory is got outside
 * of it, and where it was not enough there is twice as much the next time.
 */
#include <stdlib.h>
#include <string.h>

#include <waymark/control.h>

#include "rt/event/registry.h"
#include "rt/event/site.h"
#include "rt/event/state.h"
#include "rt/host/error.h"
#include "rt/host/lock.h"

#define FIRST_MAX 32u
#define TEXT_EACH 128u

/* A category of one object. */
struct place {
	const struct waymark_category *category;
	size_t events;
	size_t on;
};

/* One block of memory: rows, which is what stays, their texts, and behind them places. */
struct copy {
	struct waymark_category_info *rows;
	struct place *places;
	char *text;
	size_t max; /* rows, places */
	size_t text_max;
	size_t row_count;
	size_t place_count;
	size_t text_size;
};

/* NULL: there is no room. */
static struct place *place_of(struct copy *c, const struct waymark_category *category)
{
	for (size_t i = c->place_count; i-- > 0;) {
		if (c->places[i].category == category) {
			return &c->places[i];
		}
	}
	if (c->place_count == c->max) {
		return NULL;
	}
	c->places[c->place_count] = (struct place){ .category = category };
	return &c->places[c->place_count++];
}

/* What is compiled out is among the pointers where the compiler left it. */
static bool count_events(struct copy *c, const struct waymark_object *object)
{
	for (struct waymark_event *const *it = object->begin; it < object->end; it++) {
		const struct waymark_event *event = *it;

		if (!(event->flags & WAYMARK_EVENT_SITE) || !site_of(event)->category) {
			continue;
		}
		struct place *p = place_of(c, site_of(event)->category);

		if (!p) {
			return false;
		}
		p->events++;
		p->on += state_get(event) != 0;
	}
	return true;
}

/* NULL: there is no room. */
static const char *keep(struct copy *c, const char *text)
{
	size_t size = strlen(text) + 1;

	if (size > c->text_max - c->text_size) {
		return NULL;
	}
	char *kept = memcpy(c->text + c->text_size, text, size);

	c->text_size += size;
	return kept;
}

/* The row of that name; NULL: there is no room. */
static struct waymark_category_info *row_of(struct copy *c, const struct waymark_category *category)
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

static bool add_place(struct copy *c, const struct place *p)
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

/* False: there is no room. Under the control lock. */
static bool fill(struct copy *c)
{
	bool fits = true;

	for (struct waymark_object *o = waymark_registry_first(); o && fits; o = o->next) {
		fits = count_events(c, o);
	}
	for (size_t i = 0; i < c->place_count && fits; i++) {
		fits = add_place(c, &c->places[i]);
	}
	return fits;
}

static bool make_room(struct copy *c, size_t max)
{
	*c = (struct copy){ .max = max, .text_max = max * TEXT_EACH };
	c->rows = malloc(max * (sizeof(*c->rows) + sizeof(*c->places) + TEXT_EACH));
	c->places = (struct place *)(c->rows + max);
	c->text = (char *)(c->places + max);
	return c->rows;
}

static int by_name(const void *a, const void *b)
{
	const struct waymark_category_info *x = a, *y = b;

	return strcmp(x->name, y->name);
}

int waymark_list_categories(struct waymark_category_list *list, struct waymark_error *error)
{
	struct copy c = { .max = FIRST_MAX / 2 };
	bool is_whole = false;

	*list = (struct waymark_category_list){ 0 };
	error_clear(error);
	while (!is_whole) {
		free(c.rows);
		if (!make_room(&c, 2 * c.max)) {
			return waymark_fail(error, "no memory for a list of categories");
		}
		waymark_lock();
		is_whole = fill(&c);
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
