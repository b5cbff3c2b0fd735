/* SPDX-License-Identifier: MIT */
/*
 * Makes the rows of lists. The values of a row are added in the order of its columns. Called by
 * src/sql for tables that are read from traces, and by view/export for those of a database.
 */
#include "view/lists.h"

const char *const list_names[LIST_KINDS + 1] = {
	[LIST_GAPS] = "gaps",
	[LIST_SCOPES] = "scopes",
	[LIST_LIVES] = "lives",
	[LIST_THREADS] = "threads",
	[LIST_PROCESSES] = "processes",
	[LIST_DECLARATIONS] = "declarations",
};

const char *const list_columns[LIST_KINDS] = {
	[LIST_GAPS] = "time INTEGER, pid INTEGER, tid INTEGER, process TEXT, lost INTEGER,"
		      " overwritten INTEGER, packets INTEGER, trace TEXT",
	[LIST_SCOPES] = "time INTEGER, name TEXT, duration INTEGER, self INTEGER, pid INTEGER,"
			" tid INTEGER, end_tid INTEGER, process TEXT, unfinished INTEGER,"
			" trace TEXT",
	[LIST_LIVES] = "time INTEGER, life TEXT, key, duration INTEGER, events INTEGER, path TEXT,"
		       " first TEXT, last TEXT, outcome TEXT, doubtful INTEGER, pid INTEGER,"
		       " tid INTEGER, process TEXT, trace TEXT",
	[LIST_THREADS] = "pid INTEGER, tid INTEGER, process TEXT, events INTEGER, first INTEGER,"
			 " last INTEGER, lost INTEGER, packets INTEGER, trace TEXT",
	[LIST_PROCESSES] = "pid INTEGER, process TEXT, host TEXT, state TEXT, events INTEGER,"
			   " realtime INTEGER, trace TEXT",
	[LIST_DECLARATIONS] = "event TEXT, position INTEGER, field TEXT, type TEXT, unit TEXT,"
			      " names TEXT, is_key INTEGER, format TEXT, life TEXT,"
			      " life_part TEXT",
};

/* ---- Values ---- */

/* Adds a number; NULL if it is not known. */
static void put_known(struct list_row *r, bool is_known, int64_t number)
{
	r->values[r->count++] = (struct list_value){ .integer = number, .is_integer = is_known };
}

static void put_integer(struct list_row *r, int64_t number)
{
	put_known(r, true, number);
}

static void put_text(struct list_row *r, const char *text)
{
	r->values[r->count++] = (struct list_value){ .text = text };
}

/* Adds the numbers of a process and a thread of it. */
static void put_ids(struct list_row *r, uint32_t trace, uint32_t pid, uint32_t tid)
{
	put_known(r, !r->has_nulls || reader_knows_pid(r->reader, trace, pid), pid);
	put_known(r, !r->has_nulls || tid != 0, tid);
}

static void put_process(struct list_row *r, size_t trace)
{
	put_text(r, r->reader->traces[trace].procname);
}

static void put_path(struct list_row *r, size_t trace)
{
	const char *path = r->reader->traces[trace].path;

	put_text(r, path ? path : r->path);
}

/* ---- Rows ---- */

void list_gap(struct list_row *r, const struct record *rec)
{
	r->count = 0;
	put_integer(r, (int64_t)rec->ns);
	put_ids(r, rec->trace, rec->pid, rec->tid);
	put_process(r, rec->trace);
	put_integer(r, (int64_t)losses_events(&rec->gap));
	put_integer(r, (int64_t)rec->gap.overwritten);
	put_integer(r, (int64_t)losses_packets(&rec->gap));
	put_path(r, rec->trace);
}

