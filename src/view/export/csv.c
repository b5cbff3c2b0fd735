/* SPDX-License-Identifier: MIT */
/*
 * Comma-separated values (RFC 4180): a line of titles, and a line for each event. Its fields are
 * columns if they were chosen, or if only one event is selected; else they are one column, a JSON
 * object. Control characters are escaped as in `waymark print`, so that a row is a line. Gaps have
 * no row.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "text/csv.h"
#include "view/export/cell.h"
#include "view/export/export.h"
#include "view/message/json.h"
#include "view/message/message.h"
#include "view/message/number.h"
#include "view/message/steps.h"
#include "view/timestamp.h"

/* Bytes of a row without names and texts. */
#define ROW_ROOM 256

struct csv_class {
	int *columns; /* the argument in each column, or -1; NULL: not examined */
	struct message *object; /* the fields as JSON */
};

struct csv {
	struct export *export;
	struct arena arena;
	struct timestamp time;
	const char *const *fields; /* the columns */
	size_t field_count; /* 0: one column for all */
	VEC(const char *) own; /* the columns if they were not chosen */
	VEC(struct csv_class) classes; /* by class index */
	struct out text; /* a text before it is quoted */
	bool has_titles;
};

/* Writes a cell of any bytes. */
static void put_escaped(struct csv *c, const char *text, size_t length)
{
	c->text.len = 0;
	char *begin = out_reserve(&c->text, ESCAPE_MAX * length + 8);
	size_t n = (size_t)(message_escape(begin, text, length) - begin);

	csv_put(c->export->out, begin, n);
}

static void put_name(struct csv *c, const char *name)
{
	put_escaped(c, name, strlen(name));
}

/* ---- Columns ---- */

/* Takes the fields of the selected event, of all classes that have its name, as columns. */
static void choose_own(struct csv *c)
{
	vec_foreach (struct event_class *const *, it, &c->export->reader->classes.all) {
		const struct event *e = (*it)->event;

		for (size_t i = 0;
			e && i < e->arg_count && strcmp((*it)->name, c->export->event) == 0; i++) {
			bool is_known = false;

			vec_foreach (const char **, own, &c->own) {
				is_known = is_known || strcmp(*own, e->args[i].name) == 0;
			}
			if (!is_known) {
				vec_push(&c->own, e->args[i].name);
			}
		}
	}
	c->fields = c->own.items;
	c->field_count = c->own.count;
}

static void put_titles(struct csv *c)
{
	struct out *out = c->export->out;

	c->has_titles = true;
	if (c->field_count == 0 && c->export->event) {
		choose_own(c);
	}
	out_str(out, c->export->reader->has_hosts ? "time,host,process,pid,tid,event"
						  : "time,process,pid,tid,event");
	for (size_t i = 0; i < c->field_count; i++) {
		out_char(out, ',');
		put_name(c, c->fields[i]);
	}
	out_str(out, c->field_count ? "\n" : ",fields\n");
}

/* ---- Classes ---- */

static char *put_raw(char *out, const struct message *m, const struct record *rec)
{
	(void)m;
	for (size_t i = 0; i < rec->payload_size; i++) {
		out = number_hex(out, rec->payload[i], 2);
	}
	memcpy(out, "\"}", 2);
	return out + 2;
}

static struct message *make_object(struct csv *c, const struct event_class *class)
{
	const struct message_look look = { .has_names = true };
	struct message *m = arena_new(&c->arena, struct message);
	struct steps s;

	steps_init(&s, m, &c->arena, class);
	m->put_raw = class->event ? NULL : put_raw;
	m->expansion = JSON_EXPANSION;
	out_str(&s.text, class->event ? "{" : "{\"raw\":\"");
	message_add_members(&s, &look, c->export->reader->form);
	message_add_cut(&s);
	out_str(&s.text, class->event ? "}" : "");
	steps_add(&s, (struct message_step){ .op = MESSAGE_END });
	steps_link(&s, c->export->reader->form);
	return m;
}

static COLD void examine(struct csv *c, const struct event_class *class)
{
	vec_reach(&c->classes, class->index);
	struct csv_class *to = &c->classes.items[class->index];

	to->columns = arena_array(&c->arena, int, c->field_count + 1);
	for (size_t i = 0; i < c->field_count; i++) {
		to->columns[i] = class->event ? event_find_arg(class->event, c->fields[i],
							strlen(c->fields[i]))
					      : -1;
	}
	to->object = c->field_count == 0 ? make_object(c, class) : NULL;
}

static const struct csv_class *class_of(struct csv *c, const struct event_class *class)
{
	if (UNLIKELY(class->index >= c->classes.count || !c->classes.items[class->index].columns)) {
		examine(c, class);
	}
	return &c->classes.items[class->index];
}

/* ---- Rows ---- */

static char *put_number(char *out, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_SIGNED:
		return number_signed(out, (int64_t)cell->number);
	case CELL_BOOL:
		memcpy(out, cell->number ? "true" : "false", 5);
		return out + (cell->number ? 4 : 5);
	case CELL_POINTER:
		memcpy(out, "0x", 2);
		return number_hex(out + 2, cell->number, 1);
	case CELL_DOUBLE:
		return number_real(out, cell->real);
	default:
		return number_decimal(out, cell->number);
	}
}

