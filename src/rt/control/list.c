/* SPDX-License-Identifier: MIT */
/*
 * Lists of events: copies, made under the control lock, of what objects have
 * that may be unloaded as soon as it is free. Memory is got outside of the lock;
 * what grew meanwhile is copied again.
 */
#include <stdlib.h>
#include <string.h>

#include "rt/event/pattern.h"
#include "rt/event/registry.h"
#include "rt/event/state.h"
#include "rt/host/error.h"
#include "rt/host/lock.h"
#include "rt/record/counts.h"

/* What is being filled: `events_max` events, and their names behind. */
struct copy {
	struct waymark_event_info *events;
	size_t events_max;
	size_t text_max;
	size_t count; /* these two: what is there, whether or not it fitted */
	size_t text_size;
};

static bool fits(const struct copy *c)
{
	return c->count <= c->events_max && c->text_size <= c->text_max;
}

static void put(struct copy *c, const struct waymark_event *event)
{
	size_t size = strlen(event->name) + 1;
	size_t at = c->text_size;

	c->count++;
	c->text_size += size;
	if (!fits(c)) {
		return;
	}
	char *name = (char *)(c->events + c->events_max) + at;
	struct tally counts;

	waymark_counts_get(event->id, &counts);
	memcpy(name, event->name, size);
	c->events[c->count - 1] = (struct waymark_event_info){
		.name = name,
		.backends = event->backends,
		.state = state_get(event),
		.watchers = state_watchers(event),
		.recorded = counts.recorded,
		.lost = counts.lost,
		.bytes = counts.bytes,
	};
}

/* `pattern` may be NULL. */
static void fill(struct copy *c, const struct pattern *pattern)
{
	c->count = c->text_size = 0;
	waymark_lock();
	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		registry_foreach_event(it, o)
		{
			if (!pattern || waymark_pattern_meets(pattern, (*it)->name)) {
				put(c, *it);
			}
		}
	}
	waymark_unlock();
}

/* Makes room for what fill() found. */
static bool grow(struct copy *c)
{
	free(c->events);
	c->events_max = c->count;
	c->text_max = c->text_size;
	c->events = malloc(c->events_max * sizeof(*c->events) + c->text_max);
	return c->events;
}

static int list(
	const struct pattern *pattern, struct waymark_event_list *list, struct waymark_error *error)
{
	struct copy c = { 0 };

	fill(&c, pattern);
	while (!fits(&c)) {
		if (!grow(&c)) {
			return waymark_fail(error, "out of memory");
		}
		fill(&c, pattern);
	}
	*list = (struct waymark_event_list){ .events = c.events, .count = c.count };
	return 0;
}

int waymark_list_events(
	const char *pattern, struct waymark_event_list *events, struct waymark_error *error)
{
	struct pattern p;

	error_clear(error);
	*events = (struct waymark_event_list){ 0 };
	if (!pattern) {
		return list(NULL, events, error);
	}
	if (waymark_pattern_init(&p, pattern, error) < 0) {
		return -1;
	}
	int result = list(&p, events, error);

	waymark_pattern_fini(&p);
	return result;
}

void waymark_free_events(struct waymark_event_list *events)
{
	free(events->events);
	*events = (struct waymark_event_list){ 0 };
}
