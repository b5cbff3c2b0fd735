/* SPDX-License-Identifier: MIT */
/* What each event is to a report of latencies, see analyse/latency.h: looked at once. */
#include <stdio.h>
#include <string.h>

#include "analyse/latency.h"

static void fail_field(struct latency *l, const struct event_class *c, const char *name)
{
	char fields[300];

	field_list(c, fields, sizeof(fields));
	if (c->event) {
		snprintf(l->error, sizeof(l->error),
			"event '%.60s' has no field '%.60s'; it has %s", c->name, name, fields);
	} else {
		snprintf(l->error, sizeof(l->error),
			"the fields of event '%.60s' are not known; give its declaration with -e",
			c->name);
	}
}

/* Only values of one kind can be the same. */
static void check_kind(struct latency *l, const struct event_class *c, size_t i, int field)
{
	enum field_kind kind = field_kind(c, field);

	if (l->kinds[i] == FIELD_UNKNOWN) {
		l->kinds[i] = kind;
		l->kinds_of[i] = c;
	} else if (l->kinds[i] != kind) {
		const struct event_class *other = l->kinds_of[i];
		int theirs = field_find(other, l->options->by[LATENCY_FROM][i]);

		theirs = theirs == FIELD_NONE ? field_find(other, l->options->by[LATENCY_TO][i])
					      : theirs;
		snprintf(l->error, sizeof(l->error),
			"'%.60s' of event '%.60s' (%s) cannot be compared with that of '%.60s' (%s)",
			l->options->by[LATENCY_FROM][i], c->name,
			field < 0 ? "a number" : c->event->args[field].type.text, other->name,
			theirs < 0 ? "a number" : other->event->args[theirs].type.text);
	}
}

static void find_fields(struct latency *l, const struct event_class *c, struct latency_class *class)
{
	const struct latency_options *o = l->options;

	for (size_t n = 0; n < LATENCY_SIDES * o->by_count && !*l->error; n++) {
		enum latency_side side = (enum latency_side)(n % LATENCY_SIDES);
		size_t i = n / LATENCY_SIDES;

		if (!class->is_event[side]) {
			continue;
		}
		class->by[side][i] = field_find(c, o->by[side][i]);
		if (class->by[side][i] == FIELD_NONE) {
			fail_field(l, c, o->by[side][i]);
		} else {
			check_kind(l, c, i, class->by[side][i]);
		}
	}
	if (o->per && class->is_event[LATENCY_FROM] && !*l->error) {
		class->per = field_find(c, o->per);
		if (class->per == FIELD_NONE) {
			fail_field(l, c, o->per);
		}
	}
}

/* A number that all classes of that name have, from 1. */
static uint32_t name_of(struct latency *l, const struct event_class *c)
{
	uintptr_t number = (uintptr_t)c->index + 1;

	return (uint32_t)(uintptr_t)hash_add(&l->by_name, c->name, (void *)number);
}

void latency_classify(struct latency *l, const struct event_class *c)
{
	const struct latency_options *o = l->options;

	while (l->classes.count <= c->index) {
		vec_push(&l->classes, ((struct latency_class){ 0 }));
	}
	struct latency_class *class = &l->classes.items[c->index];

	class->is_known = true;
	class->name = name_of(l, c);
	for (int side = LATENCY_FROM; side < LATENCY_SIDES; side++) {
		class->is_event[side] = o->is_event(o->data, (enum latency_side)side, c->name);
	}
	find_fields(l, c, class);
}

static bool is_event(const struct latency *l, enum latency_side side, const struct event_class *c)
{
	return l->options->is_event(l->options->data, side, c->name);
}

const struct event_class *latency_class_of_side(const struct latency *l, enum latency_side side)
{
	vec_foreach (struct event_class *const *, c, &l->reader->classes.all) {
		if (is_event(l, side, *c)) {
			return *c;
		}
	}
	return NULL;
}

/* Whether all events of either side have the field, with values as those of `first`. */
static bool is_shared(const struct latency *l, const struct event_class *first, int field)
{
	const char *name = first->event->args[field].name;

	vec_foreach (struct event_class *const *, c, &l->reader->classes.all) {
		if (!is_event(l, LATENCY_FROM, *c) && !is_event(l, LATENCY_TO, *c)) {
			continue;
		}
		int theirs = field_find(*c, name);

		if (theirs < 0 || field_kind(*c, theirs) != field_kind(first, field)) {
			return false;
		}
	}
	return true;
}

size_t latency_shared_fields(const struct latency *l, const char **names, size_t max)
{
	const struct event_class *first = latency_class_of_side(l, LATENCY_FROM);
	size_t count = 0;

	if (!first || !first->event || !latency_has(l, LATENCY_TO)) {
		return 0;
	}
	for (size_t i = 0; i < first->event->arg_count && count < max; i++) {
		if (is_shared(l, first, (int)i)) {
			names[count++] = first->event->args[i].name;
		}
	}
	return count;
}
