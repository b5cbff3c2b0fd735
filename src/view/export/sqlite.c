/* SPDX-License-Identifier: MIT */
/*
 * Rows of a database, see sqlite.h. All are written in one transaction, without a journal: the file
 * gets its name only when it is complete.
 */
#include "view/export/sqlite.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/utf8.h"
#include "read/where.h"
#include "view/message/message.h"
#include "view/path.h"

/* Runs an insertion and makes it ready for the next. */
static bool insert(struct sqlite *s, sqlite3_stmt *statement)
{
	sqlite3_step(statement);
	return sqlite_check(s, sqlite3_reset(statement));
}

/* ---- Values ---- */

/* Binds a number, or NULL if it is not known. */
static void bind_number(sqlite3_stmt *statement, int at, bool is_known, int64_t number)
{
	if (is_known) {
		sqlite3_bind_int64(statement, at, number);
	} else {
		sqlite3_bind_null(statement, at);
	}
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC); /* NULL becomes NULL */
}

static const struct trace_info *trace_of(const struct sqlite *s, uint32_t trace)
{
	return &s->export->reader->traces[trace];
}

/* Binds the numbers of a process and a thread of it. */
static void bind_ids(struct sqlite *s, sqlite3_stmt *statement, int at, const struct key *thread)
{
	bool knows_pid = reader_knows_pid(s->export->reader, thread->trace, thread->pid);

	bind_number(statement, at, knows_pid, thread->pid);
	bind_number(statement, at + 1, thread->tid != 0, thread->tid);
}

static void bind_trace(struct sqlite *s, sqlite3_stmt *statement, int at, uint32_t trace)
{
	const char *path = trace_of(s, trace)->path;

	bind_text(statement, at, path ? path : s->export->trace);
}

/* Binds a value that is neither a number of 64 bits nor a text. */
static COLD void bind_odd(
	sqlite3_stmt *statement, int at, const struct arg *arg, const struct value *v)
{
	if (v->kind == VALUE_ABSENT || (v->kind == VALUE_STRING && !v->text)) {
		sqlite3_bind_null(statement, at);
	} else if (arg->type.class == TYPE_BYTES) {
		sqlite3_bind_blob64(statement, at, v->text, v->length, SQLITE_STATIC);
	} else {
		sqlite3_bind_text(statement, at, message_value_text(arg, v), -1, free);
	}
}

/* Binds a character among the values of any type; false if it is another value. */
static COLD bool bind_character(sqlite3_stmt *statement, int at, const struct value *v)
{
	char character[UTF8_MAX];
	size_t length = message_put_character(character, v);

	if (length > 0) {
		sqlite3_bind_text(statement, at, character, (int)length, SQLITE_TRANSIENT);
	}
	return length > 0;
}

/* Binds a value as `waymark sql` shows it: field_cell() in sql/rows.c. */
static void bind_value(
	sqlite3_stmt *statement, int at, const struct arg *arg, const struct value *value)
{
	struct expr_value v = { .type = EXPR_NONE };

	if (UNLIKELY(arg->type.class == TYPE_DEBUG) && bind_character(statement, at, value)) {
		return;
	}
	if (LIKELY(value->kind != VALUE_PAIR)) { /* a double has not all digits of 128 bits */
		v = where_value(&arg->type, value);
	}
	if (LIKELY(v.type == EXPR_INTEGER)) {
		sqlite3_bind_int64(statement, at, (int64_t)v.as.integer);
	} else if (v.type == EXPR_FLOAT) {
		sqlite3_bind_double(statement, at, v.as.number);
	} else if (v.type == EXPR_TEXT && v.as.text && arg->type.class != TYPE_BYTES) {
		sqlite3_bind_text64(statement, at, v.as.text, v.length, SQLITE_STATIC, SQLITE_UTF8);
	} else {
		bind_odd(statement, at, arg, value);
	}
}

/* ---- Events ---- */

static void bind_fields(struct sqlite *s, sqlite3_stmt *statement, const struct record *rec)
{
	const struct event *e = rec->class->event;
	const struct value *values = e ? reader_values(s->export->reader, rec) : NULL;

	if (!e) {
		sqlite3_bind_blob64(
			statement, PARAMETER_FIRST, rec->payload, rec->payload_size, SQLITE_STATIC);
	}
	for (size_t i = 0; e && i < e->arg_count; i++) {
		bind_value(statement, PARAMETER_FIRST + (int)i, &e->args[i], &values[i]);
	}
}