static void put_hex(struct out *out, const struct cell *cell)
{
	char *begin = out_reserve(out, 2 * cell->length + NUMBER_ROOM);
	char *end = begin;

	for (size_t i = 0; i < cell->length; i++) {
		end = number_hex(end, (unsigned char)cell->text[i], 2);
	}
	out_advance(out, (size_t)(end - begin));
}

static void put_cell(struct csv *c, const struct cell *cell)
{
	struct out *out = c->export->out;
	char *begin;

	switch (cell->kind) {
	case CELL_NULL:
		return;
	case CELL_TEXT:
		put_escaped(c, cell->text, cell->length);
		return;
	case CELL_BYTES:
		put_hex(out, cell);
		return;
	default:
		begin = out_reserve(out, ROW_ROOM);
		out_advance(out, (size_t)(put_number(begin, cell) - begin));
	}
}

static void put_columns(struct csv *c, const struct record *rec, const struct csv_class *class)
{
	const struct value *values =
		rec->class->event ? reader_values(c->export->reader, rec) : NULL;

	for (size_t i = 0; i < c->field_count; i++) {
		int arg = class->columns[i];
		struct cell cell;

		out_char(c->export->out, ',');
		if (arg >= 0) {
			cell_set(&cell, &rec->class->event->args[arg], &values[arg], true);
			put_cell(c, &cell);
			cell_fini(&cell);
		}
	}
}

static void put_object(struct csv *c, const struct record *rec, const struct message *m)
{
	const void *args = m->direct	? (const void *)rec->payload
			   : m->put_raw ? NULL
					: reader_values(c->export->reader, rec);

	c->text.len = 0;
	char *begin = out_reserve(&c->text, message_room(m, rec, args));
	char *end = message_render(begin, m, rec, args);

	out_char(c->export->out, ',');
	csv_put(c->export->out, begin, (size_t)(end - begin));
}

/* Writes the columns before the fields. */
static void put_head(struct csv *c, const struct record *rec)
{
	const struct reader *r = c->export->reader;
	const struct trace_info *info = &r->traces[rec->trace];
	struct out *out = c->export->out;
	bool is_known = reader_knows_pid(r, rec->trace, rec->pid);
	char *to = out_reserve(out, ROW_ROOM);

	timestamp_see(&c->time, rec->ns);
	if (!timestamp_is_ready(&c->time, rec->ns)) {
		timestamp_prepare(&c->time, rec->ns);
	}
	char *end = timestamp_put(&c->time, to, rec->ns);

	*end++ = ',';
	out_advance(out, (size_t)(end - to));
	if (r->has_hosts) {
		put_name(c, info->hostname);
		out_char(out, ',');
	}
	if (info->procname && (info->pid == rec->pid || !is_known)) {
		put_name(c, info->procname);
	}
	to = end = out_reserve(out, ROW_ROOM);
	*end++ = ',';
	end = is_known ? number_decimal(end, rec->pid) : end;
	*end++ = ',';
	end = rec->tid ? number_decimal(end, rec->tid) : end;
	*end++ = ',';
	out_advance(out, (size_t)(end - to));
	put_name(c, rec->class->name);
}

static void put_row(struct csv *c, const struct record *rec)
{
	const struct csv_class *class = class_of(c, rec->class);

	put_head(c, rec);
	if (class->object) {
		put_object(c, rec, class->object);
	} else {
		put_columns(c, rec, class);
	}
	out_char(c->export->out, '\n');
}

/* ---- The format ---- */

static void *begin(struct export *e)
{
	struct csv *c = xcalloc(1, sizeof(*c));

	c->export = e;
	c->fields = e->fields;
	c->field_count = e->field_count;
	arena_init(&c->arena);
	out_init(&c->text, OUT_TO_MEMORY);
	timestamp_init(&c->time, TIMESTAMP_ABSOLUTE, "", false);
	return c;
}

static bool put(void *state, const struct record *records, size_t count)
{
	struct csv *c = state;

	if (UNLIKELY(!c->has_titles)) {
		put_titles(c);
	}
	for (size_t i = 0; i < count; i++) {
		if (UNLIKELY(records[i].kind == RECORD_GAP)) {
			losses_add(&c->export->unreported, &records[i].gap);
		} else {
			put_row(c, &records[i]);
		}
	}
	return true;
}

static bool end(void *state)
{
	struct csv *c = state;

	if (!c->has_titles) {
		put_titles(c);
	}
	vec_fini(&c->own);
	vec_fini(&c->classes);
	out_fini(&c->text);
	arena_fini(&c->arena);
	free(c);
	return true;
}

const struct export_format export_csv = {
	.name = "csv",
	.help = "a row an event, with a column for each of --fields or of the only --event",
	.has_fields = true,
	.begin = begin,
	.put = put,
	.end = end,
};