void list_scope(struct list_row *r, const char *name, const struct scope_span *s, int unfinished)
{
	bool has_ended = unfinished == 0;

	r->count = 0;
	put_integer(r, (int64_t)s->begin_ns);
	put_text(r, name);
	put_known(r, has_ended, (int64_t)(s->end_ns - s->begin_ns));
	put_known(r, has_ended && s->is_nested, (int64_t)s->self_ns);
	put_ids(r, s->key.trace, s->key.pid, s->key.tid);
	put_known(r, has_ended && (!r->has_nulls || s->end_tid), s->end_tid);
	put_process(r, s->key.trace);
	put_integer(r, unfinished);
	put_path(r, s->key.trace);
}

const char *const list_outcomes[] = {
	[LIFE_ENDED] = "ended",
	[LIFE_UNFINISHED] = "unfinished",
	[LIFE_END_LOST] = "end lost",
	[LIFE_BEGUN_TWICE] = "begun twice",
};

void list_life(struct list_row *r, const char *kind, const struct life *l, const char *key,
	const char *path)
{
	r->count = 0;
	put_integer(r, (int64_t)l->begin_ns);
	put_text(r, kind);
	put_text(r, key);
	put_integer(r, (int64_t)(l->end_ns - l->begin_ns));
	put_integer(r, (int64_t)l->count);
	put_text(r, path);
	put_text(r, l->first->name);
	put_text(r, l->last->name);
	put_text(r, list_outcomes[l->outcome]);
	put_integer(r, l->is_doubtful);
	put_ids(r, l->trace, l->pid, l->tid);
	put_process(r, l->trace);
	put_path(r, l->trace);
}

void list_thread(struct list_row *r, const struct thread_count *t)
{
	r->count = 0;
	put_ids(r, t->trace, t->pid, t->tid);
	put_process(r, t->trace);
	put_integer(r, (int64_t)t->events);
	put_integer(r, t->first_ns);
	put_integer(r, t->last_ns);
	put_integer(r, (int64_t)losses_events(&t->losses));
	put_integer(r, (int64_t)losses_packets(&t->losses));
	put_path(r, t->trace);
}

void list_process(struct list_row *r, const struct summary *s, size_t trace)
{
	const struct trace_info *t = &r->reader->traces[trace];
	bool was_met = trace < s->by_trace.count;

	r->count = 0;
	put_known(r, !r->has_nulls || t->pid != 0, t->pid);
	put_process(r, trace);
	put_text(r, t->hostname);
	put_text(r, t->state);
	put_integer(r, was_met ? (int64_t)s->by_trace.items[trace] : 0);
	put_known(r, t->has_realtime, (int64_t)t->realtime);
	put_path(r, trace);
}

/* Lists the names of an argument's values, `0=read 1=write`; returns NULL if they have none. */
static const char *names_text(struct list_row *r, const struct arg *arg)
{
	if (!arg || !arg->names) {
		return NULL;
	}
	r->text.len = 0;
	for (const struct value_name *v = arg->names; v->name; v++) {
		out_printf(&r->text, v->is_negative ? "%s%lld=%s" : "%s%llu=%s",
			v > arg->names ? " " : "", (long long)v->value, v->name);
	}
	out_char(&r->text, '\0');
	return r->text.data;
}

void list_declaration(struct list_row *r, const struct event_class *class, size_t field)
{
	static const char *const parts[] = { NULL, "begin", "step", "end" };
	const struct event *e = class->event;
	const struct arg *arg = e && field < e->arg_count ? &e->args[field] : NULL;

	r->count = 0;
	put_text(r, class->name);
	put_known(r, arg, (int64_t)field);
	put_text(r, arg ? arg->name : NULL);
	put_text(r, arg ? arg->type.text : NULL);
	put_text(r, arg ? arg->unit : NULL);
	put_text(r, names_text(r, arg));
	put_known(r, arg, arg && arg->is_key);
	put_text(r, e ? e->format.source : NULL);
	put_text(r, e ? e->life : NULL);
	put_text(r, e && e->life ? parts[e->life_part] : NULL);
}