static struct sqlite_insert *insert_of(struct sqlite *s, const struct event_class *class)
{
	while (UNLIKELY(s->inserts.count <= class->index)) {
		vec_push(&s->inserts, ((struct sqlite_insert){ 0 }));
	}
	struct sqlite_insert *in = &s->inserts.items[class->index];

	if (UNLIKELY(!in->statement)) {
		in->statement = sqlite_make_insert(s, class);
	}
	return in->statement ? in : NULL;
}

static bool put_row(struct sqlite *s, struct sqlite_insert *in, const struct record *rec)
{
	bool knows_pid = reader_knows_pid(s->export->reader, rec->trace, rec->pid);

	sqlite3_bind_int64(in->statement, PARAMETER_ROW, s->events);
	sqlite3_bind_int64(in->statement, PARAMETER_TIME, (int64_t)rec->ns);
	bind_number(in->statement, PARAMETER_PID, knows_pid, rec->pid);
	bind_number(in->statement, PARAMETER_TID, rec->tid != 0, rec->tid);
	if (UNLIKELY(!in->has_trace || in->trace != rec->trace)) {
		bind_text(in->statement, PARAMETER_PROCESS, trace_of(s, rec->trace)->procname);
		bind_trace(s, in->statement, PARAMETER_TRACE, rec->trace);
		in->trace = rec->trace;
		in->has_trace = true;
	}
	return insert(s, in->statement);
}

static bool put_event(struct sqlite *s, const struct record *rec)
{
	struct sqlite_insert *own = insert_of(s, rec->class);

	if (!own) {
		return false;
	}
	s->events++;
	s->insert_event.statement = s->lists[LIST_EVENTS];
	bind_text(s->insert_event.statement, PARAMETER_FIRST, rec->class->name);
	bind_fields(s, own->statement, rec);
	return put_row(s, &s->insert_event, rec) && put_row(s, own, rec);
}

static bool put_gap(struct sqlite *s, const struct record *rec)
{
	const struct key thread = { .trace = rec->trace, .pid = rec->pid, .tid = rec->tid };
	sqlite3_stmt *statement = s->lists[LIST_GAPS];

	sqlite3_bind_int64(statement, 1, (int64_t)rec->ns);
	bind_ids(s, statement, 2, &thread);
	bind_text(statement, 4, trace_of(s, rec->trace)->procname);
	sqlite3_bind_int64(statement, 5, (int64_t)losses_events(&rec->gap));
	sqlite3_bind_int64(statement, 6, (int64_t)rec->gap.overwritten);
	sqlite3_bind_int64(statement, 7, (int64_t)losses_packets(&rec->gap));
	bind_trace(s, statement, 8, rec->trace);
	return insert(s, statement);
}

/* ---- Scopes ---- */

/* Writes a scope. `unfinished`: 0: it has ended; 2: its end may be among lost events. */
static bool put_scope(struct sqlite *s, const struct scope_span *span, int unfinished)
{
	sqlite3_stmt *statement = s->lists[LIST_SCOPES];
	bool has_ended = unfinished == 0;
	int64_t length = (int64_t)(span->end_ns - span->begin_ns);

	sqlite3_bind_int64(statement, 1, (int64_t)span->begin_ns);
	bind_text(statement, 2, s->pairs.names.items[span->key.name]);
	bind_number(statement, 3, has_ended, length);
	bind_number(statement, 4, has_ended && span->is_nested, (int64_t)span->self_ns);
	bind_ids(s, statement, 5, &span->key);
	bind_text(statement, 8, trace_of(s, span->key.trace)->procname);
	bind_number(statement, 7, has_ended && span->end_tid, span->end_tid);
	sqlite3_bind_int(statement, 9, unfinished);
	bind_trace(s, statement, 10, span->key.trace);
	return insert(s, statement);
}

static void put_unfinished(void *data, const struct scope_span *span)
{
	put_scope(data, span, span->is_lost ? 2 : 1);
}

/* ---- Lives ---- */

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
	sqlite3_stmt *statement = s->lists[LIST_LIVES];

	sqlite3_bind_int64(statement, 1, (int64_t)l->begin_ns);
	bind_text(statement, 2, lives_kind_name(&s->lives, l));
	sqlite3_bind_text(statement, 3, lives_key_text(&s->lives, l), -1, free);
	sqlite3_bind_int64(statement, 4, (int64_t)(l->end_ns - l->begin_ns));
	sqlite3_bind_int64(statement, 5, (int64_t)l->count);
	sqlite3_bind_text(statement, 6, path_text(&s->lives.paths, l->path, NULL), -1, free);
	bind_text(statement, 7, l->first->name);
	bind_text(statement, 8, l->last->name);
	bind_text(statement, 9, outcomes[l->outcome]);
	sqlite3_bind_int(statement, 10, l->is_doubtful);
	bind_ids(
		s, statement, 11, &(struct key){ .trace = l->trace, .pid = l->pid, .tid = l->tid });
	bind_text(statement, 13, trace_of(s, l->trace)->procname);
	bind_trace(s, statement, 14, l->trace);
	insert(s, statement);
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
		sqlite_run(s, "DELETE FROM lives");
	}
}

