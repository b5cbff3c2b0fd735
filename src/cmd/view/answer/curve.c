/* SPDX-License-Identifier: MIT */
/*
 * Fields as curves: which fields are numbers, and the least, largest and last value in columns of a
 * time. The first question for a field begins a pass; what it has made is the answer for a long
 * time, a short one is read again.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/unit.h"
#include "cmd/view/answer/answers.h"
#include "cmd/view/answer/beside.h"
#include "read/where.h"
#include "timeline/curve.h"
#include "view/message/json.h"

#define CURVES_MAX 16

/* Steps of a process in a whole trace: 40 bytes each. */
#define CURVE_STEPS ((size_t)1 << 13)

/* Records that are read for an answer. */
#define NEAR_RECORDS (UINT64_C(1) << 18)

struct view_curve {
	char *event;
	char *field;
	struct curve far; /* by the pass */
	struct view_pass pass;
};

struct view_curves {
	struct view_curve all[CURVES_MAX];
	size_t count;
};

/* ---- Fields ---- */

static bool is_number(const struct arg *arg)
{
	return type_is_number(&arg->type) && !arg->is_scope && !arg->is_key;
}

static const struct arg *field_of(const struct view_curve *c, const struct event_class *class)
{
	int at = class->event && strcmp(class->name, c->event) == 0
			 ? event_find_arg(class->event, c->field, strlen(c->field))
			 : -1;

	return at >= 0 ? &class->event->args[at] : NULL;
}

/* Returns the number of a value; false if it has none. */
static bool get_number(const struct type *type, const struct value *value, double *number)
{
	struct expr_value v = where_value(type, value);

	if (v.type == EXPR_INTEGER) {
		*number = v.is_negative ? (double)(int64_t)v.as.integer : (double)v.as.integer;
		return true;
	}
	*number = v.as.number;
	return v.type == EXPR_FLOAT && isfinite(*number);
}

/* ---- Values ---- */

static void add_value(
	struct view_curve *c, struct curve *to, struct reader *r, const struct record *rec)
{
	const struct arg *arg = field_of(c, rec->class);
	double number;

	if (!arg) {
		return;
	}
	const struct value *value = &reader_values(r, rec)[arg - rec->class->event->args];

	if (!get_number(&arg->type, value, &number)) {
		return;
	}
	size_t row = curve_row(to, rec->trace, rec->pid);

	if (row != SIZE_MAX) {
		curve_add(to, row, (int64_t)rec->ns, number);
	}
}

static bool needs(void *curve, const struct event_class *class)
{
	return field_of(curve, class) != NULL;
}

static void add(void *curve, struct reader *r, const struct record *rec)
{
	struct view_curve *c = curve;

	if (rec->kind != RECORD_EVENT) {
		return;
	}
	if (c->far.steps == 0) {
		curve_init(&c->far, (int64_t)rec->ns, 0, CURVE_STEPS);
	}
	add_value(c, &c->far, r, rec);
}

static const struct view_pass_style style = { .needs = needs, .add = add };

static char *copy(const char *text, size_t length)
{
	char *own = xcalloc(1, length + 1);

	memcpy(own, text, length);
	return own;
}

/* Returns the curve of EVENT.FIELD, begun now if it is new; NULL: no such field, or too many. */
static struct view_curve *find_curve(struct viewer *v, const char *text)
{
	const char *point = text ? strrchr(text, '.') : NULL;

	if (!point) {
		return NULL;
	}
	if (!v->curves) {
		v->curves = xcalloc(1, sizeof(*v->curves));
	}
	struct view_curves *all = v->curves;

	for (size_t i = 0; i < all->count; i++) {
		if (strcmp(all->all[i].field, point + 1) == 0 &&
			strlen(all->all[i].event) == (size_t)(point - text) &&
			strncmp(all->all[i].event, text, (size_t)(point - text)) == 0) {
			return &all->all[i];
		}
	}
	if (all->count == CURVES_MAX) {
		return NULL;
	}
	struct view_curve *c = &all->all[all->count];

	*c = (struct view_curve){ .event = copy(text, (size_t)(point - text)),
		.field = xstrdup(point + 1),
		.pass = { .viewer = v, .style = &style, .data = c } };
	all->count++;
	view_pass_begin(&c->pass);
	return c;
}

void view_curves_end(struct viewer *v)
{
	for (size_t i = 0; v->curves && i < v->curves->count; i++) {
		struct view_curve *c = &v->curves->all[i];

		view_pass_end(&c->pass);
		curve_fini(&c->far);
		free(c->event);
		free(c->field);
	}
	free(v->curves);
}

/* ---- Reading a short time ---- */

/* A time, exactly. */
struct near_curve {
	struct time_range range;
	size_t columns;
	struct curve before; /* the values before the time, in one step */
	struct curve in;
};

