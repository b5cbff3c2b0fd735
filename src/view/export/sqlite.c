/* SPDX-License-Identifier: MIT */
/*
 * Rows of a database, see sqlite.h. The values of a row are added in the order of its columns. The
 * file gets its name only when it is complete.
 */
#include "view/export/sqlite.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/utf8.h"
#include "read/where.h"
#include "view/message/message.h"
#include "view/path.h"

/* ---- Values ---- */

static const struct trace_info *trace_of(const struct sqlite *s, uint32_t trace)
{
	return &s->export->reader->traces[trace];
}

/* Adds the numbers of a process and a thread of it. */
static void put_ids(struct sqlite *s, uint32_t trace, uint32_t pid, uint32_t tid)
{
	sqlite_row_number(&s->row, reader_knows_pid(s->export->reader, trace, pid), pid);
	sqlite_row_number(&s->row, tid != 0, tid);
}

static void put_process(struct sqlite *s, uint32_t trace)
{
	sqlite_row_text(&s->row, trace_of(s, trace)->procname);
}

static void put_trace(struct sqlite *s, struct sqlite_row *row, uint32_t trace)
{
	const char *path = trace_of(s, trace)->path;

	sqlite_row_text(row, path ? path : s->export->trace);
}

/* A value before it is stored. */
struct stored {
	int type; /* of SQLite */
	union {
		int64_t integer;
		double real;
		const char *bytes;
	};
	size_t length;
};

static void put_stored(struct sqlite *s, struct sqlite_column *c, const struct stored *v)
{
	switch (v->type) {
	case SQLITE_INTEGER:
		sqlite_row_integer(&s->row, v->integer);
		break;
	case SQLITE_FLOAT:
		sqlite_row_real(&s->row, v->real);
		break;
	case SQLITE_TEXT:
		sqlite_row_bytes(&s->row, DATABASE_TEXT, v->bytes, v->length);
		break;
	case SQLITE_BLOB:
		sqlite_row_bytes(&s->row, DATABASE_BLOB, v->bytes, v->length);
		break;
	default:
		sqlite_row_null(&s->row);
		return;
	}
	c->is_mixed |= v->type != c->type;
}

/* Adds a value that is neither a number of 64 bits nor a text. */
static COLD void put_odd(
	struct sqlite *s, struct sqlite_column *c, const struct arg *arg, const struct value *v)
{
	struct stored odd = { .type = SQLITE_NULL };
	char *made = NULL;

	if (v->kind == VALUE_STRING && arg->type.class == TYPE_BYTES && v->text) {
		odd = (struct stored){ SQLITE_BLOB, { .bytes = v->text }, v->length };
	} else if (v->kind != VALUE_ABSENT && (v->kind != VALUE_STRING || v->text)) {
		made = message_value_text(arg, v);
		odd = (struct stored){ SQLITE_TEXT, { .bytes = made }, strlen(made) };
	}
	put_stored(s, c, &odd);
	free(made);
}

/* Adds a character among the values of any type; false if it is another value. */
static COLD bool put_character(struct sqlite *s, struct sqlite_column *c, const struct value *v)
{
	char character[UTF8_MAX];
	size_t length = message_put_character(character, v);

	if (length > 0) {
		put_stored(s, c, &(struct stored){ SQLITE_TEXT, { .bytes = character }, length });
	}
	return length > 0;
}

/* Adds a field as `waymark sql` shows it: field_cell() in sql/rows.c. */
static void put_field(
	struct sqlite *s, struct sqlite_column *c, const struct arg *arg, const struct value *value)
{
	struct expr_value v = { .type = EXPR_NONE };

