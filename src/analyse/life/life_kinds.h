/* SPDX-License-Identifier: MIT */
/*
 * Which events are steps of lives, and of which kind: by the fields that the user named, or by what
 * is declared. Each event class is examined once. For analyse/life/lives.h. One thread.
 */
#ifndef ANALYSE_LIFE_KINDS_H
#define ANALYSE_LIFE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/match/fields.h"
#include "base/vec.h"
#include "read/filter.h"
#include "read/reader.h"

#define LIVES_FIELDS_MAX 8

#define LIFE_KINDS_NONE UINT32_MAX

/* A part of the key: an event has it in the first of these fields that the event has. */
struct lives_field {
	const char *names[LIVES_FIELDS_MAX];
	size_t count;
};

struct life_rules {
	struct lives_field by[LIVES_FIELDS_MAX];
	size_t by_count; /* 0: the declared key of each event */
	const struct name_pattern *from; /* events that begin a life; NULL: none */
	const struct name_pattern *to; /* events that end one; with both NULL: the declared ones */
	const struct filter *filter; /* whose names select the steps */
	const char *per; /* a field to group lives by; NULL: none */
};

/* Objects of one sort: of one declared life, or of one declared key. With `by` there is one. */
struct life_kind {
	const char *name; /* "": the values of `by` */
	const char *key; /* the field that is declared as key; NULL: the values of `by` */
	enum field_kind kinds[LIVES_FIELDS_MAX]; /* of the values */
	const struct event_class *kinds_of[LIVES_FIELDS_MAX]; /* the class that set the kind */
	bool has_begin; /* an event begins its lives; so no other event does */
	bool has_end;
};

struct life_class {
	bool is_known;
	bool is_begin;
	bool is_end;
	uint32_t kind; /* LIFE_KINDS_NONE: its events are no steps */
	int by[LIVES_FIELDS_MAX]; /* results of field_find() */
	int per;
};

struct life_kinds {
	const struct life_rules *rules;
	VEC(struct life_kind) kinds;
	VEC(struct life_class) classes; /* by class index */
	size_t fields; /* number of the values of a key */
	char error[512]; /* why an event cannot be a step; "": no error */
};

/* Finds the kinds among the events that the reader knows, and those declared for it. */
void life_kinds_init(
	struct life_kinds *k, const struct life_rules *rules, const struct reader *reader);
void life_kinds_fini(struct life_kinds *k);

/* Examines an event class. Sets the error if its key cannot be compared with that of others. */
void life_kinds_add(struct life_kinds *k, const struct event_class *c);

/* Returns the class as examined; NULL if it is not. */
static inline const struct life_class *life_kinds_get(
	const struct life_kinds *k, const struct event_class *c)
{
	return LIKELY(c->index < k->classes.count) && k->classes.items[c->index].is_known
		       ? &k->classes.items[c->index]
		       : NULL;
}

/* Returns the index of the argument that is declared as key; -1: none. */
int life_kinds_key(const struct event *e);

#endif
