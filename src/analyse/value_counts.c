/* SPDX-License-Identifier: MIT */
/* Counts of values, found by their bytes. */
#include "analyse/value_counts.h"

#include <stdlib.h>

void value_counts_fini(struct value_counts *c)
{
	vec_foreach (struct value_count *, value, &c->all) {
		free(value->text);
	}
	vec_fini(&c->all);
	tuples_fini(&c->tuples);
}

bool value_counts_add(struct value_counts *c, const char *bytes, size_t size)
{
	uint32_t number = tuples_find(&c->tuples, bytes, size);

	if (number != TUPLES_NONE) {
		c->all.items[number].events++;
	}
	return number != TUPLES_NONE;
}

struct ranked {
	uint64_t events; /* in this window and the last one */
	uint32_t number;
};

static int by_events(const void *va, const void *vb)
{
	const struct ranked *a = va;
	const struct ranked *b = vb;

	return (a->events > b->events) - (a->events < b->events);
}

/* Gives a value up: from now on its events are among the others. */
static void give_up(struct value_counts *c, uint32_t number)
{
	struct value_count *value = &c->all.items[number];

	c->others.events += value->events;
	c->others.before += value->before;
	c->others.window += value->window;
	free(value->text);
	*value = (struct value_count){ 0 };
	tuples_release(&c->tuples, number);
	c->kept--;
}

static void make_room(struct value_counts *c)
{
	struct ranked *all = xcalloc(c->all.count, sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < c->all.count; i++) {
		const struct value_count *value = &c->all.items[i];

		if (value->text) {
			all[count++] =
				(struct ranked){ value->events - value->before + value->window,
					(uint32_t)i };
		}
	}
	qsort(all, count, sizeof(*all), by_events);
	for (size_t i = 0; i < count / 2; i++) {
		give_up(c, all[i].number);
	}
	free(all);
}

void value_counts_keep(struct value_counts *c, const char *bytes, size_t size, char *text)
{
	if (c->kept == VALUE_COUNTS_MAX) {
		make_room(c);
	}
	uint32_t number = tuples_hold(&c->tuples, bytes, size);

	vec_reach(&c->all, number);
	c->all.items[number] = (struct value_count){ .text = text, .events = 1 };
	c->kept++;
}

static void turn(struct value_count *value)
{
	value->window = value->events - value->before;
	value->before = value->events;
}

void value_counts_turn(struct value_counts *c)
{
	turn(&c->others);
	vec_foreach (struct value_count *, value, &c->all) {
		turn(value);
	}
}
