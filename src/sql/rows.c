/* SPDX-License-Identifier: MIT */
/*
 * The rows of a table of events. A cursor reads records in batches; rows that fail the query's
 * conditions never reach SQLite, and a field is decoded only when a query asks for it. A number in
 * a native trace is loaded from its packet, without decoding the rest of the event.
 */
#include "sql/events.h"

#include <string.h>

#include "base/utf8.h"
#include "read/merge.h"
#include "read/where.h"

/* ---- The records for one query ---- */

void sql_scan_init(struct sql_scan *s, const struct sql_source *source)
{
	*s = (struct sql_scan){ .source = source };
	if (source->selection) {
		filter_copy(&s->filter, source->selection);
	} else {
		filter_init(&s->filter);
	}
}

bool sql_scan_open(struct sql_scan *s)
{
	const struct sql_source *source = s->source;
	const struct reader_options options = { .declarations = source->declarations };

	s->reader = merge_open(source->paths, source->count, &options, &s->error);
	if (!s->reader) {
		return false;
	}
	filter_start(&s->filter, s->reader);
	filter_limit(&s->filter);
	s->filters = !filter_is_empty(&s->filter);
	return true;
}

void sql_scan_fini(struct sql_scan *s)
{
	filter_fini(&s->filter);
	reader_close(s->reader);
	s->reader = NULL;
}

/* Returns the next records, at most SCAN_FEW; 0 at the end. */
static size_t next_few(struct sql_scan *s, struct record *records)
{
	enum read_result result;
	size_t count;

	do {
		count = reader_few(s->reader, records, SCAN_FEW, &result);
		if (result == READ_PROBLEM || result == READ_DAMAGED) {
			s->source->report(s->source->data, &s->reader->error);
		}
	} while (result == READ_PROBLEM);
	return count;
}

size_t sql_scan_few(struct sql_scan *s, struct record *records)
{
	size_t kept = 0;

	while (kept == 0) {
		s->is_interrupted = sql_is_interrupted(s->source);
		size_t count = s->is_interrupted ? 0 : next_few(s, records);

		if (count == 0) {
			return 0;
		}
		kept = s->filters ? filter_keep(&s->filter, records, count) : count;
	}
	return kept;
}

/*
 * Of this many rows that fail the conditions, SQLite gets the last one, which it drops itself:
 * between two rows it looks whether it was interrupted.
 */
#define DROPPED_MAX 4096

/* ---- Classes ---- */

static bool is_event_of(const struct events_cursor *c, const char *name)
{
	if (c->table->event) {
		return strcmp(name, c->table->event) == 0;
	}
	if (!c->pattern) {
		return true;
	}
	switch (c->pattern_kind) {
	case PATTERN_LIKE:
		return sqlite3_strlike(c->pattern, name, 0) == 0;
	case PATTERN_GLOB:
		return sqlite3_strglob(c->pattern, name) == 0;
	default:
		return strcmp(c->pattern, name) == 0;
	}
}

static bool needs_class(void *cursor, const struct event_class *class)
{
	return is_event_of(cursor, class->name);
}

static void set_places(struct events_cursor *c, struct fit *f, const struct event_class *class)
{
	const struct sql_events *t = c->table;

	f->places = arena_array(&c->arena, struct place, t->columns.count);
	for (size_t i = 0; i < t->columns.count; i++) {
		const struct sql_column *column = &t->columns.items[i];
		int arg = -1;

		if (column->field && class->event) {
			arg = event_find_arg(class->event, column->field, strlen(column->field));
		}
		f->places[i] = place_of(c->scan.reader, class, arg);
	}
}

/* Returns the index of the first class that has the name of this one. */
static size_t first_of_name(const struct reader *r, const struct event_class *class)
{
	size_t i = 0;

	while (strcmp(r->classes.all.items[i]->name, class->name) != 0) {
		i++;
	}
	return i;
}

static NOINLINE struct fit *meet_class(struct events_cursor *c, const struct event_class *class)
{
	vec_reach(&c->fits, class->index);
	struct fit *f = &c->fits.items[class->index];

	if (!f->is_known) {
		f->is_known = true;
		f->is_wanted = is_event_of(c, class->name);
		if (f->is_wanted) {
			set_places(c, f, class);
			f->name = first_of_name(c->scan.reader, class);
		}
	}
	return f;
}

const struct fit *events_fit(struct events_cursor *c, const struct event_class *class)
{
	bool is_met = class->index < c->fits.count && c->fits.items[class->index].is_known;

	return LIKELY(is_met) ? &c->fits.items[class->index] : meet_class(c, class);
}

/* ---- Values ---- */

static const struct value *values_of(struct events_cursor *c)
{
	if (!c->values) {
		c->values = reader_values(c->scan.reader, c->rec);
	}
	return c->values;
}

static struct expr_value field_value(struct events_cursor *c, const struct place *p)
{
	const struct type *t = &p->arg->type;

