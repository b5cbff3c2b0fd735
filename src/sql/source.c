/* SPDX-License-Identifier: MIT */
/*
 * The traces behind the tables, and the names that these have in SQL. SQLite compares names without
 * regard to case, and a field may be called `time`: it keeps its name, and the column of every
 * event gets a leading `_`; a name that is taken gets a number.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sql/tables.h"

/* Columns of one table; SQLite allows 2000. */
#define COLUMNS_MAX 1000

/* The columns of every event, in the order of the columns. Fields come before the hidden ones. */
static const struct sql_column commons[] = {
	{ "time", NULL, "INTEGER", COLUMN_TIME, false },
	{ "pid", NULL, "INTEGER", COLUMN_PID, false },
	{ "tid", NULL, "INTEGER", COLUMN_TID, false },
	{ "process", NULL, "TEXT", COLUMN_PROCESS, false },
	{ "event", NULL, "TEXT", COLUMN_EVENT, false },
	{ "message", NULL, "TEXT", COLUMN_MESSAGE, false },
	{ "host", NULL, "TEXT", COLUMN_HOST, true },
	{ "trace", NULL, "TEXT", COLUMN_TRACE, true },
	{ "json", NULL, "TEXT", COLUMN_JSON, true },
};

/* Tables of SQLite's own, which hide others. */
static const char *const own_tables[] = { "sqlite_master", "sqlite_schema", "sqlite_temp_master",
	"sqlite_temp_schema", NULL };

static bool has_column(const struct sql_events *t, const char *name)
{
	vec_foreach (const struct sql_column *, c, &t->columns) {
		if (strcasecmp(c->name, name) == 0) {
			return true;
		}
	}
	return false;
}

static bool is_listed(const char *const *names, const char *name)
{
	for (; *names; names++) {
		if (strcasecmp(*names, name) == 0) {
			return true;
		}
	}
	return false;
}

static const char *numbered(struct sql_source *s, const char *name, unsigned int number)
{
	size_t size = strlen(name) + 16;
	char *text = arena_alloc(&s->arena, size);

	snprintf(text, size, "%s_%u", name, number);
	return text;
}

static const char *joined(struct sql_source *s, const char *one, const char *two)
{
	size_t size = strlen(one) + strlen(two) + 1;
	char *text = arena_alloc(&s->arena, size);

	snprintf(text, size, "%s%s", one, two);
	return text;
}

static const char *free_column(struct sql_source *s, const struct sql_events *t, const char *name)
{
	const char *wanted = name;

	for (unsigned int i = 2; has_column(t, wanted); i++) {
		wanted = numbered(s, name, i);
	}
	return wanted;
}

/* Returns the name in small letters: what SQLite distinguishes. */
static char *small_letters(struct sql_source *s, const char *name)
{
	char *text = arena_strdup(&s->arena, name);

	for (char *p = text; *p; p++) {
		*p = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
	}
	return text;
}

/* Returns a name that no table has; it is taken from now on. */
static const char *take_table(struct sql_source *s, const char *name)
{
	const char *wanted = name;
	const char *key = small_letters(s, wanted);

	for (unsigned int i = 2; is_listed(list_names, key) || is_listed(own_tables, key) ||
				 hash_get(&s->by_name, key);
		i++) {
		wanted = numbered(s, name, i);
		key = small_letters(s, wanted);
	}
	hash_add(&s->by_name, key, s);
	return wanted;
}

static struct sql_column *find_field(const struct sql_events *t, const char *field)
{
	vec_foreach (struct sql_column *, c, &t->columns) {
		if (c->kind == COLUMN_FIELD && strcmp(c->field, field) == 0) {
			return c;
		}
	}
	return NULL;
}

static const char *type_of(const struct type *t)
{
	switch (t->class) {
	case TYPE_STRING:
	case TYPE_TEXT:
		return "TEXT";
	case TYPE_FLOAT:
		return "REAL";
	case TYPE_BYTES:
		return "BLOB";
	case TYPE_DEBUG:
		return "";
	default:
		return t->size64 > sizeof(int64_t) ? "" : "INTEGER";
	}
}

