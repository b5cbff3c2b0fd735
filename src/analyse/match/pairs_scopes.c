/* SPDX-License-Identifier: MIT */
/*
 * Finds the records of scopes, by name and fields of their event class, and makes the key of each
 * for pairs.c. A class is examined once.
 */
#include <stdlib.h>
#include <string.h>

#include "analyse/match/pairs.h"

#define END "_end"

struct pairs_class {
	bool is_ready;
	struct pairs_kind kind;
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

/* Checks for an end first: a scope named `x_end`, without arguments, ends by `x_end_end`. */
static COLD void classify(struct pairs *p, const struct event_class *c)
{
	struct pairs_class class = { .is_ready = true };
	size_t length = end_of(c);

	if (length > 0) {
		class.kind =
			(struct pairs_kind){ PAIRS_END, texts_number(&p->names, c->name, length) };
	} else if (is_begin(p, c)) {
		class.kind = (struct pairs_kind){ PAIRS_BEGIN,
			texts_number(&p->names, c->name, strlen(c->name)) };
	}
	vec_reach(&p->classes, c->index);
	p->classes.items[c->index] = class;
}

static inline const struct pairs_kind *kind_of(struct pairs *p, const struct event_class *c)
{
	if (UNLIKELY(c->index >= p->classes.count || !p->classes.items[c->index].is_ready)) {
		classify(p, c);
	}
	return &p->classes.items[c->index].kind;
}

bool pairs_may_have(const struct event_class *c)
{
	return has_scope(c);
}

bool pairs_wants(struct pairs *p, const struct record *rec)
{
	return rec->kind == RECORD_EVENT && kind_of(p, rec->class)->part != PAIRS_OTHER;
}

struct pairs_kind pairs_kind_of(struct pairs *p, const struct event_class *class)
{
	return *kind_of(p, class);
}

static inline enum pairs_result add(struct pairs *p, const struct record *rec,
	const struct pairs_kind *kind, const struct key *key)
{
	if (kind->part == PAIRS_BEGIN) {
		return pairs_begin(p, rec, key, pairs_is_sync(key) ? PAIRS_STACKED : PAIRS_ANYWHERE,
			kind->name);
	}
	return pairs_end(p, rec, key);
}

/* Makes the key; false for a damaged record, or one of an old format, that lacks a number. */
static bool get_key(const struct record *rec, const struct value *values,
	const struct pairs_kind *kind, struct key *key)
{
	bool is_end = kind->part == PAIRS_END;

	if (!values || values[0].kind != VALUE_NUMBER ||
		(is_end && values[1].kind != VALUE_NUMBER)) {
		return false;
	}
	*key = pairs_key(
		rec, kind, (int64_t)values[0].number, is_end ? (uint32_t)values[1].number : 0);
	return true;
}

enum pairs_result pairs_add(struct pairs *p, const struct record *rec, const struct value *values)
{
	if (rec->kind == RECORD_GAP) {
		pairs_gap(p, rec);
		return PAIRS_NOTHING;
	}
	const struct pairs_kind *kind = kind_of(p, rec->class);
	struct key key;

	if (kind->part == PAIRS_OTHER || !get_key(rec, values, kind, &key)) {
		return PAIRS_NOTHING;
	}
	return add(p, rec, kind, &key);
}

/* Makes the key of a record of `r`; false if it lacks a number. */
static inline bool find_key(
	struct reader *r, const struct record *rec, const struct pairs_kind *kind, struct key *key)
{
	if (LIKELY(pairs_is_laid_out(r, rec))) {
		*key = pairs_load(rec, kind);
		return true;
	}
	return get_key(rec, reader_values(r, rec), kind, key);
}

enum pairs_result pairs_take(struct pairs *p, struct reader *r, const struct record *rec)
{
	if (UNLIKELY(rec->kind == RECORD_GAP)) {
		pairs_gap(p, rec);
		return PAIRS_NOTHING;
	}
	const struct pairs_kind *kind = kind_of(p, rec->class);
	struct key key;

	if (kind->part == PAIRS_OTHER || !find_key(r, rec, kind, &key)) {
		return PAIRS_NOTHING;
	}
	return add(p, rec, kind, &key);
}

bool pairs_read(struct pairs *p, struct reader *r, const struct record *rec, struct key *key)
{
	const struct pairs_kind *kind = kind_of(p, rec->class);

	return kind->part != PAIRS_OTHER && find_key(r, rec, kind, key);
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

	own.name = texts_number(&p->names, class->name, strlen(class->name));
	return pairs_begin(
		p, &rec, &own, pairs_is_sync(key) ? PAIRS_STACKED : PAIRS_ANYWHERE, own.name);
}