/* Reads the time, and before it the rest of a step of the pass. */
static bool read_near(struct viewer *v, struct view_curve *c, struct near_curve *n, int64_t from_ns)
{
	struct filter filter;
	struct reader *r = session_open_beside(v->session, &filter);
	enum read_result result = READ_END;
	struct record rec;

	if (r) {
		answer_limit(v, &filter, from_ns, n->range.to + 1);
		filter.needs_class = needs;
		filter.needs_data = c;
		filter_start(&filter, r);
		filter_limit(&filter);
		while ((result = reader_next(r, &rec)) == READ_RECORD &&
			(int64_t)rec.ns <= n->range.to) {
			bool is_before = (int64_t)rec.ns < n->range.from;

			if (rec.kind == RECORD_EVENT && filter_passes(&filter, &rec)) {
				add_value(c, is_before ? &n->before : &n->in, r, &rec);
			}
		}
	}
	filter_fini(&filter);
	reader_close(r);
	return r && result != READ_PROBLEM && result != READ_DAMAGED;
}

/* Reads the time if it is short; false if it is not, or cannot be read. */
static bool try_near(struct viewer *v, struct view_curve *c, struct near_curve *n)
{
	unsigned int shift = 0;

	pthread_mutex_lock(&c->pass.lock);
	int64_t from_ns = curve_step_ns(&c->far, n->range.from);
	bool is_known = c->far.steps > 0;

	pthread_mutex_unlock(&c->pass.lock);
	viewer_lock(v);
	bool is_short = is_known && !v->meets_events &&
			(v->is_done || n->range.to < v->levels.last_ns) &&
			levels_count(&v->levels, from_ns, n->range.to) < NEAR_RECORDS;

	viewer_unlock(v);
	while ((uint64_t)(n->range.to - n->range.from) >> shift >= n->columns) {
		shift++;
	}
	curve_init(&n->before, from_ns, 62, 1);
	curve_init(&n->in, n->range.from, shift, n->columns + 1);
	return is_short && read_near(v, c, n, from_ns);
}

/* ---- The answer ---- */

struct put {
	struct viewer *viewer;
	const struct near_curve *near;
	const struct curve *cells;
	struct out *out;
};

static size_t process_of(struct viewer *v, const struct curve_row *row)
{
	viewer_lock(v);
	size_t at = timeline_find_process(&v->levels.timeline, row->trace, row->pid);

	viewer_unlock(v);
	return at;
}

static const struct curve_row *find_row(const struct curve *c, const struct curve_row *like)
{
	vec_foreach (const struct curve_row *, row, &c->rows) {
		if (row->trace == like->trace && row->pid == like->pid) {
			return row;
		}
	}
	return NULL;
}

static void put_cell(const struct put *p, const struct curve_cell *cell, bool is_first)
{
	out_printf(p->out, "%s[%" PRId64 ",%.15g,%.15g,%.15g,%" PRIu64 "]", is_first ? "" : ",",
		cell->ns - viewer_first_ns(p->viewer), cell->min, cell->max, cell->last,
		cell->count);
}

static size_t step_at(const struct curve *c, int64_t ns)
{
	return (size_t)((uint64_t)(curve_step_ns(c, ns) - c->first_ns) >> c->shift);
}

/* Writes the steps of a row that are in the time, joined until they are not more than columns. */
static void put_cells(const struct put *p, const struct curve_row *row)
{
	size_t begin = step_at(p->cells, p->near->range.from);
	size_t end = step_at(p->cells, p->near->range.to);
	struct curve_cell sum = { 0 };
	size_t joined = 1;
	bool is_first = true;

	while ((end - begin) / joined > p->near->columns) {
		joined *= 2;
	}
	for (size_t i = begin; i <= end && i < row->count; i++) {
		curve_merge(&sum, &row->cells[i]);
		bool is_last = i == end || i + 1 == row->count || (i + 1) % joined == 0;

		if (is_last && sum.count > 0) {
			put_cell(p, &sum, is_first);
			is_first = false;
			sum = (struct curve_cell){ 0 };
		}
	}
}

/* Writes a row of the pass: the value before the time, and what is in it. */
static void put_row(const struct put *p, const struct curve *far, size_t i)
{
	const struct curve_row *like = &far->rows.items[i];
	const struct curve_row *before = find_row(&p->near->before, like);
	const struct curve_row *row = find_row(p->cells, like);
	const struct curve_cell *last =
		before ? &before->cells[0] : curve_before(far, i, p->near->range.from);

	out_printf(p->out, "%s{\"process\":%zu,\"before\":", i ? "," : "",
		process_of(p->viewer, like));
	if (last) {
		out_printf(p->out, "%.15g", last->last);
	} else {
		out_str(p->out, "null");
	}
	out_str(p->out, ",\"items\":[");
	if (row) {
		put_cells(p, row);
	}
	out_str(p->out, "]}");
}

