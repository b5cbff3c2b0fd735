/* SPDX-License-Identifier: MIT */
/*
 * The list of held events. They are switched by name, so that no rule remains for objects that are
 * loaded later. Called by the commands of events.c and output.c, and at the end of a session.
 */
#include "mon/session/hold.h"

#include <pthread.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <waymark/vcpu.h>

/* The bit after those of the vCPUs, for vCPUs that are registered later. */
#define LATER ((unsigned int)WAYMARK_VCPUS)
#define WORDS (LATER / 32 + 1)

/* The terms of one trace-attach, for the events that it was the first to hold under terms. */
struct lease {
	struct waymark_terms *terms;
	unsigned int users; /* events, and the call while it runs */
};

/* An event that a client holds. */
struct held {
	unsigned int holders;
	bool was_on;
	bool was_conditional; /* it was on under its own condition and limits */
	struct lease *lease; /* NULL: none, or a command has switched the event since */
	uint32_t *off_for; /* a bit for each vCPU, and LATER; NULL: not an event of single vCPUs */
	bool off_as_whole; /* off for all vCPUs, and no command has switched single ones */
	uint64_t seen; /* number of the last call in which its client held it */
	uint64_t since; /* number of the call that added it */
	const char *name; /* the key of the tree */
	char text[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Both accessed under the lock. */
static void *all; /* a tree of tsearch() */
static uint64_t calls;

void holds_lock(void)
{
	pthread_mutex_lock(&lock);
}

void holds_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct held *)a)->name, ((const struct held *)b)->name);
}

static struct held *find(const char *name)
{
	struct held wanted = { .name = name };
	struct held **found = tfind(&wanted, &all, by_name);

	return found ? *found : NULL;
}

static void set_off_for(struct held *h, unsigned int vcpu, bool on)
{
	uint32_t bit = 1u << vcpu % 32;

	h->off_for[vcpu / 32] &= ~bit;
	h->off_for[vcpu / 32] |= on ? 0 : bit;
}

static void set_off_for_all(struct held *h, bool on)
{
	h->off_as_whole = !on;
	if (h->off_for) {
		memset(h->off_for, on ? 0 : 0xff, WORDS * sizeof(*h->off_for));
	}
}

/* NULL does nothing. */
static void drop(struct lease *l)
{
	if (l && --l->users == 0) {
		waymark_close_terms(l->terms);
		free(l);
	}
}

static void drop_lease(struct held *h)
{
	drop(h->lease);
	h->lease = NULL;
}

static void destroy(struct held *h)
{
	drop_lease(h);
	free(h->off_for);
	free(h);
}

/* Notes the state to which the event returns. */
static void note_former(struct held *h, const struct waymark_event_info *event)
{
	h->was_on = event->state & WAYMARK_CTF;
	h->was_conditional = event->conditional & WAYMARK_CTF;
}

static struct held *create(const struct waymark_event_info *event)
{
	struct held *h = calloc(1, sizeof(*h) + strlen(event->name) + 1);

	if (!h) {
		return NULL;
	}
	note_former(h, event);
	h->since = calls;
	h->name = strcpy(h->text, event->name);
	if (!event->vcpu) {
		return h;
	}
	h->off_for = calloc(WORDS, sizeof(*h->off_for));
	if (!h->off_for) {
		destroy(h);
		return NULL;
	}
	set_off_for_all(h, event->state != 0);
	return h;
}

/* Adds an event to the list; returns NULL without memory. */
static struct held *insert(const struct waymark_event_info *event)
{
	struct held *h = create(event);

	if (h && !tsearch(h, &all, by_name)) {
		destroy(h);
		return NULL;
	}
	return h;
}

static void release(struct held *h)
{
	if (--h->holders == 0) {
		tdelete(h, &all, by_name);
		destroy(h);
	}
}

/* Releases all events after the first `count`. */
static void shrink(struct holds *h, size_t count)
{
	while (h->count > count) {
		release(h->events[--h->count]);
	}
}