	if (UNLIKELY(arg->type.class == TYPE_DEBUG) && put_character(s, c, value)) {
		return;
	}
	if (LIKELY(value->kind != VALUE_PAIR)) { /* a double has not all digits of 128 bits */
		v = where_value(&arg->type, value);
	}
	if (LIKELY(v.type == EXPR_INTEGER)) {
		put_stored(s, c, &(struct stored){ SQLITE_INTEGER, { (int64_t)v.as.integer }, 0 });
	} else if (v.type == EXPR_FLOAT) {
		put_stored(s, c, &(struct stored){ SQLITE_FLOAT, { .real = v.as.number }, 0 });
	} else if (v.type == EXPR_TEXT && v.as.text && arg->type.class != TYPE_BYTES) {
		put_stored(s, c, &(struct stored){ SQLITE_TEXT, { .bytes = v.as.text }, v.length });
	} else {
		put_odd(s, c, arg, value);
	}
}

/* ---- Events ---- */

static struct sqlite_class *class_of(struct sqlite *s, const struct event_class *class)
{
	vec_reach(&s->classes, class->index);
	struct sqlite_class *c = &s->classes.items[class->index];

	if (UNLIKELY(!c->table)) {
		sqlite_bind_class(s, c, class);
	}
	return c;
}

/* Adds the columns behind `process`. */
static void put_fields(struct sqlite *s, const struct sqlite_class *own, const struct record *rec)
{
	const struct event *e = rec->class->event;
	const struct value *values = e ? reader_values(s->export->reader, rec) : NULL;

	for (size_t i = SOURCE_PROCESS + 1; i < own->count; i++) {
		struct sqlite_column *c = &own->table->columns.items[i];
		int field = own->fields[i];

		if (LIKELY(field >= 0)) {
			put_field(s, c, &e->args[field], &values[field]);
		} else if (c->source == SOURCE_TRACE) {
			put_trace(s, &s->row, rec->trace);
		} else if (c->source == SOURCE_RAW && !e) {
			sqlite_row_bytes(&s->row, DATABASE_BLOB, (const char *)rec->payload,
				rec->payload_size);
		} else {
			sqlite_row_null(&s->row);
		}
	}
}

static void put_event(struct sqlite *s, const struct record *rec)
{
	struct sqlite_class *c = class_of(s, rec->class);
	struct sqlite_row *all = &s->row_of_all;

	s->events++;
	sqlite_row_begin(&s->row);
	sqlite_row_integer(&s->row, (int64_t)rec->ns);
	put_ids(s, rec->trace, rec->pid, rec->tid);
	put_process(s, rec->trace);
	sqlite_row_begin(all);
	out_bytes(&all->types, s->row.types.data, s->row.types.len);
	out_bytes(&all->values, s->row.values.data, s->row.values.len);
	sqlite_row_text(all, rec->class->name);
	put_trace(s, all, rec->trace);
	sqlite_tree_add(&s->tables.items[LIST_EVENTS]->tree, &s->pages, s->events, all);
	put_fields(s, c, rec);
	sqlite_tree_add(&c->table->tree, &s->pages, s->events, &s->row);
}

/* Adds the row that was made to a list. */
static void add_row(struct sqlite *s, enum list_kind list)
{
	struct sqlite_table *t = s->tables.items[list];

	sqlite_row_begin(&s->row);
	for (size_t i = 0; i < s->made.count; i++) {
		const struct list_value *v = &s->made.values[i];

		if (v->is_integer) {
			sqlite_row_integer(&s->row, v->integer);
		} else {
			sqlite_row_text(&s->row, v->text);
		}
	}
	sqlite_tree_add(&t->tree, &s->pages, ++t->rows, &s->row);
}

/* ---- Scopes ---- */

static void put_scope(struct sqlite *s, const struct scope_span *span, int unfinished)
{
	list_scope(&s->made, s->pairs.names.items[span->key.name], span, unfinished);
	add_row(s, LIST_SCOPES);
}

static void put_unfinished(void *data, const struct scope_span *span)
{
	put_scope(data, span, span->is_lost ? 2 : 1);
}

/* ---- Lives ---- */

/* Writes a life that has ended. */
static void put_life(void *state, const struct life *l)
{
	struct sqlite *s = state;
	char *key = lives_key_text(&s->lives, l);
	char *path = path_text(&s->lives.paths, l->path, NULL);

	list_life(&s->made, lives_kind_name(&s->lives, l), l, key, path);
	add_row(s, LIST_LIVES);
	free(key);
	free(path);
}