static void put_curve(struct viewer *v, struct view_curve *c, struct near_curve *n, struct out *out)
{
	bool is_near = try_near(v, c, n);

	pthread_mutex_lock(&c->pass.lock);
	const struct put p = { v, n, is_near ? &n->in : &c->far, out };

	out_printf(out, "{\"done\":%s,\"near\":%s,\"left\":%" PRIu64 ",\"rows\":[",
		c->pass.is_done ? "true" : "false", is_near ? "true" : "false", c->far.left);
	for (size_t i = 0; i < c->far.rows.count; i++) {
		put_row(&p, &c->far, i);
	}
	pthread_mutex_unlock(&c->pass.lock);
	out_str(out, "]}");
	curve_fini(&n->before);
	curve_fini(&n->in);
}

/* True if events that are known so far have the field, or any may still come. */
static bool is_field(struct viewer *v, const char *text)
{
	struct view_curve like = { 0 };
	const char *point = text ? strrchr(text, '.') : NULL;
	bool is_found = false;

	if (!point) {
		return false;
	}
	like.event = copy(text, (size_t)(point - text));
	like.field = copy(point + 1, strlen(point + 1));
	viewer_lock(v);
	vec_foreach (struct event_class *const *, class, &v->session->reader->classes.all) {
		const struct arg *arg = field_of(&like, *class);

		is_found = is_found || (arg && is_number(arg));
	}
	viewer_unlock(v);
	free(like.event);
	free(like.field);
	return is_found;
}

unsigned int answer_curve(struct viewer *v, const struct question *q, struct out *out)
{
	const char *text = q->get(q->data, "field");
	struct near_curve n = { 0 };
	if (!question_range(v, q, &n.range)) {
		return answer_refuse(out, "from, to", "two times in ns, the earlier one first");
	}
	if (!question_columns(q, &n.columns)) {
		return answer_refuse(out, "columns", COLUMNS_WANTED);
	}
	if (!is_field(v, text)) {
		return answer_refuse(out, "field", "EVENT.FIELD, of a number");
	}
	viewer_lock(v);
	struct view_curve *c = find_curve(v, text);

	viewer_unlock(v);
	if (!c) {
		return answer_refuse(out, "field", "at most 16 curves");
	}
	if (q->waits) {
		view_pass_wait(&c->pass);
	}
	put_curve(v, c, &n, out);
	return 200;
}

/* ---- All fields ---- */

/* True if an option asks for a field. */
static bool is_wanted(
	const struct viewer *v, const struct event_class *class, const struct arg *arg)
{
	vec_foreach (const struct timeline_counter *, c, &v->counters.all) {
		if (strcmp(c->field, arg->name) == 0 &&
			name_pattern_meets(&c->event, class->name)) {
			return true;
		}
	}
	return false;
}

static void make_name(struct out *name, const struct event_class *class, const struct arg *arg)
{
	out_init(name, OUT_TO_MEMORY);
	out_printf(name, "%s.%s", class->name, arg->name);
	out_char(name, 0);
}

static void put_field(const struct viewer *v, const struct event_class *class,
	const struct arg *arg, struct out *out)
{
	const struct unit *unit = arg->unit ? unit_find(arg->unit, strlen(arg->unit)) : NULL;
	struct out name;

	make_name(&name, class, arg);
	out_str(out, "{\"field\":");
	json_out_string(out, name.data);
	out_str(out, ",\"unit\":");
	json_out_string(out, arg->unit ? arg->unit : "");
	out_printf(out, ",\"scale\":%" PRIu64 ",\"time\":%s,\"wanted\":%s}", unit ? unit->scale : 0,
		unit && unit->is_time ? "true" : "false",
		is_wanted(v, class, arg) ? "true" : "false");
	out_fini(&name);
}

unsigned int answer_fields(struct viewer *v, const struct question *q, struct out *out)
{
	bool is_first = true;

	(void)q;
	out_char(out, '[');
	viewer_lock(v);
	vec_foreach (struct event_class *const *, class, &v->session->reader->classes.all) {
		const struct event *e = (*class)->event;

		for (size_t i = 0; e && i < e->arg_count; i++) {
			if (is_number(&e->args[i])) {
				out_str(out, is_first ? "" : ",");
				put_field(v, *class, &e->args[i], out);
				is_first = false;
			}
		}
	}
	viewer_unlock(v);
	out_char(out, ']');
	return 200;
}

void view_wanted_fields(struct viewer *v, view_name_fn *put, void *data)
{
	struct out name;

	vec_foreach (struct event_class *const *, class, &v->session->reader->classes.all) {
		const struct event *e = (*class)->event;

		for (size_t i = 0; e && i < e->arg_count; i++) {
			if (is_number(&e->args[i]) && is_wanted(v, *class, &e->args[i])) {
				make_name(&name, *class, &e->args[i]);
				put(data, name.data);
				out_fini(&name);
			}
		}
	}
}
