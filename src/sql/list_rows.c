/* SPDX-License-Identifier: MIT */
/*
 * The rows of the tables beside those of events. Each table is a row of `sql_lists`: its columns,
 * and the functions that begin its rows and make the next one.
 */
#include <string.h>

#include "sql/lists.h"
#include "view/path.h"

static struct cell integer(int64_t v)
{
	return (struct cell){ .integer = v, .type = CELL_INTEGER };
}

static struct cell text(const char *t)
{
	return t ? (struct cell){ .text = t, .length = (int)strlen(t), .type = CELL_TEXT }
		 : (struct cell){ .type = CELL_NULL };
}

static const struct trace_info *trace_info(const struct list_cursor *c, uint32_t trace)
{
	return &c->scan.reader->traces[trace];
}

static const char *path_of(const struct list_cursor *c, uint32_t trace)
{
	const char *path = trace_info(c, trace)->path;

	return path ? path : c->source->paths[0];
}

/* Returns the next record, NULL at the end. */
static const struct record *next_record(struct list_cursor *c)
{
	if (++c->at >= c->count) {
		c->count = sql_scan_few(&c->scan, c->records);
		c->at = 0;
	}
	return c->count > 0 ? &c->records[c->at] : NULL;
}

/* ---- gaps ---- */

static bool next_gap(struct list_cursor *c)
{
	const struct record *rec;

	while ((rec = next_record(c))) {
		if (rec->kind == RECORD_GAP) {
			c->cells[0] = integer((int64_t)rec->ns);
			c->cells[1] = integer(rec->pid);
			c->cells[2] = integer(rec->tid);
			c->cells[3] = text(trace_info(c, rec->trace)->procname);
			c->cells[4] = integer((int64_t)losses_events(&rec->gap));
			c->cells[5] = integer((int64_t)rec->gap.overwritten);
			c->cells[6] = integer((int64_t)losses_packets(&rec->gap));
			c->cells[7] = text(path_of(c, rec->trace));
			return true;
		}
	}
	return false;
}

/* ---- scopes ---- */

static void begin_scopes(struct list_cursor *c)
{
	pairs_init(&c->pairs, &c->scan.reader->classes);
	c->has_pairs = true;
}

static void put_scope(struct list_cursor *c, const struct scope_span *s, bool has_ended)
{
	int64_t length = (int64_t)(s->end_ns - s->begin_ns);
	const struct cell none = { .type = CELL_NULL };

	c->cells[0] = integer((int64_t)s->begin_ns);
	c->cells[1] = text(c->pairs.names.items[s->key.name]);
	c->cells[2] = has_ended ? integer(length) : none;
	c->cells[3] = has_ended && s->is_nested ? integer((int64_t)s->self_ns) : none;
	c->cells[4] = integer(s->key.pid);
	c->cells[5] = integer(s->key.tid);
	c->cells[6] = has_ended ? integer(s->end_tid) : none;
	c->cells[7] = text(trace_info(c, s->key.trace)->procname);
	c->cells[8] = integer(has_ended ? 0 : 1 + pairs_is_doubtful(&c->pairs, s));
	c->cells[9] = text(path_of(c, s->key.trace));
}

static void note_open(void *cursor, const struct scope_span *span)
{
	struct list_cursor *c = cursor;

	vec_push(&c->open, *span);
}

static bool next_scope(struct list_cursor *c)
{
	const struct record *rec;

	while (c->index == 0 && (rec = next_record(c))) {
		if (pairs_take(&c->pairs, c->scan.reader, rec) == PAIRS_ENDED) {
			put_scope(c, &c->pairs.span, true);
			return true;
		}
	}
	if (c->index == 0) {
		pairs_unfinished(&c->pairs, note_open, c);
	}
	if (c->index < c->open.count) {
		put_scope(c, &c->open.items[c->index++], false);
		return true;
	}
	c->index = SIZE_MAX;
	return false;
}

/* ---- lives ---- */

static void note_ended(void *cursor, const struct life *life)
{
	struct list_cursor *c = cursor;

	vec_push(&c->ended, ((struct ended_life){ *life, lives_key_text(&c->lives, life),
				    path_text(&c->lives.paths, life->path, NULL) }));
}