	if (LIKELY(p->is_direct)) {
		return expr_integer(place_load(p, c->rec), t->is_signed);
	}
	return where_value(t, &values_of(c)[p->index]);
}

/* ---- Columns ---- */

static struct cell text_cell(const char *text, size_t length)
{
	return (struct cell){ .text = text, .length = (int)length, .type = CELL_TEXT };
}

/* Makes a cell of the text that `c->text` holds. */
static struct cell made_cell(const struct events_cursor *c)
{
	return text_cell(c->text.data, c->text.len);
}

static const struct trace_info *trace_of(const struct events_cursor *c)
{
	return &c->scan.reader->traces[c->rec->trace];
}

/* Returns a value that is neither a number of 64 bits nor a text. */
static struct cell odd_cell(struct events_cursor *c, const struct place *p)
{
	const struct value *v = &values_of(c)[p->index];

	if (v->kind == VALUE_ABSENT || (v->kind == VALUE_STRING && !v->text)) {
		return (struct cell){ .type = CELL_NULL };
	}
	if (p->arg->type.class == TYPE_BYTES) {
		return (struct cell){
			.text = v->text, .length = (int)v->length, .type = CELL_BLOB
		};
	}
	char *text = message_value_text(p->arg, v);

	c->text.len = 0;
	out_str(&c->text, text);
	free(text);
	return made_cell(c);
}

/* Makes `c->text` the character that a value with its own kind is; false if it is another value. */
static bool is_character(struct events_cursor *c, const struct place *p)
{
	char character[UTF8_MAX];
	size_t length = message_put_character(character, &values_of(c)[p->index]);

	c->text.len = 0;
	out_bytes(&c->text, character, length);
	return length > 0;
}

static struct cell field_cell(struct events_cursor *c, const struct place *p)
{
	if (!p->arg) {
		return (struct cell){ .type = CELL_NULL };
	}
	if (!p->is_direct && values_of(c)[p->index].kind == VALUE_PAIR) {
		return odd_cell(c, p); /* all digits, which a double has not */
	}
	if (p->arg->type.class == TYPE_DEBUG && is_character(c, p)) {
		return made_cell(c);
	}
	struct expr_value v = field_value(c, p);

	if (LIKELY(v.type == EXPR_INTEGER)) {
		return (struct cell){ .integer = (int64_t)v.as.integer, .type = CELL_INTEGER };
	}
	if (v.type == EXPR_FLOAT) {
		return (struct cell){ .real = v.as.number, .type = CELL_REAL };
	}
	bool is_text = v.type == EXPR_TEXT && v.as.text && p->arg->type.class != TYPE_BYTES;

	return is_text ? text_cell(v.as.text, v.length) : odd_cell(c, p);
}

struct cell events_names(struct events_cursor *c, const struct arg *arg, uint64_t v)
{
	c->text.len = 0;
	char *begin = out_reserve(&c->text, message_names_room(arg->names));
	char *end = message_put_names(begin, arg, v);

	out_advance(&c->text, (size_t)(end - begin));
	return made_cell(c);
}

static struct cell names_cell(struct events_cursor *c, const struct place *p)
{
	struct expr_value v = { .type = EXPR_NONE };

	if (p->arg && p->arg->names) {
		v = field_value(c, p);
	}
	return v.type == EXPR_INTEGER ? events_names(c, p->arg, v.as.integer)
				      : (struct cell){ .type = CELL_NULL };
}

static struct cell message_cell(struct events_cursor *c)
{
	struct fit *f = &c->fits.items[c->rec->class->index];

	if (!f->message) {
		f->message = arena_new(&c->arena, struct message);
		message_compile(f->message, &c->arena, c->rec->class, "", VALUES_ANY);
		f->message->swap = c->scan.reader->swap;
	}
	const struct value *values = c->rec->class->event ? values_of(c) : NULL;

	c->text.len = 0;
	char *begin = out_reserve(&c->text, message_room(f->message, c->rec, values));
	char *end = message_render(begin, f->message, c->rec, values);

	out_advance(&c->text, (size_t)(end - begin));
	return made_cell(c);
}

static struct cell json_cell(struct events_cursor *c)
{
	if (!c->has_lines) {
		c->has_lines = true;
		lines_init(&c->lines, &c->text, c->scan.reader, &lines_json, TIMESTAMP_ABSOLUTE);
	}
	c->text.len = 0;
	lines_put_few(&c->lines, c->rec, 1);
	c->text.len--; /* the newline */
	return made_cell(c);
}

struct cell events_cell(struct events_cursor *c, size_t column)
{
	const struct place *p = &c->fit->places[column];
	const char *text = NULL;

