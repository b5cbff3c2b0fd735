/* SPDX-License-Identifier: MIT */
/*
 * The vCPUs that an event is on for: the state machine of vcpu.h, and the watcher of its changes.
 * The control lock guards the table that finds an event's set; call sites find it by the event's
 * own pointer. A watcher is called without the lock, once for each control call.
 */
#include <stdlib.h>

#include "rt/event/registry.h"
#include "rt/event/state.h"
#include "rt/event/vcpu.h"
#include "rt/host/lock.h"

#define BUCKETS 256u

/* ---- Changes for the watcher ---- */

struct watch {
	void (*changed)(void *cpu, void *opaque);
	void *opaque;
};

struct change {
	bool exists;
	bool is_any; /* for more vCPUs than `cpu` */
	void *cpu;
};

/* Under the control lock; while the lock is free there is no pending change. */
static struct watch watch;
static struct change change;

/* Calls of watchers that run without the lock: waymark_vcpu_set_watch() waits for them. */
static unsigned int running;
static pthread_cond_t none_runs = PTHREAD_COND_INITIALIZER;

/*
 * Notes that an event of translated code went on or off for `cpu`, or for any vCPU if that is NULL.
 * waymark_vcpu_unlock() reports it.
 */
static void note_change(const struct waymark_event *event, void *cpu)
{
	if (!(event->flags & WAYMARK_EVENT_EXEC)) {
		return;
	}
	change.exists = true;
	change.is_any |= !cpu;
	change.cpu = cpu;
}

/* ---- Sets ---- */

/* Under the control lock. */
static struct {
	struct waymark_vcpu_set *buckets[BUCKETS];
	struct waymark_vcpu_set *free; /* sets of removed objects */
} sets;

/* Release: pairs with vcpu_shown() and waymark_vcpu_backends(), which then see the bits. */
static void show(struct waymark_event *event, struct waymark_vcpu_set *set)
{
	__atomic_store_n(&event->vcpus, set, __ATOMIC_RELEASE);
}

/* Returns the place of the pointer to the event's set, or of the one that ends its bucket. */
static struct waymark_vcpu_set **place_of(const struct waymark_event *event)
{
	struct waymark_vcpu_set **place = &sets.buckets[((uintptr_t)event >> 4) % BUCKETS];

	while (*place && (*place)->event != event) {
		place = &(*place)->next;
	}
	return place;
}

static struct waymark_vcpu_set *take_free(void)
{
	struct waymark_vcpu_set *set = sets.free;

	if (!set) {
		return calloc(1, sizeof(*set));
	}
	sets.free = set->next;
	return set;
}

/* Returns the set of an event in state SOME; otherwise NULL. */
static struct waymark_vcpu_set *some(const struct waymark_event *event)
{
	return state_get(event) ? vcpu_shown(event) : NULL;
}

/* Gives the event a set if it has none; returns false if there is no memory. */
static bool has_set(struct waymark_event *event)
{
	struct waymark_vcpu_set **place = place_of(event);
	struct waymark_vcpu_set *set = *place ? *place : take_free();

	if (set && !*place) {
		set->event = event;
		set->next = NULL;
		*place = set;
	}
	return set;
}

bool waymark_vcpu_prepare(struct waymark_event *event, bool on)
{
	if (!some(event) && (state_get(event) != 0) == on) {
		return true; /* nothing will change */
	}
	if (on && !waymark_entry_prepare(event, state_switchable(event))) {
		return false;
	}
	if (on) {
		waymark_entry_id(event); /* its counts need an id */
	}
	return has_set(event);
}

static void put_bit(struct waymark_vcpu_set *set, unsigned int index, bool on)
{
	if (index == WAYMARK_VCPU_LATER) {
		__atomic_store_n(&set->base, on, __ATOMIC_RELAXED);
		return;
	}
	uint32_t bit = UINT32_C(1) << index % 32;
	uint32_t word = set->on[index / 32];

	__atomic_store_n(&set->on[index / 32], on ? word | bit : word & ~bit, __ATOMIC_RELAXED);
}

static bool is_empty(const struct waymark_vcpu_set *set)
{
	uint32_t any = 0;

	for (unsigned int i = 0; i < VCPU_WORDS; i++) {
		any |= set->on[i];
	}
	return any == 0;
}

/* True if the event is on for all present and later vCPUs. */
static bool is_all(const struct waymark_vcpu_set *set)
{
	uint32_t missing = !set->base;

	for (unsigned int i = 0; i < VCPU_WORDS; i++) {
		missing |= waymark_vcpu_taken(i) & ~set->on[i];
	}
	return missing == 0;
}

/*
 * Sets the bit of one index to `on`, and the bits of all other taken indices to the opposite.
 * Stores each word once.
 */
