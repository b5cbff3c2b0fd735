/* SPDX-License-Identifier: MIT */
/* The list of what is held, and the options that switch it. */
#include "mon/session/hold.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An event that somebody holds. */
struct held {
	struct held *next;
	unsigned int holders;
	bool was_on;
	char name[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct held *all; /* under the lock */

static struct held *find(const char *name)
{
	struct held *h = all;

	while (h && strcmp(h->name, name) != 0) {
		h = h->next;
	}
	return h;
}

static bool hold(const struct waymark_event_info *event)
{
	struct held *h = find(event->name);

	if (!h) {
		h = calloc(1, sizeof(*h) + strlen(event->name) + 1);
		if (!h) {
			return false;
		}
		strcpy(h->name, event->name);
		h->was_on = event->state & WAYMARK_CTF;
		h->next = all;
		all = h;
	}
	h->holders++;
	return true;
}

/* One holder less; whether it was the last, and the event is to go off. */
static bool let_go(const char *name)
{
	struct held **at = &all;

	while (*at && strcmp((*at)->name, name) != 0) {
		at = &(*at)->next;
	}
	struct held *h = *at;

	if (!h || --h->holders) {
		return false;
	}
	bool goes_off = !h->was_on;

	*at = h->next;
	free(h);
	return goes_off;
}

/* An option under construction that switches single events for ctf. */
struct option {
	char *text;
	size_t size;
	FILE *file; /* NULL: no memory */
	bool says_something;
};

static void option_init(struct option *o)
{
	*o = (struct option){ 0 };
	o->file = open_memstream(&o->text, &o->size);
}

static void option_put(struct option *o, const char *sign, const char *name)
{
	if (o->file) {
		fprintf(o->file, "enable=%s%s,", sign, name);
		o->says_something = true;
	}
}

/* Puts it into force, as a whole. */
static int option_apply(struct option *o, struct waymark_error *error)
{
	int result = -1;

	snprintf(error->text, sizeof(error->text), "out of memory");
	if (o->file) {
		fputs("backend=ctf", o->file);
		if (fclose(o->file) == 0) {
			result = o->says_something ? waymark_configure(o->text, error) : 0;
		}
	}
	free(o->text);
	return result;
}

/* Under the lock. */
static void release(struct holds *h)
{
	struct waymark_error ignored;
	struct option o;

	option_init(&o);
	for (size_t i = 0; i < h->count; i++) {
		if (let_go(h->names[i])) {
			option_put(&o, "-", h->names[i]);
		}
		free(h->names[i]);
	}
	option_apply(&o, &ignored);
	free(h->names);
	*h = (struct holds){ 0 };
}

static bool has_name(const struct holds *h, const char *name)
{
	for (size_t i = 0; i < h->count; i++) {
		if (strcmp(h->names[i], name) == 0) {
			return true;
		}
	}
	return false;
}

/* Holds one more event; false where there is no memory. */
static bool add(struct holds *h, const struct waymark_event_info *event)
{
	char **names = realloc(h->names, (h->count + 1) * sizeof(*names));
	char *name = strdup(event->name);

	h->names = names ? names : h->names;
	if (!names || !name || !hold(event)) {
		free(name);
		return false;
	}
	h->names[h->count++] = name;
	return true;
}

/* Under the lock. `added` gets what is new. */
static int add_all(struct holds *h, struct holds *added, const struct waymark_event_list *list,
	struct waymark_error *error)
{
	struct option o;
	bool done = true;

	option_init(&o);
	for (size_t i = 0; done && i < list->count; i++) {
		const struct waymark_event_info *event = &list->events[i];

		if (event->backends & WAYMARK_CTF && !has_name(h, event->name) &&
			!has_name(added, event->name)) {
			done = add(added, event);
			option_put(&o, "", event->name);
		}
	}
	int result = option_apply(&o, error);

	return done ? result : -1;
}

/* Moves names to another list; false where there is no memory. */
static bool move(struct holds *to, struct holds *from)
{
	char **names = realloc(to->names, (to->count + from->count + 1) * sizeof(*names));

	if (!names) {
		return false;
	}
	for (size_t i = 0; i < from->count; i++) {
		names[to->count++] = from->names[i];
	}
	to->names = names;
	free(from->names);
	*from = (struct holds){ 0 };
	return true;
}

int holds_add(struct holds *h, const struct waymark_event_list *list, struct waymark_error *error)
{
	struct holds added = { 0 };

	pthread_mutex_lock(&lock);
	int result = add_all(h, &added, list, error);

	if (result < 0 || !move(h, &added)) {
		release(&added);
		result = -1;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

void holds_release(struct holds *h)
{
	pthread_mutex_lock(&lock);
	release(h);
	pthread_mutex_unlock(&lock);
}

void holds_note(const struct waymark_event_list *list, bool on)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < list->count; i++) {
		struct held *h = find(list->events[i].name);

		if (h) {
			h->was_on = on;
		}
	}
	pthread_mutex_unlock(&lock);
}
