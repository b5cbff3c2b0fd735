/* SPDX-License-Identifier: MIT */
/*
 * Finds the records of scopes, by name and fields of their event class, and makes the key of each
 * for pairs.c. A class is examined once.
 */
#include <stdlib.h>
#include <string.h>

#include "analyse/pairs.h"

#define END "_end"

enum class_kind { CLASS_UNKNOWN, CLASS_OTHER, CLASS_BEGIN, CLASS_END };

struct pairs_class {
	enum class_kind kind;
	uint32_t name;
};

static bool is_integer(const struct arg *a, const char *name, unsigned int size)
{
	return strcmp(a->name, name) == 0 && a->type.class == TYPE_INTEGER &&
	       a->type.size64 == size;
}

static bool has_scope(const struct event_class *c)
{
	return c->event && c->event->arg_count > 0 && is_integer(c->event->args, "scope", 8);
}

/* Returns the length of the scope's name if the class is the end of a scope, else 0. */
static size_t end_of(const struct event_class *c)
{
	size_t length = strlen(c->name);
	size_t tail = strlen(END);
	bool is_end = has_scope(c) && c->event->arg_count == 2 &&
		      is_integer(&c->event->args[1], "scope_tid", 4);

	return is_end && length > tail && strcmp(c->name + length - tail, END) == 0 ? length - tail
										    : 0;
}

/* Another event may also have a first field of that name, but it has no end. */
static bool is_begin(const struct pairs *p, const struct event_class *c)
{
	if (!has_scope(c) || c->event->properties & EVENT_SCOPE) {
		return has_scope(c);
	}
	vec_foreach (struct event_class **, it, &p->known->all) {
		size_t length = end_of(*it);

		if (length == strlen(c->name) && memcmp((*it)->name, c->name, length) == 0) {
			return true;
		}
	}
	return false;
}

uint32_t pairs_name(struct pairs *p, const char *text, size_t length)
{
	char *name = xcalloc(length + 1, 1);

	memcpy(name, text, length);
	uintptr_t index = (uintptr_t)hash_get(&p->by_name, name);

	if (index) {
		free(name);
		return (uint32_t)index - 1;
	}
	vec_push(&p->names, name);
	hash_add(&p->by_name, name, (void *)(uintptr_t)p->names.count);
	return (uint32_t)p->names.count - 1;
}

/* Checks for an end first: a scope named `x_end`, without arguments, ends by `x_end_end`. */
static COLD void classify(struct pairs *p, const struct event_class *c)
{
	struct pairs_class class = { .kind = CLASS_OTHER };
	size_t length = end_of(c);

	if (length > 0) {
		class = (struct pairs_class){ CLASS_END, pairs_name(p, c->name, length) };
	} else if (is_begin(p, c)) {
		class = (struct pairs_class){ CLASS_BEGIN,
			pairs_name(p, c->name, strlen(c->name)) };
	}
	while (p->classes.count <= c->index) {
		vec_push(&p->classes, ((struct pairs_class){ 0 }));
	}
	p->classes.items[c->index] = class;
}

static inline const struct pairs_class *class_of(struct pairs *p, const struct event_class *c)
{
	if (UNLIKELY(c->index >= p->classes.count ||
		     p->classes.items[c->index].kind == CLASS_UNKNOWN)) {
		classify(p, c);
	}
	return &p->classes.items[c->index];
}

bool pairs_wants(struct pairs *p, const struct record *rec)
{
	return rec->kind == RECORD_EVENT && class_of(p, rec->class)->kind != CLASS_OTHER;
}

enum pairs_part pairs_part_of(struct pairs *p, const struct event_class *class)
{
	switch (class_of(p, class)->kind) {
	case CLASS_BEGIN:
		return PAIRS_BEGIN;
	case CLASS_END:
		return PAIRS_END;
	case CLASS_UNKNOWN:
	case CLASS_OTHER:
		break;
	}
	return PAIRS_OTHER;
}

/* The numbers of a scope in its record. */
struct pairs_ids {
	int64_t scope;
	uint32_t tid; /* of an end */
};

