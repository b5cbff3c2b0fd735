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
#include "rt/event/vcpu.h"
#include "rt/host/error.h"
#include "rt/host/lock.h"
#include "rt/record/counts.h"

/* Which events are wanted, and whose states. */
struct query {
	const struct pattern *pattern; /* NULL: all */
	bool of_vcpu; /* only the events that single vCPUs have, as that of `index` has them */
	unsigned int index;
};

/* What is being filled: `events_max` events, and their names behind. */
struct copy {
	bool of_vcpu;
	const void *cpu; /* NULL: one that nobody has told of */
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

/* Those of a scope are of its beginnings and its ends. */
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
	struct tally counts = counts_of(event);

	memcpy(name, event->name, size);
	c->events[c->count - 1] = (struct waymark_event_info){
		.name = name,
		.backends = event->backends,
		.state = c->of_vcpu ? waymark_vcpu_backends(event, c->cpu) : state_get(event),
		.watchers = state_watchers(event),
		.recorded = counts.recorded,
		.lost = counts.lost,
		.bytes = counts.bytes,
		.vcpu = event->flags & WAYMARK_EVENT_VCPU,
		.scope = event->flags & WAYMARK_EVENT_SCOPE,
	};
}

static bool is_wanted(const struct query *q, const struct waymark_event *event)
{
	return (!q->of_vcpu || event->flags & WAYMARK_EVENT_VCPU) &&
	       (!q->pattern || waymark_pattern_matches_text(q->pattern, event->name));
}

/* Returns false where the vCPU is not there. */
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

/* With `text`, which may be NULL, as the pattern. */
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
