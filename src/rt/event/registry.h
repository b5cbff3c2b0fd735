/* SPDX-License-Identifier: MIT */
/*
 * The registry: every event of every loaded object, and the rules (`-trace`
 * patterns) that objects loaded later still have to obey. One lock guards the
 * lists; state words are changed by 16-bit atomics, so that call sites and the
 * kernel, which owns the other half, never wait.
 *
 * An event gets an entry when it is first switched on: a copy of what a writer
 * needs to know, immutable and never freed, so that records outlive a dlclose.
 */
#ifndef RT_EVENT_REGISTRY_H
#define RT_EVENT_REGISTRY_H

#include <waymark/control.h>
#include <waymark/record.h>

/* The id space of a record's 16-bit id; 0 is never given out. */
#define REGISTRY_IDS_MAX 65536u

/* What outlives the object that an event came from. */
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

/* The next entry of that name, of all that are, in a ring. Any thread, lock-free. */
static inline const struct waymark_entry *waymark_registry_same_name(
	const struct waymark_entry *entry)
{
	const struct waymark_entry *next = __atomic_load_n(&entry->same_name, __ATOMIC_ACQUIRE);

	return next ? next : entry;
}

/*
 * The event's id, given to it now if it has none: that of an identical event
 * that was loaded before, else the next one. The end of a scope gets its own with it. Returns 0
 * when memory or ids ran out. Under the control lock.
 */
uint32_t waymark_entry_id(struct waymark_event *event);

/*
 * Adds an object, its events in the state that the rules ask for; false where it
 * is there already. Takes it out again. Both take the lock.
 */
bool waymark_registry_add(struct waymark_object *object);
void waymark_registry_remove(struct waymark_object *object);

/* How many events are loaded, and how many of them are on. Any thread; waits for no lock. */
void waymark_registry_count(uint32_t *events, uint32_t *on);

/* waymark_vcpu_unlock() behind a change of states: the counts above are to be made anew. */
void waymark_registry_unlock(void);

/*
 * How many objects have gone so far: while that is the same, so is each event that was there.
 * Any thread, any signal handler.
 */
uint32_t waymark_registry_removals(void);

/* Whether the event, which may be gone, is there. Under the control lock. */
bool waymark_registry_has(const struct waymark_event *event);

/* The first object, in the order of registration. Under the control lock. */
struct waymark_object *waymark_registry_first(void);

/* At `it` or behind it, the first that is an event: what is compiled out may be there. */
static inline struct waymark_event *const *registry_event_from(
	const struct waymark_object *object, struct waymark_event *const *it)
{
	while (it < object->end && (*it)->flags & WAYMARK_EVENT_OUT) {
		it++;
	}
	return it;
}

/* All events of an object; the descriptor itself is `*it`. */
#define registry_foreach_event(it, object)                                                   \
	for (struct waymark_event *const *it = registry_event_from(object, (object)->begin); \
		it < (object)->end; it = registry_event_from(object, it + 1))

/* The backends that any event of the loaded objects was built with. Takes the lock. */
unsigned int waymark_registry_backends(void);

/* The same of all objects that were ever loaded: plug-ins go. Takes the lock. */
unsigned int waymark_registry_backends_ever(void);

/*
 * Gives the event the id that recording by some of `on` needs; false where it gets
 * none. After that waymark_registry_switch() cannot fail. Under the control lock.
 */
bool waymark_registry_prepare(struct waymark_event *event, unsigned int on);

/*
 * Switches `on` on and `off` off for one event, as far as it was built with
 * them, for all vCPUs alike. Who calls it ends with waymark_registry_unlock(). Returns false
 * where it could not get the id that recording needs; such backends then stay off. Under the
 * control lock.
 */
bool waymark_registry_switch(struct waymark_event *event, unsigned int on, unsigned int off);

/* waymark_find() for callers that may change the event. Takes the lock. */
struct waymark_event *waymark_registry_find(const char *name);

/* waymark_iter_next() for callers that may change the event. */
struct waymark_event *waymark_registry_next(struct waymark_iter *iter);

/* Begins an iteration over one object: the `group`th that was registered, from 0. */
void waymark_registry_iter_group(struct waymark_iter *iter, uint64_t group);

#endif
