/* SPDX-License-Identifier: MIT */
/*
 * The list of what is held, and how it is switched: by names, so that no rule is
 * left behind for objects that are loaded later.
 */
#include "mon/session/hold.h"

#include <pthread.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An event that somebody holds. */
struct held {
	unsigned int holders;
	bool was_on;
	uint64_t seen; /* by the call of that number: the client holds it already */
	const char *name; /* what all are compared by */
	char text[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Both under the lock. */
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

/* Puts an event into the list; NULL where there is no memory. */
static struct held *insert(const struct waymark_event_info *event)
{
	struct held *h = calloc(1, sizeof(*h) + strlen(event->name) + 1);

	if (!h) {
		return NULL;
	}
	h->was_on = event->state & WAYMARK_CTF;
	h->name = strcpy(h->text, event->name);
	if (!tsearch(h, &all, by_name)) {
		free(h);
		return NULL;
	}
	return h;
}

static void let_go(struct held *h)
{
	if (--h->holders == 0) {
		tdelete(h, &all, by_name);
		free(h);
	}
}

/* Lets go of all but the first `count`. */
static void shrink(struct holds *h, size_t count)
{
	while (h->count > count) {
		let_go(h->events[--h->count]);
	}
}

/* Room for `more` events; what there is already stays, also where there is no memory. */
static bool make_room(struct holds *h, size_t more)
{
	struct held **events = reallocarray(h->events, h->count + more, sizeof(*events));

	h->events = events ? events : h->events;
	const char **names = reallocarray(h->names, h->count + more, sizeof(*names));

	h->names = names ? names : h->names;
	return events && names;
}

/* One holder more, unless the client, all of whose events are `seen`, is one already. */
static bool hold(struct holds *h, const struct waymark_event_info *event)
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
	return held != NULL;
}

/* `h->names` gets the names, `*count` how many; false where there is no memory. */
static bool hold_all(struct holds *h, const struct waymark_event_list *list, size_t *count)
{
	bool done = true;

	calls++;
	for (size_t i = 0; i < h->count; i++) {
		h->events[i]->seen = calls;
	}
	for (size_t i = 0; done && i < list->count; i++) {
		if (list->events[i].backends & WAYMARK_CTF) {
			done = hold(h, &list->events[i]);
			h->names[(*count)++] = list->events[i].name;
		}
	}
	return done;
}

int holds_add(struct holds *h, const struct waymark_event_list *list, struct waymark_error *error)
{
	size_t before = h->count;
	size_t count = 0;

	if (!make_room(h, list->count) || !hold_all(h, list, &count)) {
		snprintf(error->text, sizeof(error->text), "out of memory");
	} else if (waymark_set_states(h->names, count, WAYMARK_CTF, true, error) == 0) {
		return 0;
	}
	shrink(h, before);
	return -1;
}

/* Off goes what nobody else holds and what was off. */
static void switch_back(struct holds *h)
{
	size_t count = 0;

	for (size_t i = 0; i < h->count; i++) {
		if (h->events[i]->holders == 1 && !h->events[i]->was_on) {
			h->names[count++] = h->events[i]->name;
		}
	}
	waymark_set_states(h->names, count, WAYMARK_CTF, false, NULL);
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

void holds_note(const struct waymark_event_list *list, bool on)
{
	for (size_t i = 0; all && i < list->count; i++) {
		struct held *h = find(list->events[i].name);

		if (h) {
			h->was_on = on;
		}
	}
}