/* Adds the fields that the table does not have yet: traces may declare an event in several ways. */
static void add_fields(struct sql_source *s, struct sql_events *t, const struct event *e)
{
	for (size_t i = 0; i < e->arg_count && t->columns.count < COLUMNS_MAX; i++) {
		const struct arg *arg = &e->args[i];

		struct sql_column *known = find_field(t, arg->name);

		if (known) {
			known->type =
				strcmp(known->type, type_of(&arg->type)) == 0 ? known->type : "";
			continue;
		}
		struct sql_column c = { .name = free_column(s, t, arg->name),
			.field = arg->name,
			.type = type_of(&arg->type),
			.kind = COLUMN_FIELD };

		vec_push(&t->columns, c);
		if (arg->names) {
			c.name = free_column(s, t, joined(s, c.name, "_name"));
			c.type = "TEXT";
			c.kind = COLUMN_NAMES;
			c.is_hidden = true;
			vec_push(&t->columns, c);
		}
	}
}

/* True if the event has a field that SQLite takes for `name`. */
static bool is_field(const struct sql_events *t, const char *name)
{
	vec_foreach (const struct event *const *, e, &t->declared) {
		for (size_t i = 0; i < (*e)->arg_count; i++) {
			if (strcasecmp((*e)->args[i].name, name) == 0) {
				return true;
			}
		}
	}
	return false;
}

/* Adds the columns of every event: the shown ones, or the hidden ones. */
static void add_commons(struct sql_source *s, struct sql_events *t, bool is_hidden)
{
	for (size_t i = 0; i < ARRAY_SIZE(commons); i++) {
		struct sql_column c = commons[i];
		bool is_of_all = c.kind == COLUMN_EVENT || c.kind == COLUMN_MESSAGE;

		c.is_hidden |= t->event && is_of_all;
		if (c.is_hidden == is_hidden) {
			if (is_field(t, c.name)) {
				c.name = joined(s, "_", c.name);
			}
			c.name = free_column(s, t, c.name);
			vec_push(&t->columns, c);
		}
	}
}

/* Adds a table without columns. `event`: NULL: of all events. */
static struct sql_events *add_table(struct sql_source *s, const char *event)
{
	struct sql_events *t = arena_new(&s->arena, struct sql_events);

	t->source = s;
	t->event = event;
	vec_push(&s->tables, t);
	return t;
}

/* Adds a class to the table of its event. */
static void add_class(struct sql_source *s, const struct event_class *class)
{
	struct sql_events *t = hash_get(&s->by_event, class->name);

	if (!t) {
		t = add_table(s, class->name);
		hash_add(&s->by_event, class->name, t);
	}
	if (class->event) {
		vec_push(&t->declared, class->event);
	}
}

static void name_columns(struct sql_source *s, struct sql_events *t)
{
	t->name = take_table(s, t->event ? t->event : "events");
	add_commons(s, t, false);
	vec_foreach (const struct event *const *, e, &t->declared) {
		add_fields(s, t, *e);
	}
	add_commons(s, t, true);
	vec_fini(&t->declared);
}

/* Reads traces that show their events only with the first record of each. */
static void meet_events(struct sql_source *s)
{
	struct record rec;
	enum read_result result;

	while (!sql_is_interrupted(s) && ((result = reader_next(s->reader, &rec)) == READ_RECORD ||
						 result == READ_PROBLEM)) {
		if (result == READ_PROBLEM) {
			s->report(s->data, &s->reader->error);
		}
	}
}

void sql_source_init(struct sql_source *s)
{
	arena_init(&s->arena);
	if (!reader_declares_all(s->reader)) {
		meet_events(s);
	}
	hash_init(&s->by_name);
	hash_init(&s->by_event);
	add_table(s, NULL);
	vec_foreach (struct event_class *const *, it, &s->reader->classes.all) {
		add_class(s, *it);
	}
	vec_foreach (struct sql_events *const *, t, &s->tables) {
		name_columns(s, *t);
	}
}

int sql_attach(sqlite3 *db, struct sql_source *s)
{
	int result = sql_add_lists(db, s);

	for (size_t i = 0; i < s->tables.count && result == SQLITE_OK; i++) {
		result = sql_add_events(db, s->tables.items[i]);
	}
	return result;
}

void sql_source_fini(struct sql_source *s)
{
	vec_foreach (struct sql_events **, t, &s->tables) {
		vec_fini(&(*t)->columns);
	}
	vec_fini(&s->tables);
	hash_fini(&s->by_name);
	hash_fini(&s->by_event);
	arena_fini(&s->arena);
}
