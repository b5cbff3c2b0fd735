/* SPDX-License-Identifier: MIT */
/*
 * The registry: every event of every loaded object (registry.c), and the entries of
 * those that were ever switched on (entry.c). The control lock guards the lists;
 * state words are changed by 16-bit atomics, so that call sites and the kernel,
 * which owns the other half, never wait.
 *
 * An event gets an entry when it is first switched on: a copy of what its records
 * need, immutable and never freed, so that records outlive a dlclose.
 */
#ifndef RT_EVENT_REGISTRY_H
#define RT_EVENT_REGISTRY_H

#include <waymark/control.h>
#include <waymark/record.h>

/* Number of ids of 16 bits; 0 is never given to an event. */
#define REGISTRY_IDS_MAX 65536u

/* An event, for as long as the process: it outlives its object. */
struct waymark_entry {
	uint32_t id;
	uint8_t arg_count;
	uint8_t flags; /* of enum waymark_event_flag */
	const char *name;
	const char *format;
	const char *file;
	uint32_t line;
	const struct waymark_arg *args; /* deep copy */
	const struct waymark_entry *same_name; /* atomic: the next in their ring; NULL: no other */
};

/*
 * The entry of a record's id, NULL when there is none. Any thread, lock-free:
 * pairs with the release store that publishes an entry before its id is used.
 */
const struct waymark_entry *waymark_registry_entry(uint32_t id);

/* The next entry in the ring of those of one name. Any thread, lock-free. */
static inline const struct waymark_entry *waymark_registry_same_name(
	const struct waymark_entry *entry)
{
	const struct waymark_entry *next = __atomic_load_n(&entry->same_name, __ATOMIC_ACQUIRE);

	return next ? next : entry;
}

/*
 * The event's id. One that has none gets that of an identical event that was loaded
 * before, else the next one; so does the end of a scope. Returns 0 when memory or ids
 * ran out. Under the control lock.
 */
uint32_t waymark_entry_id(struct waymark_event *event);

/* Backends whose records have the event's id. */
#define RECORDING_BACKENDS (WAYMARK_CTF | WAYMARK_SIMPLE)

/*
 * Gives the event an id if one of `on` records it; false where it gets none. After that
 * waymark_registry_switch() cannot fail. Under the control lock.
 */
bool waymark_entry_prepare(struct waymark_event *event, unsigned int on);

/*
 * Adds an object, false where it is there already. Under the control lock: see
 * waymark_rules_register().
 */
bool waymark_registry_add(struct waymark_object *object);

/* Removes an object; nothing where it was not added. Takes the lock. */
void waymark_registry_remove(struct waymark_object *object);

/* Number of loaded events, and of those that are on. Any thread; waits for no lock. */
void waymark_registry_count(uint32_t *events, uint32_t *on);

/* Unlocks after a change of states: waymark_vcpu_unlock(), and the counts above are outdated. */
void waymark_registry_unlock(void);

/*
 * Number of objects that were removed so far: while it is the same, no event was removed.
 * Any thread, any signal handler.
 */
uint32_t waymark_registry_removals(void);

/* True if the event, whose object may have been unloaded, is registered. Under the control lock. */
bool waymark_registry_has(const struct waymark_event *event);

/* The first object, in the order of registration. Under the control lock. */
struct waymark_object *waymark_registry_first(void);

/* The first event at `it` or behind it: skips those that are compiled out. */
static inline struct waymark_event *const *registry_event_from(
	const struct waymark_object *object, struct waymark_event *const *it)
{
	while (it < object->end && (*it)->flags & WAYMARK_EVENT_OUT) {
		it++;
	}
	return it;
}

/* Each event of an object is `*it`. */
#define registry_foreach_event(it, object)                                                   \
	for (struct waymark_event *const *it = registry_event_from(object, (object)->begin); \
		it < (object)->end; it = registry_event_from(object, it + 1))

/* The backends that any event of the loaded objects was built with. Takes the lock. */
unsigned int waymark_registry_backends(void);

/* The same of all objects that were ever loaded, also of removed plug-ins. Takes the lock. */
unsigned int waymark_registry_backends_ever(void);

/*
 * Switches `on` on and `off` off for one event and all vCPUs, as far as it was built with
 * them. Returns false where it could not get the id that recording needs; recording backends
 * then stay off. Under the control lock; the caller ends with waymark_registry_unlock().
 */
bool waymark_registry_switch(struct waymark_event *event, unsigned int on, unsigned int off);

/* waymark_find() for callers that may change the event. Takes the lock. */
struct waymark_event *waymark_registry_find(const char *name);

/* waymark_iter_next() for callers that may change the event. */
struct waymark_event *waymark_registry_next(struct waymark_iter *iter);

/* Begins an iteration over one object: the `group`th that was registered, from 0. */
void waymark_registry_iter_group(struct waymark_iter *iter, uint64_t group);

#endif
