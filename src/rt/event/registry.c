/* SPDX-License-Identifier: MIT */
/*
 * The list of loaded objects, oldest first, and iterators over their events. An iterator holds the
 * object's serial number, never a pointer, so it finds the next object even if objects are added or
 * removed between two steps.
 */
#include <string.h>

#include "rt/host/lock.h"
#include "rt/event/pattern.h"
#include "rt/event/registry.h"
#include "rt/event/state.h"
#include "rt/event/vcpu.h"

/* All of it under the control lock. */
static struct {
	struct waymark_object *first;
	struct waymark_object *last;
	uint64_t serials; /* of the next object */
	uint32_t removals; /* read without the lock: atomic */
	unsigned int backends; /* of all objects ever added */
	uint32_t events; /* this and the next two: read without the lock, relaxed */
	uint32_t events_on;
	bool is_counted; /* the two counts are up to date */
} objects;

static void append(struct waymark_object *object)
{
	object->serial = objects.serials++;
	object->next = NULL;
	object->prev = objects.last;
	if (objects.last) {
		objects.last->next = object;
	} else {
		objects.first = object;
	}
	objects.last = object;
}

static void take_out(struct waymark_object *object)
{
	if (object->prev) {
		object->prev->next = object->next;
	} else {
		objects.first = object->next;
	}
	if (object->next) {
		object->next->prev = object->prev;
	} else {
		objects.last = object->prev;
	}
}

static unsigned int backends_of(const struct waymark_object *object)
{
	unsigned int backends = 0;

	registry_foreach_event(it, object)
	{
		backends |= event_backends(*it);
	}
	return backends;
}

static void recount(void)
{
	uint32_t events = 0;
	uint32_t on = 0;

	for (struct waymark_object *o = objects.first; o; o = o->next) {
		registry_foreach_event(it, o)
		{
			events++;
			on += state_get(*it) != 0;
		}
	}
	__atomic_store_n(&objects.events, events, __ATOMIC_RELAXED);
	__atomic_store_n(&objects.events_on, on, __ATOMIC_RELAXED);
	__atomic_store_n(&objects.is_counted, true, __ATOMIC_RELAXED);
}

/* Returns the last counts while a control call holds the lock. */
void waymark_registry_count(uint32_t *events, uint32_t *on)
{
	if (!__atomic_load_n(&objects.is_counted, __ATOMIC_RELAXED) && waymark_trylock()) {
		recount();
		waymark_unlock();
	}
	*events = __atomic_load_n(&objects.events, __ATOMIC_RELAXED);
	*on = __atomic_load_n(&objects.events_on, __ATOMIC_RELAXED);
}

/*
 * Does not count here, which would take quadratic time if a program switches its events one by one.
 */
static void forget_counts(void)
{
	__atomic_store_n(&objects.is_counted, false, __ATOMIC_RELAXED);
}

void waymark_registry_unlock(void)
{
	forget_counts();
	waymark_vcpu_unlock();
}

bool waymark_registry_add(struct waymark_object *object)
{
	if (object->registered) {
		return false;
	}
	object->registered = 1;
	append(object);
	objects.backends |= backends_of(object);
	waymark_vcpu_adopt(object);
	return true;
}

void waymark_registry_remove(struct waymark_object *object)
{
	waymark_lock();
	if (object->registered) {
		object->registered = 0;
		take_out(object);
		__atomic_fetch_add(&objects.removals, 1, __ATOMIC_RELAXED);
		waymark_vcpu_disown(object);
		forget_counts();
	}
	waymark_unlock();
}

uint32_t waymark_registry_removals(void)
{
	return __atomic_load_n(&objects.removals, __ATOMIC_RELAXED);
}

static bool has(const struct waymark_object *object, const struct waymark_event *event)
{
	registry_foreach_event(it, object)
	{
		if (*it == event) {
			return true;
		}
	}
	return false;
}

bool waymark_registry_has(const struct waymark_event *event)
{
	const struct waymark_object *o = objects.first;

	while (o && !has(o, event)) {
		o = o->next;
	}
	return o != NULL;
}

struct waymark_object *waymark_registry_first(void)
{
	return objects.first;
}

unsigned int waymark_registry_backends(void)
{
	unsigned int backends = 0;

	waymark_lock();
	for (struct waymark_object *o = objects.first; o; o = o->next) {
		backends |= backends_of(o);
	}
	waymark_unlock();
	return backends;
}

unsigned int waymark_registry_backends_ever(void)
{
	waymark_lock();
	unsigned int backends = objects.backends;

	waymark_unlock();
	return backends;
}

static struct waymark_event *find_in(const struct waymark_object *object, const char *name)
{
	registry_foreach_event(it, object)
	{
		if (strcmp((*it)->name, name) == 0) {
			return *it;
		}
	}
	return NULL;
}

struct waymark_event *waymark_registry_find(const char *name)
{
	struct waymark_event *event = NULL;

	waymark_lock();
	for (struct waymark_object *o = objects.first; o && !event; o = o->next) {
		event = find_in(o, name);
	}
	waymark_unlock();
	return event;
}

bool waymark_registry_switch(struct waymark_event *event, struct switching s)
{
	bool has_id = true;

	s.on &= state_switchable(event);
	s.off &= state_switchable(event);
	if (s.on && !waymark_entry_id(event)) {
		has_id = !(s.on & (RECORDING_BACKENDS | s.conditional));
		s.on &= ~(RECORDING_BACKENDS | s.conditional);
	}
	waymark_vcpu_switch_all(event, &s);
	return has_id;
}

void waymark_iter_init(struct waymark_iter *iter, const char *pattern)
{
	*iter = (struct waymark_iter){ .pattern = pattern };
}

void waymark_registry_iter_group(struct waymark_iter *iter, uint64_t group)
{
	*iter = (struct waymark_iter){ .serial = group, .one_object = true };
}

/* Returns the iterator's object, or the next one if that was removed. */
static struct waymark_object *object_at(struct waymark_iter *iter)
{
	struct waymark_object *o = objects.first;

	while (o && o->serial < iter->serial) {
		o = o->next;
	}
	if (o && o->serial != iter->serial) {
		if (iter->one_object) {
			return NULL;
		}
		iter->serial = o->serial;
		iter->index = 0;
	}
	return o;
}

/* `pattern` may be NULL. */
static struct waymark_event *next_in(
	const struct waymark_object *o, struct waymark_iter *iter, const struct pattern *pattern)
{
	while (o->begin + iter->index < o->end) {
		struct waymark_event *event = o->begin[iter->index++];

		if (event->flags & WAYMARK_EVENT_OUT) {
			continue;
		}
		if (!pattern || waymark_pattern_matches_text(pattern, event->name)) {
			return event;
		}
	}
	return NULL;
}

static struct waymark_event *next(struct waymark_iter *iter, const struct pattern *pattern)
{
	struct waymark_event *event = NULL;

	waymark_lock();
	for (struct waymark_object *o = object_at(iter); o && !event; o = object_at(iter)) {
		event = next_in(o, iter, pattern);
		if (!event) {
			if (iter->one_object) {
				break;
			}
			iter->serial++;
			iter->index = 0;
		}
	}
	waymark_unlock();
	return event;
}

struct waymark_event *waymark_registry_next(struct waymark_iter *iter)
{
	struct pattern pattern;

	if (!iter->pattern) {
		return next(iter, NULL);
	}
	if (waymark_pattern_init(&pattern, iter->pattern, NULL) < 0) {
		return NULL;
	}
	struct waymark_event *event = next(iter, &pattern);

	waymark_pattern_fini(&pattern);
	return event;
}
