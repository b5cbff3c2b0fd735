/* SPDX-License-Identifier: MIT */
/*
 * Finds the kind of each event. An event that declares a key and no life belongs to the life whose
 * events have a key of the same name, so all declared lives are listed first.
 */
#include "analyse/life/life_kinds.h"

#include <string.h>

#include "base/error.h"

int life_kinds_key(const struct event *e)
{
	for (size_t i = 0; e && i < e->arg_count; i++) {
		if (e->args[i].is_key) {
			return (int)i;
		}
	}
	return -1;
}

static uint32_t add_kind(struct life_kinds *k, const char *name, const char *key)
{
	vec_push(&k->kinds, ((struct life_kind){ .name = name, .key = key }));
	return (uint32_t)k->kinds.count - 1;
}

static uint32_t find_life(struct life_kinds *k, const char *life, const char *key)
{
	for (uint32_t i = 0; i < k->kinds.count; i++) {
		if (strcmp(k->kinds.items[i].name, life) == 0) {
			return i;
		}
	}
	return add_kind(k, life, key);
}

static uint32_t find_key(struct life_kinds *k, const char *key)
{
	for (uint32_t i = 0; i < k->kinds.count; i++) {
		if (strcmp(k->kinds.items[i].key, key) == 0) {
			return i;
		}
	}
	return add_kind(k, key, key);
}

/* Returns the kind by what the event declares. */
static uint32_t declared_kind(struct life_kinds *k, const struct event *e)
{
	int key = life_kinds_key(e);

	if (key < 0) {
		return LIFE_KINDS_NONE;
	}
	return e->life ? find_life(k, e->life, e->args[key].name) : find_key(k, e->args[key].name);
}

static bool is_step(const struct life_kinds *k, const char *name)
{
	return filter_wants_name(k->rules->filter, name);
}

/* True if the field is a part of the key. */
static bool is_by(const struct life_rules *r, const char *field)
{
	for (size_t i = 0; i < r->by_count; i++) {
		for (size_t n = 0; n < r->by[i].count; n++) {
			if (strcmp(r->by[i].names[n], field) == 0) {
				return true;
			}
		}
	}
	return r->by_count == 0;
}

/* Returns the part that an event has in the lives of its key. */
static enum life_part part_of(const struct life_kinds *k, const struct event *e)
{
	int key = life_kinds_key(e);

	return key >= 0 && e->life && is_by(k->rules, e->args[key].name) ? e->life_part : LIFE_NONE;
}

/* Notes whether the event begins or ends lives of its kind. */
static void see_part(struct life_kinds *k, uint32_t kind, const struct event *e)
{
	enum life_part part = part_of(k, e);

	if (kind != LIFE_KINDS_NONE && !k->rules->from && !k->rules->to) {
		k->kinds.items[kind].has_begin |= part == LIFE_BEGIN;
		k->kinds.items[kind].has_end |= part == LIFE_END;
	}
}

/* Finds the fields of the key; returns false if the event lacks one. */
static bool find_fields(
	const struct life_kinds *k, const struct event_class *c, struct life_class *class)
{
	for (size_t i = 0; i < k->rules->by_count; i++) {
		const struct lives_field *f = &k->rules->by[i];

		class->by[i] = FIELD_NONE;
		for (size_t n = 0; n < f->count && class->by[i] == FIELD_NONE; n++) {
			class->by[i] = field_find(c, f->names[n]);
		}
		if (class->by[i] == FIELD_NONE) {
			return false;
		}
	}
	return true;
}

static uint32_t kind_of(struct life_kinds *k, const struct event_class *c, struct life_class *class)
{
	if (!is_step(k, c->name)) {
		return LIFE_KINDS_NONE;
	}
	if (k->rules->by_count) {
		return find_fields(k, c, class) ? 0 : LIFE_KINDS_NONE;
	}
	class->by[0] = life_kinds_key(c->event);
	return c->event ? declared_kind(k, c->event) : LIFE_KINDS_NONE;
}

/* Lists the kinds of declared lives, then, in a second round, of declared keys. */
static void see_event(struct life_kinds *k, const struct event_class *c, bool has_life)
{
	struct life_class class = { 0 };

	if (c->event && has_life == (c->event->life != NULL)) {
		see_part(k, kind_of(k, c, &class), c->event);
	}
}

static void see_all(struct life_kinds *k, const struct reader *reader, bool has_life)
{
	vec_foreach (struct event_class *const *, c, &reader->classes.all) {
		see_event(k, *c, has_life);
	}
	if (reader->declarations) {
		vec_foreach (struct event *const *, e, &reader->declarations->events) {
			see_event(k, &(struct event_class){ .name = (*e)->name, .event = *e },
				has_life);
		}
	}
}

void life_kinds_init(
	struct life_kinds *k, const struct life_rules *rules, const struct reader *reader)
{
	*k = (struct life_kinds){
		.rules = rules,
		.fields = rules->by_count ? rules->by_count : 1,
	};
	if (rules->by_count) {
		add_kind(k, "", NULL);
	}
	see_all(k, reader, true);
	see_all(k, reader, false);
}

void life_kinds_fini(struct life_kinds *k)
{
	vec_fini(&k->kinds);
	vec_fini(&k->classes);
}

static const char *type_text(const struct event_class *c, int field)
{
	return field < 0 ? "a number" : c->event->args[field].type.text;
}

/* Only values of one kind can be equal. */
static void check_field(struct life_kinds *k, const struct event_class *c, size_t i)
{
	const struct life_class *class = &k->classes.items[c->index];
	struct life_kind *kind = &k->kinds.items[class->kind];
	enum field_kind values = field_kind(c, class->by[i]);

	if (kind->kinds[i] == FIELD_UNKNOWN) {
		kind->kinds[i] = values;
		kind->kinds_of[i] = c;
	}
	if (kind->kinds[i] == values) {
		return;
	}
	const struct event_class *other = kind->kinds_of[i];
	const char *name = k->rules->by_count ? k->rules->by[i].names[0] : kind->key;

	error_set(k->error,
		"'%.60s' of event '%.60s' (%.60s) cannot be compared with that of '%.60s' (%.60s); "
		"leave one of them out, as --event=-%.60s",
		name, c->name, type_text(c, class->by[i]), other->name,
		type_text(other, k->classes.items[other->index].by[i]), c->name);
}

static void set_part(struct life_kinds *k, const struct event_class *c, struct life_class *class)
{
	const struct life_rules *r = k->rules;
	enum life_part part = c->event ? part_of(k, c->event) : LIFE_NONE;
	bool is_declared = !r->from && !r->to;
	struct life_kind *kind = &k->kinds.items[class->kind];

	class->is_begin =
		is_declared ? part == LIFE_BEGIN : r->from && name_pattern_meets(r->from, c->name);
	class->is_end =
		is_declared ? part == LIFE_END : r->to && name_pattern_meets(r->to, c->name);
	kind->has_begin |= class->is_begin || r->from;
	kind->has_end |= class->is_end || r->to;
}

COLD void life_kinds_add(struct life_kinds *k, const struct event_class *c)
{
	struct life_class class = { .is_known = true, .per = FIELD_NONE };

	vec_reach(&k->classes, c->index);
	class.kind = kind_of(k, c, &class);
	if (class.kind != LIFE_KINDS_NONE) {
		set_part(k, c, &class);
		class.per = k->rules->per ? field_find(c, k->rules->per) : FIELD_NONE;
	}
	k->classes.items[c->index] = class;
	for (size_t i = 0; class.kind != LIFE_KINDS_NONE && i < k->fields; i++) {
		check_field(k, c, i);
	}
}