/* ---- The other lists ---- */

static void put_threads(struct sqlite *s)
{
	sqlite3_stmt *statement = s->lists[LIST_THREADS];

	vec_foreach (const struct thread_count *, t, &s->summary.threads) {
		const struct key thread = { .trace = t->trace, .pid = t->pid, .tid = t->tid };

		bind_ids(s, statement, 1, &thread);
		bind_text(statement, 3, trace_of(s, t->trace)->procname);
		sqlite3_bind_int64(statement, 4, (int64_t)t->events);
		sqlite3_bind_int64(statement, 5, t->first_ns);
		sqlite3_bind_int64(statement, 6, t->last_ns);
		sqlite3_bind_int64(statement, 7, (int64_t)losses_events(&t->losses));
		sqlite3_bind_int64(statement, 8, (int64_t)losses_packets(&t->losses));
		bind_trace(s, statement, 9, t->trace);
		insert(s, statement);
	}
}

static void put_processes(struct sqlite *s)
{
	const struct reader *r = s->export->reader;
	sqlite3_stmt *statement = s->lists[LIST_PROCESSES];

	for (uint32_t i = 0; i < r->trace_count; i++) {
		const struct trace_info *t = &r->traces[i];
		bool was_met = i < s->summary.by_trace.count;

		bind_number(statement, 1, t->pid != 0, t->pid);
		bind_text(statement, 2, t->procname);
		bind_text(statement, 3, t->hostname);
		bind_text(statement, 4, t->state);
		sqlite3_bind_int64(
			statement, 5, was_met ? (int64_t)s->summary.by_trace.items[i] : 0);
		bind_number(statement, 6, t->has_realtime, (int64_t)t->realtime);
		bind_trace(s, statement, 7, i);
		insert(s, statement);
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
	sqlite3_stmt *statement = s->lists[LIST_DECLARATIONS];
	const struct event *e = class->event;
	struct out names;

	out_init(&names, OUT_TO_MEMORY);
	put_value_names(&names, arg ? arg->names : NULL);
	out_char(&names, '\0');
	bind_text(statement, 1, class->name);
	bind_number(statement, 2, arg != NULL, arg ? arg - e->args : 0);
	bind_text(statement, 3, arg ? arg->name : NULL);
	bind_text(statement, 4, arg ? arg->type.text : NULL);
	bind_text(statement, 5, arg ? arg->unit : NULL);
	bind_text(statement, 6, arg && arg->names ? names.data : NULL);
	bind_number(statement, 7, arg != NULL, arg ? arg->is_key : 0);
	bind_text(statement, 8, e ? e->format.source : NULL);
	bind_text(statement, 9, e ? e->life : NULL);
	bind_text(statement, 10, e && e->life ? parts[e->life_part] : NULL);
	insert(s, statement);
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
	}
	sqlite_close(s);
	pairs_fini(&s->pairs);
	lives_fini(&s->lives);
	summary_fini(&s->summary);
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
	hash_init(&s->tables);
	pairs_init(&s->pairs, &e->reader->classes);
	summary_init(&s->summary);
	begin_lives(s);
	if (!sqlite_open(s)) {
		end(s);
		return NULL;
	}
	return s;
}

static bool put_record(struct sqlite *s, const struct record *rec)
{
	if (LIKELY(!*s->lives.error)) {
		lives_add(&s->lives, rec);
	}
	if (rec->kind == RECORD_GAP) {
		pairs_gap(&s->pairs, rec);
		return put_gap(s, rec);
	}
	if (pairs_take(&s->pairs, s->export->reader, rec) == PAIRS_ENDED &&
		!put_scope(s, &s->pairs.span, 0)) {
		return false;
	}
	return put_event(s, rec);
}

static bool put(void *state, const struct record *records, size_t count)
{
	struct sqlite *s = state;

	summary_add_few(&s->summary, records, count);
	for (size_t i = 0; i < count && !s->has_failed; i++) {
		put_record(s, &records[i]);
	}
	return !s->has_failed;
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
