/* SPDX-License-Identifier: MIT */
/*
 * The registry: every event of every loaded object (registry.c), and the entries of events that
 * were ever switched on (entry.c). The control lock guards the lists. State words are changed by
 * 16-bit atomics, so that call sites, and the kernel, which owns the other half, never wait.
 *
 * An event gets an entry when it is first switched on: a copy of what its records need, immutable
 * and never freed, so that records remain readable after a dlclose().
 */
#ifndef RT_EVENT_REGISTRY_H
#define RT_EVENT_REGISTRY_H

#include <string.h>

#include <waymark/control.h>
#include <waymark/record.h>

#include "rt/event/state.h"

/* An argument of an entry. */
struct waymark_entry_arg {
	const char *name;
	const char *type;
	uint8_t kind; /* enum waymark_kind */
	uint8_t size; /* as in struct waymark_arg */
};

/* A copy of an event that lives as long as the process and outlives the event's object. */
struct waymark_entry {
	uint32_t id;
	uint8_t arg_count;
	uint8_t flags; /* of enum waymark_event_flag */
	const char *name;
	const char *format;
	const char *meaning; /* as in struct waymark_event; "": nothing */
	const char *file;
	uint32_t line;
	const struct waymark_entry_arg *args;
	const struct waymark_entry *same_name; /* atomic: next in the ring; NULL: no other */
};

/* Returns the text that follows another one of an event, see struct waymark_event. */
static inline const char *event_next_text(const char *text)
{
	return text + strlen(text) + 1;
}

static inline const char *event_format(const struct waymark_event *event)
{
	return event_next_text(event->name);
}

/*
 * Returns the entry of a record's id; NULL if there is none. Any thread, lock-free: pairs with the
 * release store that publishes an entry before its id is used.
 */
const struct waymark_entry *waymark_registry_entry(uint32_t id);

/* Returns the next entry in the ring of entries with the same name. Any thread, lock-free. */
static inline const struct waymark_entry *waymark_registry_same_name(
	const struct waymark_entry *entry)
{
	const struct waymark_entry *next = __atomic_load_n(&entry->same_name, __ATOMIC_ACQUIRE);

	return next ? next : entry;
}

/*
 * Returns the event's id. An event without an id gets the id of an identical event that was loaded
 * before, otherwise the next one. The end of a scope gets one as well. Returns 0 if memory or ids
 * ran out. Under the control lock.
 */
uint32_t waymark_entry_id(struct waymark_event *event);

/* Backends whose records have the event's id. */
#define RECORDING_BACKENDS (WAYMARK_CTF | WAYMARK_SIMPLE)

/*
 * Gives the event an id if one of `on` records it; returns false if it gets none. After that
 * waymark_registry_switch() cannot fail. Under the control lock.
 */
bool waymark_entry_prepare(struct waymark_event *event, unsigned int on);

/*
 * Adds an object; returns false if it was added before. Under the control lock: see
 * waymark_rules_register().
 */
bool waymark_registry_add(struct waymark_object *object);

/* Removes an object; does nothing if it was not added. Takes the lock. */
void waymark_registry_remove(struct waymark_object *object);

/* Gives the number of loaded events, and of events that are on. Any thread; waits for no lock. */
void waymark_registry_count(uint32_t *events, uint32_t *on);

/*
 * Unlocks after a change of states, as waymark_vcpu_unlock() does, and marks the counts above as
 * outdated.
 */
void waymark_registry_unlock(void);

/*
 * Returns the number of objects removed so far: while it does not change, no event was removed. Any
 * thread, any signal handler.
 */
uint32_t waymark_registry_removals(void);

/*
 * Returns true if the event, whose object may have been unloaded, is registered. Under the control
 * lock.
 */
bool waymark_registry_has(const struct waymark_event *event);

/* Returns the first object, in the order of registration. Under the control lock. */
struct waymark_object *waymark_registry_first(void);

/* Returns the first event at or after `it`; skips events that are compiled out. */
static inline struct waymark_event *const *registry_event_from(
	const struct waymark_object *object, struct waymark_event *const *it)
{
	while (it < object->end && (*it)->flags & WAYMARK_EVENT_OUT) {
		it++;
	}
	return it;
}

/* Iterates over an object's events; `*it` is the event. */
#define registry_foreach_event(it, object)                                                   \
	for (struct waymark_event *const *it = registry_event_from(object, (object)->begin); \
		it < (object)->end; it = registry_event_from(object, it + 1))

/* Returns the backends that any event of the loaded objects was built with. Takes the lock. */
unsigned int waymark_registry_backends(void);

/* Returns the same for all objects ever loaded, including removed plug-ins. Takes the lock. */
unsigned int waymark_registry_backends_ever(void);

/*
 * Switches one event for all vCPUs, as far as it was built with the backends. Returns false if it
 * could not get the id that recording and conditions need; then these backends stay off.
 * Under the control lock; the caller ends with waymark_registry_unlock().
 */
bool waymark_registry_switch(struct waymark_event *event, struct switching s);

/* Does what waymark_find() does, for callers that may change the event. Takes the lock. */
struct waymark_event *waymark_registry_find(const char *name);

/* Does what waymark_iter_next() does, for callers that may change the event. */
struct waymark_event *waymark_registry_next(struct waymark_iter *iter);

/* Begins an iteration over one object: the `group`th that was registered, counted from 0. */
void waymark_registry_iter_group(struct waymark_iter *iter, uint64_t group);

#endif
