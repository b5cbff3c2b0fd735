/* SPDX-License-Identifier: MIT */
/*
 * Switching the events of a list of names, without a rule: thousands of names take
 * one sort, and one search for each event that there is.
 */
#include <stdlib.h>
#include <string.h>

#include "rt/control/declare.h"
#include "rt/event/registry.h"
#include "rt/event/state.h"
#include "rt/event/vcpu.h"
#include "rt/host/error.h"
#include "rt/host/lock.h"

/* The names, sorted, and what is wanted of their events. */
struct named {
	const char **names;
	size_t count;
	unsigned int on;
	unsigned int off;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_named(const struct named *n, const struct waymark_event *event)
{
	return bsearch(&event->name, n->names, n->count, sizeof(*n->names), by_name) != NULL;
}

/* Gives the events the ids that recording needs; false where some got none. Under the lock. */
static bool prepare(const struct named *n)
{
	bool done = true;

	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		registry_foreach_event(it, o)
		{
			done &= !is_named(n, *it) || waymark_entry_prepare(*it, n->on);
		}
	}
	return done;
}

/* The backends that some of the events will be on for. Under the lock. */
static unsigned int wanted(const struct named *n)
{
	unsigned int backends = 0;

	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		registry_foreach_event(it, o)
		{
			backends |= is_named(n, *it) ? n->on & state_switchable(*it) : 0;
		}
	}
	return backends;
}

/* Under the lock, behind prepare(): it cannot fail. */
static void apply(const struct named *n)
{
	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		registry_foreach_event(it, o)
		{
			if (is_named(n, *it)) {
				waymark_registry_switch(*it, n->on, n->off);
			}
		}
	}
}

static bool prepare_only(const struct named *n, unsigned int *backends)
{
	waymark_lock();
	bool done = prepare(n);

	*backends = wanted(n);
	waymark_unlock();
	return done;
}

/* What the trace is told of before events of it can come; objects may have come meanwhile. */
static bool change(const struct named *n)
{
	if (n->on) {
		unsigned int backends;

		if (!prepare_only(n, &backends)) {
			return false;
		}
		waymark_declare_identified(backends);
	}
	waymark_lock();
	bool done = prepare(n);

	if (done) {
		apply(n);
	}
	waymark_registry_unlock();
	return done;
}

int waymark_set_states(const char *const *names, size_t count, unsigned int backends, bool on,
	struct waymark_error *error)
{
	struct named n = { .count = count, .on = on ? backends : 0, .off = on ? 0 : backends };

	error_clear(error);
	if (count == 0) {
		return 0;
	}
	n.names = malloc(count * sizeof(*n.names));
	if (!n.names) {
		return waymark_fail(error, "out of memory");
	}
	memcpy(n.names, names, count * sizeof(*names));
	qsort(n.names, count, sizeof(*n.names), by_name);
	bool done = change(&n);

	free(n.names);
	return done ? 0 : waymark_fail(error, "nothing is switched: memory or event ids ran out");
}