static void begin_lives(struct list_cursor *c)
{
	c->lives_options = (struct lives_options){
		.rules.filter = &c->scan.filter,
		.text = message_value_text,
		.max_open = SIZE_MAX,
		.data = c,
		.ended = note_ended,
	};
	lives_init(&c->lives, &c->lives_options, c->scan.reader);
	c->has_lives = true;
}

static void forget_ended(struct list_cursor *c)
{
	vec_foreach (struct ended_life *, e, &c->ended) {
		free(e->key);
		free(e->path);
	}
	c->ended.count = 0;
	c->index = 0;
}

static void put_life(struct list_cursor *c, const struct ended_life *e)
{
	static const char *const outcomes[] = {
		[LIFE_ENDED] = "ended",
		[LIFE_UNFINISHED] = "unfinished",
		[LIFE_END_LOST] = "end lost",
		[LIFE_BEGUN_TWICE] = "begun twice",
	};
	const struct life *l = &e->life;

	c->cells[0] = integer((int64_t)l->begin_ns);
	c->cells[1] = text(lives_kind_name(&c->lives, l));
	c->cells[2] = text(e->key);
	c->cells[3] = integer((int64_t)(l->end_ns - l->begin_ns));
	c->cells[4] = integer((int64_t)l->count);
	c->cells[5] = text(e->path);
	c->cells[6] = text(l->first->name);
	c->cells[7] = text(l->last->name);
	c->cells[8] = text(outcomes[l->outcome]);
	c->cells[9] = integer(l->is_doubtful);
	c->cells[10] = integer(l->pid);
	c->cells[11] = integer(l->tid);
	c->cells[12] = text(trace_info(c, l->trace)->procname);
	c->cells[13] = text(path_of(c, l->trace));
}

/* Reads on until lives end, and returns them in that order. */
static bool next_life(struct list_cursor *c)
{
	const struct record *rec = NULL;

	while (c->index == c->ended.count && !c->is_life_over) {
		forget_ended(c);
		rec = next_record(c);
		if (rec && !*c->lives.error) {
			lives_add(&c->lives, rec);
		} else {
			lives_end(&c->lives);
			c->is_life_over = true;
		}
	}
	if (c->index == c->ended.count) {
		return false;
	}
	put_life(c, &c->ended.items[c->index++]);
	return true;
}

/* ---- threads and processes ---- */

static void begin_summary(struct list_cursor *c)
{
	size_t count;

	summary_init(&c->summary);
	c->has_summary = true;
	while ((count = sql_scan_few(&c->scan, c->records))) {
		summary_add_few(&c->summary, c->records, count);
	}
	summary_sort(&c->summary);
}

static bool next_thread(struct list_cursor *c)
{
	if (c->index == c->summary.threads.count) {
		return false;
	}
	const struct thread_count *t = &c->summary.threads.items[c->index++];

	c->cells[0] = integer(t->pid);
	c->cells[1] = integer(t->tid);
	c->cells[2] = text(trace_info(c, t->trace)->procname);
	c->cells[3] = integer((int64_t)t->events);
	c->cells[4] = integer(t->first_ns);
	c->cells[5] = integer(t->last_ns);
	c->cells[6] = integer((int64_t)losses_events(&t->losses));
	c->cells[7] = integer((int64_t)losses_packets(&t->losses));
	c->cells[8] = text(path_of(c, t->trace));
	return true;
}

static bool next_process(struct list_cursor *c)
{
	if (c->index == c->scan.reader->trace_count) {
		return false;
	}
	size_t trace = c->index++;
	const struct trace_info *t = &c->scan.reader->traces[trace];
	bool was_met = trace < c->summary.by_trace.count;

	c->cells[0] = integer(t->pid);
	c->cells[1] = text(t->procname);
	c->cells[2] = text(t->hostname);
	c->cells[3] = text(t->state);
	c->cells[4] = integer(was_met ? (int64_t)c->summary.by_trace.items[trace] : 0);
	c->cells[5] = t->has_realtime ? integer((int64_t)t->realtime)
				      : (struct cell){ .type = CELL_NULL };
	c->cells[6] = text(path_of(c, (uint32_t)trace));
	return true;
}

