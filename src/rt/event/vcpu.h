/* SPDX-License-Identifier: MIT */
/*
 * Virtual CPUs: which are registered (vcpu_table.c), and which of them an event is on for
 * (vcpu_set.c).
 *
 * An event is OFF (its mask is 0), on for ALL (`vcpus` is NULL), or on for SOME: the vCPUs with a
 * bit in the set at `vcpus` and, if its `base` is on, those that are not registered now. `vcpus`
 * means nothing while the mask is 0.
 *
 *	          on(i)                  off(i)                   init(i)   fini(i)
 *	OFF       SOME{i}, base off      OFF                      OFF       OFF
 *	ALL       ALL                    SOME{all but i},         ALL       ALL
 *	                                 base on; OFF if empty
 *	SOME      + i; ALL if full,      - i; OFF if empty        + i if    - i; OFF if empty,
 *	          and base on                                     base on   and base off;
 *	                                                                    ALL if full,
 *	                                                                    and base on
 *
 * on(LATER) and off(LATER) change `base` and no bit. Switching the whole event on makes it ALL;
 * switching it off removes backends, and makes it OFF if none is left.
 *
 * Call sites read this without a lock: the mask, then `vcpus`, then one bit. So writers fill a set
 * before `vcpus` points to it, and set `vcpus` before they raise the mask. An event keeps its set
 * while it is registered. A set is never freed, because a call site may still read it. A bit that
 * does not change never has another value in between.
 */
#ifndef RT_EVENT_VCPU_H
#define RT_EVENT_VCPU_H

#include <waymark/record.h>
#include <waymark/vcpu.h>

#include "rt/event/state.h"

#define VCPU_WORDS (WAYMARK_VCPUS / 32u)

/* The vCPUs that an event is on for. Bits of free indices are 0. */
struct waymark_vcpu_set {
	uint32_t on[VCPU_WORDS]; /* relaxed: the event's `vcpus` and mask order them */
	uint32_t base;
	struct waymark_event *event;
	struct waymark_vcpu_set *next;
};

static inline bool vcpu_bit(const struct waymark_vcpu_set *set, unsigned int index)
{
	return __atomic_load_n(&set->on[index / 32], __ATOMIC_RELAXED) >> index % 32 & 1;
}

/* Returns the set at `vcpus`. Acquire: pairs with show() of vcpu_set.c. */
static inline struct waymark_vcpu_set *vcpu_shown(const struct waymark_event *event)
{
	return __atomic_load_n(&event->vcpus, __ATOMIC_ACQUIRE);
}

/* Returns 32 of the taken indices as bits. Under the control lock. */
uint32_t waymark_vcpu_taken(unsigned int word);

/* Returns the index of a CPU; WAYMARK_VCPUS if it is not registered. Any thread, lock-free. */
unsigned int waymark_vcpu_index(const void *cpu);

/* Register `cpu` at a free index, and remove it. Under the control lock. */
void waymark_vcpu_table_add(void *cpu, unsigned int index);
void waymark_vcpu_table_remove(void *cpu, unsigned int index);

static inline bool vcpu_is_taken(unsigned int index)
{
	return waymark_vcpu_taken(index / 32) >> index % 32 & 1;
}

/*
 * Gives the event what waymark_vcpu_switch() needs: a set, and the id that recording needs. Returns
 * false if memory or ids ran out. Under the control lock, as for all functions below.
 */
bool waymark_vcpu_prepare(struct waymark_event *event, bool on);

/* Does on(i) or off(i) for a prepared event; with WAYMARK_VCPU_LATER as `index` changes `base`. */
void waymark_vcpu_switch(struct waymark_event *event, unsigned int index, bool on);

/*
 * Switches the whole event, whether or not it is declared `vcpu`. For the masks see
 * state_switchable().
 */
void waymark_vcpu_switch_all(struct waymark_event *event, const struct switching *s);

/* Do init(i), before the CPU is added to the table, and fini(i), after it was removed. */
void waymark_vcpu_inherit(unsigned int index);
void waymark_vcpu_leave(unsigned int index);

/* Call for an object that is added to the registry, and for one that was removed. */
void waymark_vcpu_adopt(struct waymark_object *object);
void waymark_vcpu_disown(struct waymark_object *object);

/*
 * Sets the watcher of events of translated code; NULL removes it. Waits, without the lock, until no
 * call of a watcher is running.
 */
void waymark_vcpu_set_watch(void (*changed)(void *cpu, void *opaque), void *opaque);

/*
 * Unlocks after switching events. Calls the watcher once, without the lock, if events of translated
 * code changed.
 */
void waymark_vcpu_unlock(void);

#endif