static inline struct key key_of(
	const struct record *rec, const struct pairs_class *class, const struct pairs_ids *ids)
{
	bool is_begin = class->kind == CLASS_BEGIN;

	return (struct key){
		.trace = rec->trace,
		.pid = rec->pid,
		/* If records have no threads, the key of a beginning has none, either. */
		.tid = is_begin || !rec->tid ? rec->tid : ids->tid,
		.name = class->name,
		.scope = ids->scope,
	};
}

static inline enum pairs_result add(struct pairs *p, const struct record *rec,
	const struct pairs_class *class, const struct pairs_ids *ids)
{
	const struct key key = key_of(rec, class, ids);

	if (class->kind == CLASS_BEGIN) {
		return pairs_begin(p, rec, &key,
			pairs_is_sync(&key) ? PAIRS_STACKED : PAIRS_ANYWHERE, class->name);
	}
	return pairs_end(p, rec, &key);
}

/* Reads the numbers; false for a damaged record, or one of an old format, that lacks a number. */
static bool get_ids(const struct value *values, enum class_kind kind, struct pairs_ids *ids)
{
	if (!values || values[0].kind != VALUE_NUMBER ||
		(kind == CLASS_END && values[1].kind != VALUE_NUMBER)) {
		return false;
	}
	ids->scope = (int64_t)values[0].number;
	ids->tid = kind == CLASS_END ? (uint32_t)values[1].number : 0;
	return true;
}

enum pairs_result pairs_add(struct pairs *p, const struct record *rec, const struct value *values)
{
	if (rec->kind == RECORD_GAP) {
		pairs_gap(p, rec);
		return PAIRS_NOTHING;
	}
	const struct pairs_class *class = class_of(p, rec->class);
	struct pairs_ids ids;

	if (class->kind == CLASS_OTHER || !get_ids(values, class->kind, &ids)) {
		return PAIRS_NOTHING;
	}
	return add(p, rec, class, &ids);
}

/* Reads the numbers without decoding: they are the first arguments of the event. */
static inline void load_ids(const struct record *rec, enum class_kind kind, struct pairs_ids *ids)
{
	ids->scope = (int64_t)load64(rec->payload, false);
	ids->tid = kind == CLASS_END ? load32(rec->payload + sizeof(ids->scope), false) : 0;
}

/* Reads the numbers of a record of `r`; false if it lacks one. */
static inline bool find_ids(struct reader *r, const struct record *rec,
	const struct pairs_class *class, struct pairs_ids *ids)
{
	if (LIKELY(r->form == VALUES_LAID_OUT && !rec->values)) {
		load_ids(rec, class->kind, ids);
		return true;
	}
	return get_ids(reader_values(r, rec), class->kind, ids);
}

enum pairs_result pairs_take(struct pairs *p, struct reader *r, const struct record *rec)
{
	if (UNLIKELY(rec->kind == RECORD_GAP)) {
		pairs_gap(p, rec);
		return PAIRS_NOTHING;
	}
	const struct pairs_class *class = class_of(p, rec->class);
	struct pairs_ids ids;

	if (class->kind == CLASS_OTHER || !find_ids(r, rec, class, &ids)) {
		return PAIRS_NOTHING;
	}
	return add(p, rec, class, &ids);
}

void pairs_read(
	struct pairs *p, struct reader *r, const struct record *rec, struct pairs_scope *scope)
{
	const struct pairs_class *class = class_of(p, rec->class);
	struct pairs_ids ids;

	scope->part = PAIRS_OTHER;
	if (class->kind != CLASS_OTHER && find_ids(r, rec, class, &ids)) {
		scope->part = class->kind == CLASS_BEGIN ? PAIRS_BEGIN : PAIRS_END;
		scope->key = key_of(rec, class, &ids);
	}
}

enum pairs_result pairs_resume(
	struct pairs *p, const struct key *key, const struct event_class *class, uint64_t begin_ns)
{
	const struct record rec = { .kind = RECORD_EVENT,
		.trace = key->trace,
		.pid = key->pid,
		.tid = key->tid,
		.ns = begin_ns,
		.class = class };
	struct key own = *key;

	own.name = pairs_name(p, class->name, strlen(class->name));
	return pairs_begin(
		p, &rec, &own, pairs_is_sync(key) ? PAIRS_STACKED : PAIRS_ANYWHERE, own.name);
}