/* ---- declarations ---- */

static struct cell names_text(struct list_cursor *c, const struct arg *arg)
{
	if (!arg->names) {
		return (struct cell){ .type = CELL_NULL };
	}
	c->text.len = 0;
	for (const struct value_name *v = arg->names; v->name; v++) {
		out_printf(&c->text, v->is_negative ? "%s%lld=%s" : "%s%llu=%s",
			v > arg->names ? " " : "", (long long)v->value, v->name);
	}
	return (struct cell){ .text = c->text.data, .length = (int)c->text.len, .type = CELL_TEXT };
}

static bool next_declaration(struct list_cursor *c)
{
	static const char *const parts[] = { NULL, "begin", "step", "end" };
	/* Not the scan's reader: it may meet events only with their records. */
	const struct class_table *classes = &c->source->reader->classes;

	if (c->index == classes->all.count) {
		return false;
	}
	const struct event_class *class = classes->all.items[c->index];
	const struct event *e = class->event;
	const struct arg *arg = e && c->field < e->arg_count ? &e->args[c->field] : NULL;
	const struct cell none = { .type = CELL_NULL };

	c->cells[0] = text(class->name);
	c->cells[1] = arg ? integer((int64_t)c->field) : none;
	c->cells[2] = text(arg ? arg->name : NULL);
	c->cells[3] = text(arg ? arg->type.text : NULL);
	c->cells[4] = text(arg ? arg->unit : NULL);
	c->cells[5] = arg ? names_text(c, arg) : none;
	c->cells[6] = arg ? integer(arg->is_key) : none;
	c->cells[7] = text(e ? e->format.source : NULL);
	c->cells[8] = text(e ? e->life : NULL);
	c->cells[9] = text(e && e->life ? parts[e->life_part] : NULL);
	if (!arg || c->field + 1 == e->arg_count) {
		c->field = 0;
		c->index++;
	} else {
		c->field++;
	}
	return true;
}

/* ---- All ---- */

void list_forget(struct list_cursor *c)
{
	if (c->has_pairs) {
		pairs_fini(&c->pairs);
	}
	if (c->has_summary) {
		summary_fini(&c->summary);
	}
	if (c->has_lives) {
		forget_ended(c);
		lives_fini(&c->lives);
	}
	c->open.count = 0;
	c->has_pairs = c->has_summary = c->has_lives = c->is_life_over = false;
}

/* ---- The tables ---- */

const struct list sql_lists[LISTS] = {
	{ "gaps",
		"time INTEGER,pid INTEGER,tid INTEGER,process TEXT,lost INTEGER,overwritten "
		"INTEGER,packets INTEGER,trace TEXT",
		false, NULL, next_gap },
	{ "scopes",
		"time INTEGER,name TEXT,duration INTEGER,self INTEGER,pid INTEGER,tid "
		"INTEGER,end_tid INTEGER,process TEXT,unfinished INTEGER,trace TEXT",
		true, begin_scopes, next_scope },
	{ "lives",
		"time INTEGER,life TEXT,key,duration INTEGER,events INTEGER,path TEXT,first TEXT,"
		"last TEXT,outcome TEXT,doubtful INTEGER,pid INTEGER,tid INTEGER,process TEXT,"
		"trace TEXT",
		true, begin_lives, next_life },
	{ "threads",
		"pid INTEGER,tid INTEGER,process TEXT,events INTEGER,first INTEGER,last "
		"INTEGER,lost INTEGER,packets INTEGER,trace TEXT",
		true, begin_summary, next_thread },
	{ "processes",
		"pid INTEGER,process TEXT,host TEXT,state TEXT,events INTEGER,realtime "
		"INTEGER,trace TEXT",
		true, begin_summary, next_process },
	{ "declarations",
		"event TEXT,position INTEGER,field TEXT,type TEXT,unit TEXT,names TEXT,is_key "
		"INTEGER,format TEXT,life TEXT,life_part TEXT",
		false, NULL, next_declaration },
};

const char *const sql_list_names[] = { "gaps", "scopes", "lives", "threads", "processes",
	"declarations", NULL };
