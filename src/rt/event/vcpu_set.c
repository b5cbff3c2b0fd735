/* SPDX-License-Identifier: MIT */
/*
 * The vCPUs that an event is on for: the state machine of vcpu.h. Sets are found by
 * their events in a table of buckets, under the control lock; call sites find
 * them by the event's own pointer.
 */
#include <stdlib.h>

#include "rt/event/registry.h"
#include "rt/event/state.h"
#include "rt/event/vcpu.h"
#include "rt/event/vcpu_watch.h"

#define BUCKETS 256u

/* Under the control lock. */
static struct {
	struct waymark_vcpu_set *buckets[BUCKETS];
	struct waymark_vcpu_set *free; /* of objects that are gone */
} sets;

/* Release: pairs with vcpu_shown() and waymark_vcpu_backends(), which then see the bits. */
static void show(struct waymark_event *event, struct waymark_vcpu_set *set)
{
	__atomic_store_n(&event->vcpus, set, __ATOMIC_RELEASE);
}

static struct waymark_vcpu_set **bucket_of(const struct waymark_event *event)
{
	return &sets.buckets[((uintptr_t)event >> 4) % BUCKETS];
}

/* The place that names the event's set, or ends its bucket. */
static struct waymark_vcpu_set **place_of(const struct waymark_event *event)
{
	struct waymark_vcpu_set **place = bucket_of(event);

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

/* The set of an event that is on for some, else NULL. */
static struct waymark_vcpu_set *some(const struct waymark_event *event)
{
	return state_get(event) ? vcpu_shown(event) : NULL;
}

/* Gives the event a set where it has none; false where there is no memory. */
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
		return true; /* it will not change */
	}
	if (on && !waymark_registry_prepare(event, state_switchable(event))) {
		return false;
	}
	if (on) {
		waymark_entry_id(event); /* what is counted of it has that id */
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

/* Whether nobody could tell it from a set of all. */
static bool is_all(const struct waymark_vcpu_set *set)
{
	uint32_t missing = !set->base;

	for (unsigned int i = 0; i < VCPU_WORDS; i++) {
		missing |= waymark_vcpu_taken(i) & ~set->on[i];
	}
	return missing == 0;
}

/* All that there are, or none; then one put right. No word has another value in between. */
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

/* Brings an event to ALL or OFF where it is on for all or none. */
static void simplify(struct waymark_event *event, struct waymark_vcpu_set *set, bool none_is_off)
{
	if (none_is_off && is_empty(set)) {
		switch_off(event);
	} else if (is_all(set)) {
		show(event, NULL);
	}
}

/* From OFF, or from ALL. */
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
		simplify(event, set, false); /* on for later ones, and none is there */
	}
}

/* Whether it is on for those that are not registered. */
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
	/* Off for the last one, it may have gone off for those that are not registered, too. */
	waymark_vcpu_note(event, base == base_of(event) ? waymark_vcpu_find(index) : NULL);
}

void waymark_vcpu_switch_all(struct waymark_event *event, unsigned int on, unsigned int off)
{
	bool was_on = state_get(event);
	bool was_some = some(event);

	if (off) {
		state_clear(event, off);
	}
	if (on) {
		show(event, NULL);
		state_raise(event, on);
	}
	if (was_on != (state_get(event) != 0) || (on && was_some)) {
		waymark_vcpu_note(event, NULL);
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

/* An object that was here before, and comes again without being loaded anew, begins anew. */
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

/* Call sites of an object that is not unloaded, but ends with the process, still look at it. */
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
