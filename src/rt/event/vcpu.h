/* SPDX-License-Identifier: MIT */
/*
 * Virtual CPUs: which there are, and which of them an event is on for.
 *
 * An event is OFF (its mask is 0), on for ALL (`vcpus` is NULL), or on for SOME: those
 * that have a bit in the set at `vcpus`, and where its `base` is on, those that are not
 * registered, or come later. `vcpus` says nothing while the mask is 0.
 *
 *	          on(i)                  off(i)                   init(i)   fini(i)
 *	OFF       SOME{i}, base off      OFF                      OFF       OFF
 *	ALL       ALL                    SOME{all but i},         ALL       ALL
 *	                                 base on; OFF where
 *	                                 that is none
 *	SOME      + i; ALL where that    - i; OFF where that      + i       - i; OFF where that
 *	          is all, and base on    is none                  where     is none, and base off;
 *	                                                          base on   ALL where it is all,
 *	                                                                    and base on
 *
 * on(LATER) and off(LATER) are on(i) and off(i) of `base`, with no change to a bit.
 * As a whole: on makes it ALL; off takes backends away, and without any it is OFF.
 *
 * Call sites read all this without a lock: the mask, then `vcpus`, then one bit. Hence
 * the order of what is written: a set is whole before `vcpus` shows it, and `vcpus`
 * is right before the mask is raised. A set stays its event's while the event is
 * registered, and is never freed, because a call site may still look at it; its bits
 * go from one value to the next without another in between.
 */
#ifndef RT_EVENT_VCPU_H
#define RT_EVENT_VCPU_H

#include <waymark/record.h>
#include <waymark/vcpu.h>

#define VCPU_WORDS (WAYMARK_VCPUS / 32u)

/* The vCPUs that an event is on for. The bits of indices that are free are 0. */
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

/* The set at `vcpus`. Acquire: pairs with the release that shows it. */
static inline struct waymark_vcpu_set *vcpu_shown(const struct waymark_event *event)
{
	return __atomic_load_n(&event->vcpus, __ATOMIC_ACQUIRE);
}

/* Which indices are taken: a bit for each of 32. Under the control lock. */
uint32_t waymark_vcpu_taken(unsigned int word);

/* The index of a CPU, WAYMARK_VCPUS where it has none. Any thread, lock-free. */
unsigned int waymark_vcpu_index(const void *cpu);

/* Gives `cpu` an index that is free, and takes it away. Under the control lock. */
void waymark_vcpu_table_add(void *cpu, unsigned int index);
void waymark_vcpu_table_remove(void *cpu, unsigned int index);

static inline bool vcpu_is_taken(unsigned int index)
{
	return waymark_vcpu_taken(index / 32) >> index % 32 & 1;
}

/*
 * Gives the event what waymark_vcpu_switch() needs: a set, and the id that recording
 * needs. False where there is no memory. Under the control lock, as what follows.
 */
bool waymark_vcpu_prepare(struct waymark_event *event, bool on);

/* on(i) and off(i) of a prepared event; WAYMARK_VCPU_LATER for `i`: of `base`. */
void waymark_vcpu_switch(struct waymark_event *event, unsigned int index, bool on);

/* As a whole, for events that are not declared `vcpu` too; masks as state.h has them. */
void waymark_vcpu_switch_all(struct waymark_event *event, unsigned int on, unsigned int off);

/* init(i) before the table shows it, fini(i) behind that. */
void waymark_vcpu_inherit(unsigned int index);
void waymark_vcpu_leave(unsigned int index);

/* The events of an object that comes, or has gone. */
void waymark_vcpu_adopt(struct waymark_object *object);
void waymark_vcpu_disown(struct waymark_object *object);

/* waymark_vcpu_watch(): waits, without the lock, until no call of a watcher runs. */
void waymark_vcpu_set_watch(void (*changed)(void *cpu, void *opaque), void *opaque);

/*
 * waymark_unlock() for what has switched events: tells the watcher, once, when the lock is
 * free again.
 */
void waymark_vcpu_unlock(void);

#endif