/* Makes room for `more` events. Returns false without memory; the present events stay. */
static bool make_room(struct holds *h, size_t more)
{
	struct held **events = reallocarray(h->events, h->count + more, sizeof(*events));

	h->events = events ? events : h->events;
	const char **names = reallocarray(h->names, h->count + more, sizeof(*names));

	h->names = names ? names : h->names;
	return events && names;
}

/* The terms become those of an event that has none: under others it is on without any. */
static void take_lease(struct held *h, struct lease *l)
{
	if (l && !h->lease) {
		l->users++;
		h->lease = l;
	}
}

/* Adds a holder, unless the client holds the event already: all its events are marked as `seen`. */
static bool hold(struct holds *h, const struct waymark_event_info *event, struct lease *lease)
{
	struct held *held = find(event->name);

	if (!held) {
		held = insert(event);
	}
	if (held && held->seen != calls) {
		held->seen = calls;
		held->holders++;
		h->events[h->count++] = held;
	}
	if (held) {
		take_lease(held, lease);
	}
	return held != NULL;
}

/* Holds the events, and sets `h->names` and `*count`. Returns false without memory. */
static bool hold_all(
	struct holds *h, const struct waymark_event_list *list, struct lease *lease, size_t *count)
{
	bool done = true;

	calls++;
	for (size_t i = 0; i < h->count; i++) {
		h->events[i]->seen = calls;
	}
	for (size_t i = 0; done && i < list->count; i++) {
		if (list->events[i].backends & WAYMARK_CTF) {
			done = hold(h, &list->events[i], lease);
			h->names[(*count)++] = list->events[i].name;
		}
	}
	return done;
}

/* Returns the runtime's index of the vCPU of a bit in `off_for`. */
static unsigned int index_of(unsigned int vcpu)
{
	return vcpu == LATER ? WAYMARK_VCPU_LATER : vcpu;
}

/* Notes a state. LATER is noted first, as the state of all vCPUs without another one. */
static void note_state(struct held *h, unsigned int vcpu, bool on)
{
	if (vcpu != LATER) {
		set_off_for(h, vcpu, on);
	} else if (!on) {
		memset(h->off_for, 0xff, WORDS * sizeof(*h->off_for));
	}
}

/* Notes which newly held events are off for a vCPU. Returns false without memory. */
static bool note_vcpu(unsigned int vcpu)
{
	struct waymark_event_list list;

	if (waymark_vcpu_list_events(index_of(vcpu), NULL, &list, NULL) < 0) {
		return vcpu != LATER && !waymark_vcpu_find(vcpu); /* unregistered meanwhile */
	}
	for (size_t i = 0; i < list.count; i++) {
		struct held *h = find(list.events[i].name);

		if (h && h->off_for && h->since == calls) {
			note_state(h, vcpu, list.events[i].state != 0);
		}
	}
	waymark_free_events(&list);
	return true;
}

/* Notes that for all vCPUs if an event is on for any. */
static bool note_vcpus(const struct waymark_event_list *list)
{
	bool may_differ = false;

	for (size_t i = 0; i < list->count; i++) {
		may_differ |= list->events[i].vcpu && list->events[i].state;
	}
	bool done = !may_differ || note_vcpu(LATER);

	for (unsigned int i = 0; may_differ && done && i < WAYMARK_VCPUS; i++) {
		done = !waymark_vcpu_find(i) || note_vcpu(i);
	}
	return done;
}

/* Switches on the events of `h->names`. Returns 0, or -1 with the reason. */
static int switch_on(
	const struct holds *h, size_t count, const struct lease *lease, struct waymark_error *error)
{
	return lease ? waymark_set_states_under(lease->terms, h->names, count, WAYMARK_CTF, error)
		     : waymark_set_states(h->names, count, WAYMARK_CTF, true, error);
}

static int add(struct holds *h, const struct waymark_event_list *list, struct lease *lease,
	struct waymark_error *error)
{
	size_t before = h->count;
	size_t count = 0;

	if (!make_room(h, list->count) || !hold_all(h, list, lease, &count) || !note_vcpus(list)) {
		snprintf(error->text, sizeof(error->text), "out of memory");
	} else if (switch_on(h, count, lease, error) == 0) {
		return 0;
	}
	shrink(h, before);
	return -1;
}

