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

static void put_gap(struct sqlite *s, const struct record *rec)
{
	sqlite_row_begin(&s->row);
	sqlite_row_integer(&s->row, (int64_t)rec->ns);
	put_ids(s, rec->trace, rec->pid, rec->tid);
	put_process(s, rec->trace);
	sqlite_row_integer(&s->row, (int64_t)losses_events(&rec->gap));
	sqlite_row_integer(&s->row, (int64_t)rec->gap.overwritten);
	sqlite_row_integer(&s->row, (int64_t)losses_packets(&rec->gap));
	put_trace(s, &s->row, rec->trace);
	sqlite_add(s, LIST_GAPS);
}

/* ---- Scopes ---- */

/* Writes a scope. `unfinished`: 0: it has ended; 2: its end may be among lost events. */
static void put_scope(struct sqlite *s, const struct scope_span *span, int unfinished)
{
	bool has_ended = unfinished == 0;
	int64_t length = (int64_t)(span->end_ns - span->begin_ns);

	sqlite_row_begin(&s->row);
	sqlite_row_integer(&s->row, (int64_t)span->begin_ns);
	sqlite_row_text(&s->row, s->pairs.names.items[span->key.name]);
	sqlite_row_number(&s->row, has_ended, length);
	sqlite_row_number(&s->row, has_ended && span->is_nested, (int64_t)span->self_ns);
	put_ids(s, span->key.trace, span->key.pid, span->key.tid);
	sqlite_row_number(&s->row, has_ended && span->end_tid, span->end_tid);
	put_process(s, span->key.trace);
	sqlite_row_integer(&s->row, unfinished);
	put_trace(s, &s->row, span->key.trace);
	sqlite_add(s, LIST_SCOPES);
}

static void put_unfinished(void *data, const struct scope_span *span)
{
	put_scope(data, span, span->is_lost ? 2 : 1);
}

/* ---- Lives ---- */

/* Adds a text and frees it. */
static void put_made(struct sqlite *s, char *text)
{
	sqlite_row_text(&s->row, text);
	free(text);
}