	switch (c->table->columns.items[column].kind) {
	case COLUMN_TIME:
		return (struct cell){ .integer = (int64_t)c->rec->ns, .type = CELL_INTEGER };
	case COLUMN_PID:
		return (struct cell){ .integer = c->rec->pid, .type = CELL_INTEGER };
	case COLUMN_TID:
		return (struct cell){ .integer = c->rec->tid, .type = CELL_INTEGER };
	case COLUMN_FIELD:
		return field_cell(c, p);
	case COLUMN_NAMES:
		return names_cell(c, p);
	case COLUMN_MESSAGE:
		return message_cell(c);
	case COLUMN_JSON:
		return json_cell(c);
	case COLUMN_EVENT:
		text = c->rec->class->name;
		break;
	case COLUMN_PROCESS:
		text = trace_of(c)->procname;
		break;
	case COLUMN_HOST:
		text = trace_of(c)->hostname;
		break;
	case COLUMN_TRACE:
		text = trace_of(c)->path ? trace_of(c)->path : c->table->source->paths[0];
		break;
	}
	return text_cell(text, strlen(text));
}

void cell_show(const struct cell *cell, sqlite3_context *to)
{
	switch (cell->type) {
	case CELL_INTEGER:
		sqlite3_result_int64(to, cell->integer);
		break;
	case CELL_REAL:
		sqlite3_result_double(to, cell->real);
		break;
	case CELL_TEXT:
		sqlite3_result_text(to, cell->text, cell->length, SQLITE_TRANSIENT);
		break;
	case CELL_BLOB:
		sqlite3_result_blob(to, cell->text, cell->length, SQLITE_TRANSIENT);
		break;
	default:
		sqlite3_result_null(to);
	}
}

/* ---- Rows ---- */

/* A hash of where the record is, as a count of rows depends on what a scan leaves out. */
int64_t events_row(const struct events_cursor *c)
{
	const struct record *rec = c->rec;
	uint64_t row = mix_bits((uint64_t)rec->trace << 32 | rec->tid);

	row = mix_bits(row + rec->offset);
	row = mix_bits(row + rec->ns);
	return (int64_t)mix_bits(row + rec->class->index);
}

static bool meets(struct events_cursor *c, const struct condition *k)
{
	struct cell cell = events_cell(c, k->column);

	if (cell.type != CELL_INTEGER) {
		return cell.type != CELL_NULL; /* SQLite compares what is no integer */
	}
	return condition_is_met(k, cell.integer);
}

static bool meets_all(struct events_cursor *c)
{
	vec_foreach (const struct condition *, k, &c->conditions) {
		if (!meets(c, k)) {
			return false;
		}
	}
	return true;
}

/* Moves on in the batch, or to the next one. Returns false at the end. */
static bool advance(struct events_cursor *c)
{
	if (UNLIKELY(++c->at >= c->count)) {
		c->count = sql_scan_few(&c->scan, c->records);
		c->at = 0;
		if (c->count == 0) {
			return false;
		}
	}
	c->rec = &c->records[c->at];
	c->values = NULL;
	return true;
}

int events_next(struct events_cursor *c)
{
	unsigned int dropped = 0;

	while (advance(c)) {
		if (UNLIKELY(c->rec->kind != RECORD_EVENT)) {
			continue;
		}
		c->fit = events_fit(c, c->rec->class);
		if (c->fit->is_wanted && (meets_all(c) || ++dropped == DROPPED_MAX)) {
			return SQLITE_OK;
		}
	}
	c->is_at_end = true;
	return c->scan.is_interrupted ? SQLITE_INTERRUPT : SQLITE_OK;
}

int events_fail(struct events_cursor *c, const char *text)
{
	sqlite3_free(c->base.pVtab->zErrMsg);
	c->base.pVtab->zErrMsg = sqlite3_mprintf("%s", text);
	return SQLITE_ERROR;
}

void events_reset(struct events_cursor *c)
{
	if (c->has_lines) {
		lines_fini(&c->lines);
		c->has_lines = false;
	}
	sql_scan_fini(&c->scan);
	sqlite3_free(c->pattern);
	c->pattern = NULL;
	c->conditions.count = c->fits.count = 0;
	c->count = c->at = 0;
	c->is_at_end = false;
	arena_fini(&c->arena);
	arena_init(&c->arena);
	sql_scan_init(&c->scan, c->table->source);
}

bool events_open(struct events_cursor *c)
{
	c->scan.filter.needs_class = needs_class;
	c->scan.filter.needs_data = c;
	return sql_scan_open(&c->scan);
}

int events_begin(struct events_cursor *c)
{
	return events_open(c) ? events_next(c) : events_fail(c, c->scan.error.text);
}

struct events_cursor *events_cursor_new(struct sql_events *table)
{
	struct events_cursor *c = xcalloc(1, sizeof(*c));

	c->table = table;
	arena_init(&c->arena);
	out_init(&c->text, OUT_TO_MEMORY);
	return c;
}

void events_cursor_free(struct events_cursor *c)
{
	events_reset(c);
	sql_scan_fini(&c->scan);
	vec_fini(&c->fits);
	vec_fini(&c->conditions);
	out_fini(&c->text);
	arena_fini(&c->arena);
	free(c);
}