static void fill(struct waymark_vcpu_set *set, unsigned int index, bool on)
{
	for (unsigned int i = 0; i < VCPU_WORDS; i++) {
		uint32_t bit = i == index / 32 ? UINT32_C(1) << index % 32 : 0;
		uint32_t word = on ? bit : waymark_vcpu_taken(i) & ~bit;

		__atomic_store_n(&set->on[i], word, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&set->base, index == WAYMARK_VCPU_LATER ? on : !on, __ATOMIC_RELAXED);
}

static void switch_off(struct waymark_event *event)
{
	state_clear(event, WAYMARK_ANY_BACKEND);
}

/* Changes SOME to ALL or OFF if the set is full or empty. */
static void simplify(struct waymark_event *event, struct waymark_vcpu_set *set, bool none_is_off)
{
	if (none_is_off && is_empty(set)) {
		switch_off(event);
	} else if (is_all(set)) {
		show(event, NULL);
	}
}

/* Changes OFF or ALL to SOME. */
static void begin_some(struct waymark_event *event, unsigned int index, bool on)
{
	struct waymark_vcpu_set *set = *place_of(event);

	fill(set, index, on);
	if (!on && is_empty(set)) {
		switch_off(event);
		return;
	}
	show(event, set);
	if (on) {
		state_raise(event, state_switchable(event));
		simplify(event, set, false); /* on(LATER) without any vCPU is ALL */
	}
}

/* True if the event is on for vCPUs that are not registered. */
static bool base_of(const struct waymark_event *event)
{
	const struct waymark_vcpu_set *set = some(event);

	return set ? set->base : state_get(event) != 0;
}

void waymark_vcpu_switch(struct waymark_event *event, unsigned int index, bool on)
{
	struct waymark_vcpu_set *set = some(event);
	bool base = base_of(event);
	bool is_on = set && index != WAYMARK_VCPU_LATER ? vcpu_bit(set, index) : base;

	if (is_on == on) {
		return;
	}
	if (set) {
		put_bit(set, index, on);
		simplify(event, set, !on);
	} else {
		begin_some(event, index, on);
	}
	/*
	 * Switching off for the last vCPU may have changed `base`, which is a change for any vCPU.
	 */
	note_change(event, base == base_of(event) ? waymark_vcpu_find(index) : NULL);
}

void waymark_vcpu_switch_all(struct waymark_event *event, const struct switching *s)
{
	bool was_on = state_get(event);
	bool was_some = some(event);

	if (s->on) {
		show(event, NULL);
	}
	state_switch(event, s);
	if (was_on != (state_get(event) != 0) || (s->on && was_some)) {
		note_change(event, NULL);
	}
}

#define foreach_set(set)                           \
	for (unsigned int b = 0; b < BUCKETS; b++) \
		for (struct waymark_vcpu_set *set = sets.buckets[b]; set; set = set->next)

void waymark_vcpu_inherit(unsigned int index)
{
	foreach_set(set)
	{
		if (some(set->event)) {
			put_bit(set, index, set->base);
		}
	}
}

void waymark_vcpu_leave(unsigned int index)
{
	foreach_set(set)
	{
		if (some(set->event)) {
			put_bit(set, index, false);
			simplify(set->event, set, !set->base);
		}
	}
}

/*
 * An object that is registered again without being loaded anew begins with its events in state OFF.
 */
void waymark_vcpu_adopt(struct waymark_object *object)
{
	registry_foreach_event(it, object)
	{
		if (vcpu_shown(*it)) {
			switch_off(*it);
			show(*it, NULL);
		}
	}
}

/*
 * Frees the object's sets for others. `vcpus` stays set, because call sites of an object that ends
 * with the process still read it.
 */
void waymark_vcpu_disown(struct waymark_object *object)
{
	registry_foreach_event(it, object)
	{
		struct waymark_vcpu_set **place = place_of(*it);
		struct waymark_vcpu_set *set = *place;

		if (set) {
			*place = set->next;
			set->next = sets.free;
			sets.free = set;
		}
	}
}

/* ---- The watcher ---- */

void waymark_vcpu_set_watch(void (*changed)(void *cpu, void *opaque), void *opaque)
{
	watch = (struct watch){ changed, opaque };
	while (running > 0) {
		waymark_lock_wait(&none_runs);
	}
}

static void report(const struct watch *watcher, const struct change *done)
{
	watcher->changed(done->is_any ? NULL : done->cpu, watcher->opaque);
	waymark_lock();
	running--;
	if (running == 0) {
		pthread_cond_broadcast(&none_runs);
	}
	waymark_unlock();
}

void waymark_vcpu_unlock(void)
{
	struct watch watcher = watch;
	struct change done = change;
	bool reports = watcher.changed && done.exists;

	change = (struct change){ 0 };
	running += reports;
	waymark_unlock();
	if (reports) {
		report(&watcher, &done);
	}
}

/* The threads that ran watchers or waited do not exist in the child. */
static void in_child(void)
{
	running = 0;
	none_runs = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

__attribute__((constructor)) static void watch_follows_forks(void)
{
	pthread_atfork(NULL, NULL, in_child);
}