/* Writes a life that has ended. */
static void put_life(void *state, const struct life *l)
{
	static const char *const outcomes[] = {
		[LIFE_ENDED] = "ended",
		[LIFE_UNFINISHED] = "unfinished",
		[LIFE_END_LOST] = "end lost",
		[LIFE_BEGUN_TWICE] = "begun twice",
	};
	struct sqlite *s = state;

	sqlite_row_begin(&s->row);
	sqlite_row_integer(&s->row, (int64_t)l->begin_ns);
	sqlite_row_text(&s->row, lives_kind_name(&s->lives, l));
	put_made(s, lives_key_text(&s->lives, l));
	sqlite_row_integer(&s->row, (int64_t)(l->end_ns - l->begin_ns));
	sqlite_row_integer(&s->row, (int64_t)l->count);
	put_made(s, path_text(&s->lives.paths, l->path, NULL));
	sqlite_row_text(&s->row, l->first->name);
	sqlite_row_text(&s->row, l->last->name);
	sqlite_row_text(&s->row, outcomes[l->outcome]);
	sqlite_row_integer(&s->row, l->is_doubtful);
	put_ids(s, l->trace, l->pid, l->tid);
	put_process(s, l->trace);
	put_trace(s, &s->row, l->trace);
	sqlite_add(s, LIST_LIVES);
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

/* Some of the lives would be wrong, so there are none after an error. */
static void end_lives(struct sqlite *s)
{
	lives_end(&s->lives);
	if (*s->lives.error) {
		error_set(s->export->problem, "the table lives is empty: %s", s->lives.error);
	}
}

/* ---- The other lists ---- */

static void put_threads(struct sqlite *s)
{
	vec_foreach (const struct thread_count *, t, &s->summary.threads) {
		sqlite_row_begin(&s->row);
		put_ids(s, t->trace, t->pid, t->tid);
		put_process(s, t->trace);
		sqlite_row_integer(&s->row, (int64_t)t->events);
		sqlite_row_integer(&s->row, t->first_ns);
		sqlite_row_integer(&s->row, t->last_ns);
		sqlite_row_integer(&s->row, (int64_t)losses_events(&t->losses));
		sqlite_row_integer(&s->row, (int64_t)losses_packets(&t->losses));
		put_trace(s, &s->row, t->trace);
		sqlite_add(s, LIST_THREADS);
	}
}

static void put_processes(struct sqlite *s)
{
	const struct reader *r = s->export->reader;

	for (uint32_t i = 0; i < r->trace_count; i++) {
		const struct trace_info *t = &r->traces[i];
		bool was_met = i < s->summary.by_trace.count;

		sqlite_row_begin(&s->row);
		sqlite_row_number(&s->row, t->pid != 0, t->pid);
		put_process(s, i);
		sqlite_row_text(&s->row, t->hostname);
		sqlite_row_text(&s->row, t->state);
		sqlite_row_integer(&s->row, was_met ? (int64_t)s->summary.by_trace.items[i] : 0);
		sqlite_row_number(&s->row, t->has_realtime, (int64_t)t->realtime);
		put_trace(s, &s->row, i);
		sqlite_add(s, LIST_PROCESSES);
	}
}

/* Lists the names of an argument's values: `0=read 1=write`. */
static void put_value_names(struct out *out, const struct value_name *names)
{
	for (const struct value_name *v = names; v && v->name; v++) {
		out_str(out, v > names ? " " : "");
		if (v->is_negative) {
			out_printf(out, "%" PRId64 "=%s", (int64_t)v->value, v->name);
		} else {
			out_printf(out, "%" PRIu64 "=%s", v->value, v->name);
		}
	}
}

/* Writes a row of a class's declaration. `arg` NULL: it has no fields, or is unknown. */
static void put_declaration(
	struct sqlite *s, const struct event_class *class, const struct arg *arg)
{
	static const char *const parts[] = { NULL, "begin", "step", "end" };
	const struct event *e = class->event;
	struct out names;

	out_init(&names, OUT_TO_MEMORY);
	put_value_names(&names, arg ? arg->names : NULL);
	out_char(&names, '\0');
	sqlite_row_begin(&s->row);
	sqlite_row_text(&s->row, class->name);
	sqlite_row_number(&s->row, arg != NULL, arg ? arg - e->args : 0);
	sqlite_row_text(&s->row, arg ? arg->name : NULL);
	sqlite_row_text(&s->row, arg ? arg->type.text : NULL);
	sqlite_row_text(&s->row, arg ? arg->unit : NULL);
	sqlite_row_text(&s->row, arg && arg->names ? names.data : NULL);
	sqlite_row_number(&s->row, arg != NULL, arg ? arg->is_key : 0);
	sqlite_row_text(&s->row, e ? e->format.source : NULL);
	sqlite_row_text(&s->row, e ? e->life : NULL);
	sqlite_row_text(&s->row, e && e->life ? parts[e->life_part] : NULL);
	sqlite_add(s, LIST_DECLARATIONS);
	out_fini(&names);
}

static void put_declarations(struct sqlite *s)
{
	vec_foreach (struct event_class *const *, it, &s->export->reader->classes.all) {
		const struct event *e = (*it)->event;

		if (!e || e->arg_count == 0) {
			put_declaration(s, *it, NULL);
		}
		for (size_t i = 0; e && i < e->arg_count; i++) {
			put_declaration(s, *it, &e->args[i]);
		}
	}
}

/* ---- The format ---- */

static bool end(void *state)
{
	struct sqlite *s = state;

	if (!s->has_failed) {
		pairs_unfinished(&s->pairs, put_unfinished, s);
		end_lives(s);
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
		put_gap(s, rec);
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
