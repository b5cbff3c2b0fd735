/* SPDX-License-Identifier: MIT */
/*
 * Examines each event class once. A name is made when a class is first seen with these values:
 * `tuples` finds it again by their bytes.
 */
#include "analyse/match/event_spans.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void event_spans_fini(struct event_spans *e)
{
	tuples_fini(&e->tuples);
	vec_fini(&e->classes);
	vec_fini(&e->names);
	vec_fini(&e->bytes);
}

static COLD void classify(struct event_spans *e, const struct event_class *c)
{
	struct event_spans_class class = { .is_known = true };

	for (size_t side = 0; side < EVENT_SIDES; side++) {
		bool is_of = e->events[side].text && name_pattern_meets(&e->events[side], c->name);

		class.sides |= (unsigned int)is_of << side;
	}
	for (size_t i = 0; i < e->per_count; i++) {
		class.per[i] = field_find(c, e->per[i]);
	}
	vec_reach(&e->classes, c->index);
	e->classes.items[c->index] = class;
}

static inline const struct event_spans_class *class_of(
	struct event_spans *e, const struct event_class *c)
{
	if (UNLIKELY(c->index >= e->classes.count || !e->classes.items[c->index].is_known)) {
		classify(e, c);
	}
	return &e->classes.items[c->index];
}

unsigned int event_spans_sides(struct event_spans *e, const struct event_class *c)
{
	return class_of(e, c)->sides;
}

/* Makes the name of a record: `kvm_run_exit 2`. */
static COLD uint32_t make_name(struct event_spans *e, struct pairs *p, const struct record *rec,
	const struct value *values)
{
	const struct event_spans_class *class = class_of(e, rec->class);

	e->bytes.count = 0;
	vec_append(&e->bytes, rec->class->name, strlen(rec->class->name));
	for (size_t i = 0; i < e->per_count; i++) {
		char *text = class->per[i] == FIELD_NONE
				     ? NULL
				     : field_text(rec, values, class->per[i], e->text);

		if (text) {
			vec_push(&e->bytes, ' ');
			vec_append(&e->bytes, text, strlen(text));
		}
		free(text);
	}
	return texts_number(&p->names, e->bytes.items, e->bytes.count);
}

uint32_t event_spans_name(struct event_spans *e, struct pairs *p, const struct record *rec,
	const struct value *values)
{
	const struct event_spans_class *class = class_of(e, rec->class);

	e->bytes.count = 0;
	vec_append(&e->bytes, (const char *)&rec->class->index, sizeof(rec->class->index));
	for (size_t i = 0; i < e->per_count; i++) {
		if (class->per[i] != FIELD_NONE) {
			field_append(&e->bytes, rec, values, class->per[i]);
		}
	}
	uint32_t number = tuples_find(&e->tuples, e->bytes.items, e->bytes.count);

	if (LIKELY(number != TUPLES_NONE)) {
		return e->names.items[number];
	}
	if (e->names.count == EVENT_SPANS_NAMES_MAX) {
		error_set(e->error, "--per makes more than %d names, too many to draw",
			EVENT_SPANS_NAMES_MAX);
		return e->names.items[0];
	}
	/* Numbers count up, as none is released. */
	tuples_hold(&e->tuples, e->bytes.items, e->bytes.count);
	vec_push(&e->names, make_name(e, p, rec, values));
	return e->names.items[e->names.count - 1];
}

const char *event_spans_unknown_field(
	struct event_spans *e, const struct class_table *classes, const struct event_class **some)
{
	bool has[EVENT_SPANS_FIELDS_MAX] = { false };

	*some = NULL;
	vec_foreach (struct event_class *const *, c, &classes->all) {
		const struct event_spans_class *class = class_of(e, *c);

		if (!(class->sides & (1u << EVENT_FROM | 1u << EVENT_INSIDE))) {
			continue;
		}
		*some = *some ? *some : *c;
		for (size_t i = 0; i < e->per_count; i++) {
			has[i] |= class->per[i] != FIELD_NONE;
		}
	}
	for (size_t i = 0; i < e->per_count; i++) {
		if (!has[i]) {
			return e->per[i];
		}
	}
	return NULL;
}