static void begin_lives(struct sqlite *s)
{
	s->lives_options = (struct lives_options){
		.rules.filter = s->export->filter,
		.text = message_value_text,
		.max_open = SIZE_MAX,
		.data = s,
		.ended = put_life,
	};
	lives_init(&s->lives, &s->lives_options, s->export->reader);
}

/* ---- The other lists ---- */

static void put_threads(struct sqlite *s)
{
	vec_foreach (const struct thread_count *, t, &s->summary.threads) {
		list_thread(&s->made, t);
		add_row(s, LIST_THREADS);
	}
}

static void put_processes(struct sqlite *s)
{
	for (size_t i = 0; i < s->export->reader->trace_count; i++) {
		list_process(&s->made, &s->summary, i);
		add_row(s, LIST_PROCESSES);
	}
}

static void put_declarations(struct sqlite *s)
{
	vec_foreach (struct event_class *const *, it, &s->export->reader->classes.all) {
		size_t fields = (*it)->event ? (*it)->event->arg_count : 0;
		size_t field = 0;

		do { /* an event without fields has a row, too */
			list_declaration(&s->made, *it, field);
			add_row(s, LIST_DECLARATIONS);
		} while (++field < fields);
	}
}

/* ---- The format ---- */

static bool end(void *state)
{
	struct sqlite *s = state;

	if (!s->has_failed) {
		pairs_unfinished(&s->pairs, put_unfinished, s);
		/* Some of the lives would be wrong, so there are none after an error. */
		lives_end(&s->lives);
		if (*s->lives.error) {
			error_set(
				s->export->problem, "the table lives is empty: %s", s->lives.error);
		}
		summary_sort(&s->summary);
		put_threads(s);
		put_processes(s);
		put_declarations(s);
		sqlite_finish(s);
	}
	sqlite_close(s);
	pairs_fini(&s->pairs);
	lives_fini(&s->lives);
	summary_fini(&s->summary);
	sqlite_row_fini(&s->row);
	sqlite_row_fini(&s->row_of_all);
	out_fini(&s->made.text);
	arena_fini(&s->arena);
	bool ok = !s->has_failed;

	free(s);
	return ok;
}

static void *begin(struct export *e)
{
	struct sqlite *s = xcalloc(1, sizeof(*s));

	s->export = e;
	arena_init(&s->arena);
	hash_init(&s->used);
	hash_init(&s->by_event);
	sqlite_row_init(&s->row);
	sqlite_row_init(&s->row_of_all);
	s->made = (struct list_row){ .reader = e->reader, .path = e->trace, .has_nulls = true };
	out_init(&s->made.text, OUT_TO_MEMORY);
	pairs_init(&s->pairs, &e->reader->classes);
	summary_init(&s->summary);
	begin_lives(s);
	if (!sqlite_open(s)) {
		end(s);
		return NULL;
	}
	return s;
}

static void put_record(struct sqlite *s, const struct record *rec)
{
	if (LIKELY(!*s->lives.error)) {
		lives_add(&s->lives, rec);
	}
	if (rec->kind == RECORD_GAP) {
		pairs_gap(&s->pairs, rec);
		list_gap(&s->made, rec);
		add_row(s, LIST_GAPS);
		return;
	}
	if (pairs_take(&s->pairs, s->export->reader, rec) == PAIRS_ENDED) {
		put_scope(s, &s->pairs.span, 0);
	}
	put_event(s, rec);
}

static bool put(void *state, const struct record *records, size_t count)
{
	struct sqlite *s = state;

	summary_add_few(&s->summary, records, count);
	for (size_t i = 0; i < count; i++) {
		put_record(s, &records[i]);
	}
	return sqlite_check_file(s, s->pages.out.error);
}

const struct export_format export_sqlite = {
	.name = "sqlite",
	.help = "a database with the tables of waymark sql",
	.is_binary = true,
	.is_file = true,
	.begin = begin,
	.put = put,
	.end = end,
};