int holds_add(struct holds *h, const struct waymark_event_list *list, struct waymark_terms *terms,
	struct waymark_error *error)
{
	struct lease *lease = terms ? malloc(sizeof(*lease)) : NULL;

	if (terms && !lease) {
		waymark_close_terms(terms);
		snprintf(error->text, sizeof(error->text), "out of memory");
		return -1;
	}
	if (lease) {
		*lease = (struct lease){ .terms = terms, .users = 1 };
	}
	int result = add(h, list, lease, error);

	drop(lease);
	return result;
}

static bool is_on(const char *name)
{
	struct waymark_event_list list;
	bool on = false;

	if (waymark_list_events(name, &list, NULL) < 0) {
		return true; /* without memory, assume that it is on */
	}
	for (size_t i = 0; i < list.count; i++) {
		on |= list.events[i].state != 0;
	}
	waymark_free_events(&list);
	return on;
}

/* If an event is still on, switches it off for the vCPUs that it was off for. */
static void switch_vcpus_back(const struct held *h)
{
	bool may_differ = h->off_for && !h->off_as_whole && is_on(h->name);

	for (unsigned int i = 0; may_differ && i <= LATER; i++) {
		if ((h->off_for[i / 32] >> i % 32 & 1) && (i == LATER || waymark_vcpu_find(i))) {
			waymark_vcpu_set_states(index_of(i), h->name, false, NULL);
		}
	}
}

static bool was_off(const struct held *h)
{
	return !h->was_on;
}

static bool was_conditional(const struct held *h)
{
	return h->was_on && h->was_conditional;
}

/* Sets `h->names` to events that no other client holds. Returns their number. */
static size_t name_last(struct holds *h, bool (*is_wanted)(const struct held *h))
{
	size_t count = 0;

	for (size_t i = 0; i < h->count; i++) {
		if (h->events[i]->holders == 1 && is_wanted(h->events[i])) {
			h->names[count++] = h->events[i]->name;
		}
	}
	return count;
}

/*
 * Switches off events that no other client holds and that were off before. Those that were on under
 * terms have kept them, as terms of clients never replace others.
 */
static void switch_back(struct holds *h)
{
	size_t count = name_last(h, was_off);

	waymark_set_states(h->names, count, WAYMARK_CTF, false, NULL);
	count = name_last(h, was_conditional);
	waymark_set_states_under(NULL, h->names, count, WAYMARK_CTF, NULL);
	for (size_t i = 0; i < h->count; i++) {
		if (h->events[i]->holders == 1) {
			switch_vcpus_back(h->events[i]);
		}
	}
}

void holds_release(struct holds *h)
{
	holds_lock();
	switch_back(h);
	shrink(h, 0);
	free(h->events);
	free(h->names);
	*h = (struct holds){ 0 };
	holds_unlock();
}

void holds_note_log(const struct waymark_event_list *list)
{
	for (size_t i = 0; all && i < list->count; i++) {
		struct held *h = find(list->events[i].name);

		if (h && list->events[i].backends & WAYMARK_LOG) {
			set_off_for_all(h, true);
		}
	}
}

/* A vCPU's events are on without terms. */
static void note_of_vcpu(struct held *h, unsigned int vcpu, bool on)
{
	if (on && h->lease) {
		waymark_set_states(&h->name, 1, WAYMARK_CTF, true, NULL);
		drop_lease(h);
	}
	h->was_on |= on;
	h->off_as_whole = false;
	set_off_for(h, vcpu, on);
}

void holds_note(const struct waymark_event_list *list, unsigned int vcpu, bool on)
{
	for (size_t i = 0; all && i < list->count; i++) {
		struct held *h = find(list->events[i].name);

		if (h && vcpu == HOLD_ALL_VCPUS) {
			note_former(h, &list->events[i]);
			set_off_for_all(h, on);
			drop_lease(h);
		} else if (h && h->off_for) {
			note_of_vcpu(h, vcpu, on);
		}
	}
}

bool holds_any(void)
{
	return all != NULL;
}
