/* SPDX-License-Identifier: MIT */
/*
 * The tables beside those of events (view/lists.h): their rows, read from the traces, and the
 * tables as SQLite calls them. They have no conditions of their own: SQLite tests all. Rows that
 * are scanned again are kept, see kept.h.
 */
#include <string.h>

#include "sql/kept.h"
#include "view/lists.h"
#include "view/path.h"

struct list;

/* A life that has ended, and its texts. */
struct ended_life {
	struct life life;
	char *key;
	char *path;
};

struct list_cursor {
	sqlite3_vtab_cursor base;
	const struct list *list;
	struct sql_source *source;
	struct kept_rows *kept; /* of the table */
	bool is_kept; /* rows come from there, not from the scan */
	struct sql_scan scan;
	bool is_scanning;
	struct record records[SCAN_FEW];
	size_t count;
	size_t at;
	size_t index; /* of a row, an event or a scope without end */
	size_t field;
	int64_t row;
	bool is_at_end;
	struct list_row made;
	struct cell cells[LIST_VALUES]; /* of it */
	struct summary summary;
	struct pairs pairs;
	bool has_pairs;
	bool has_summary;
	VEC(struct scope_span) open; /* scopes that have not ended, at the end */
	struct lives lives;
	struct lives_options lives_options;
	bool has_lives;
	bool is_life_over; /* all records were added */
	VEC(struct ended_life) ended; /* rows to come; `index` is the next one */
};

/* How a table is read. */
struct list {
	bool needs_events; /* else gaps are enough */
	void (*begin)(struct list_cursor *c);
	/* Fills the cells of the next row; false at the end. */
	bool (*next)(struct list_cursor *c);
};

/* ---- Rows: a function begins those of a list, another makes the next one ---- */

/* Takes the values of the row that was made. */
static bool take_row(struct list_cursor *c)
{
	for (size_t i = 0; i < c->made.count; i++) {
		const struct list_value *v = &c->made.values[i];

		if (v->is_integer) {
			c->cells[i] = (struct cell){ .integer = v->integer, .type = CELL_INTEGER };
		} else if (v->text) {
			c->cells[i] = (struct cell){
				.text = v->text, .length = (int)strlen(v->text), .type = CELL_TEXT
			};
		} else {
			c->cells[i] = (struct cell){ .type = CELL_NULL };
		}
	}
	return true;
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
			list_gap(&c->made, rec);
			return take_row(c);
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
			const struct scope_span *s = &c->pairs.span;

			list_scope(&c->made, c->pairs.names.items[s->key.name], s, 0);
			return take_row(c);
		}
	}
	if (c->index == 0) {
		pairs_unfinished(&c->pairs, note_open, c);
	}
	if (c->index < c->open.count) {
		const struct scope_span *s = &c->open.items[c->index++];

		list_scope(&c->made, c->pairs.names.items[s->key.name], s,
			1 + pairs_is_doubtful(&c->pairs, s));
		return take_row(c);
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
	const struct ended_life *e = &c->ended.items[c->index++];

	list_life(&c->made, lives_kind_name(&c->lives, &e->life), &e->life, e->key, e->path);
	return take_row(c);
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
	list_thread(&c->made, &c->summary.threads.items[c->index++]);
	return take_row(c);
}

static bool next_process(struct list_cursor *c)
{
	if (c->index == c->scan.reader->trace_count) {
		return false;
	}
	list_process(&c->made, &c->summary, c->index++);
	return take_row(c);
}

/* ---- declarations ---- */

static bool next_declaration(struct list_cursor *c)
{
	/* Not the scan's reader: it may meet events only with their records. */
	const struct class_table *classes = &c->source->reader->classes;

	if (c->index == classes->all.count) {
		return false;
	}
	const struct event_class *class = classes->all.items[c->index];
	const struct event *e = class->event;

	list_declaration(&c->made, class, c->field);
	if (!e || c->field + 1 >= e->arg_count) {
		c->field = 0;
		c->index++;
	} else {
		c->field++;
	}
	return take_row(c);
}

/* ---- All ---- */

static void list_forget(struct list_cursor *c)
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

static const struct list sql_lists[LIST_KINDS] = {
	[LIST_GAPS] = { false, NULL, next_gap },
	[LIST_SCOPES] = { true, begin_scopes, next_scope },
	[LIST_LIVES] = { true, begin_lives, next_life },
	[LIST_THREADS] = { true, begin_summary, next_thread },
	[LIST_PROCESSES] = { true, begin_summary, next_process },
	[LIST_DECLARATIONS] = { false, NULL, next_declaration },
};

/* A connected table, and what it is made of. */
struct list_table {
	sqlite3_vtab base;
	const struct list *list;
	struct sql_source *source;
};

/* The argument of connect(). */
struct list_of_source {
	const struct list *list;
	struct sql_source *source;
};

static int connect(sqlite3 *db, void *data, int argc, const char *const *argv, sqlite3_vtab **vtab,
	char **error)
{
	const struct list_of_source *of = data;
	char *declaration =
		sqlite3_mprintf("CREATE TABLE x(%s)", list_columns[of->list - sql_lists]);
	int result = declaration ? sqlite3_declare_vtab(db, declaration) : SQLITE_NOMEM;

	(void)argc;
	(void)argv;
	(void)error;
	sqlite3_free(declaration);
	if (result == SQLITE_OK) {
		struct list_table *table = xcalloc(1, sizeof(*table));

		table->list = of->list;
		table->source = of->source;
		*vtab = &table->base;
	}
	return result;
}

static int disconnect(sqlite3_vtab *vtab)
{
	free(vtab);
	return SQLITE_OK;
}

static int best(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	(void)vtab;
	info->estimatedCost = 1e6;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
	const struct list_table *table = (const struct list_table *)vtab;
	struct list_cursor *c = xcalloc(1, sizeof(*c));

	c->list = table->list;
	c->source = table->source;
	c->kept = &c->source->lists[c->list - sql_lists];
	sql_open_cursor(c->source);
	out_init(&c->made.text, OUT_TO_MEMORY);
	*cursor = &c->base;
	return SQLITE_OK;
}

static void reset(struct list_cursor *c)
{
	list_forget(c);
	if (c->is_scanning) {
		sql_scan_fini(&c->scan);
	}
	c->is_scanning = c->is_at_end = c->is_kept = false;
	c->count = c->at = c->index = c->field = 0;
	c->row = 0;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct list_cursor *c = (struct list_cursor *)base;

	reset(c);
	vec_fini(&c->open);
	vec_fini(&c->ended);
	out_fini(&c->made.text);
	sql_close_cursor(c->source);
	free(c);
	return SQLITE_OK;
}

static int fail(struct list_cursor *c, const char *why)
{
	sqlite3_free(c->base.pVtab->zErrMsg);
	c->base.pVtab->zErrMsg = sqlite3_mprintf("%s", why);
	return SQLITE_ERROR;
}

static int next_row(struct list_cursor *c)
{
	c->is_at_end = !c->list->next(c);
	if (c->has_lives && *c->lives.error) {
		return fail(c, c->lives.error);
	}
	return c->scan.is_interrupted ? SQLITE_INTERRUPT : SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct list_cursor *c = (struct list_cursor *)base;

	c->row++;
	if (c->is_kept) {
		c->is_at_end = (size_t)c->row > kept_row_count(c->kept);
		return SQLITE_OK;
	}
	return next_row(c);
}

static bool needs_no_class(void *data, const struct event_class *class)
{
	(void)data;
	(void)class;
	return false;
}

static int begin_scan(struct list_cursor *c)
{
	reset(c);
	sql_scan_init(&c->scan, c->source);
	c->is_scanning = true;
	c->scan.filter.needs_class = c->list->needs_events ? NULL : needs_no_class;
	if (!sql_scan_open(&c->scan)) {
		return fail(c, c->scan.error.text);
	}
	c->made.reader = c->scan.reader;
	c->made.path = c->source->paths[0];
	if (c->list->begin) {
		c->list->begin(c);
	}
	return SQLITE_OK;
}

static size_t column_count(const struct list *list)
{
	size_t count = 1;

	for (const char *p = list_columns[list - sql_lists]; *p; p++) {
		count += *p == ',';
	}
	return count;
}

/* Keeps all rows, unless they are too large. */
static int keep_rows(struct list_cursor *c)
{
	int result = begin_scan(c);
	bool has_room = true;

	kept_begin(c->kept, column_count(c->list));
	while (result == SQLITE_OK && has_room && (result = next_row(c)) == SQLITE_OK &&
		!c->is_at_end) {
		has_room = kept_add(c->kept, c->source, c->cells);
	}
	c->kept->is_complete = result == SQLITE_OK && has_room;
	if (result != SQLITE_OK) {
		kept_clear(c->kept, c->source);
	}
	return result;
}

static int filter(
	sqlite3_vtab_cursor *base, int number, const char *plan, int argc, sqlite3_value **argv)
{
	struct list_cursor *c = (struct list_cursor *)base;
	bool is_again = c->kept->scans++ > 0;
	int result = SQLITE_OK;

	(void)number;
	(void)plan;
	(void)argc;
	(void)argv;
	if (is_again && !c->kept->is_complete && !c->kept->is_too_large) {
		result = keep_rows(c);
	}
	if (result == SQLITE_OK && !c->kept->is_complete) {
		result = begin_scan(c);
	} else {
		reset(c);
		c->is_kept = true;
	}
	return result == SQLITE_OK ? next(base) : result;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((const struct list_cursor *)base)->is_at_end;
}

static int show(sqlite3_vtab_cursor *base, sqlite3_context *to, int column)
{
	const struct list_cursor *c = (const struct list_cursor *)base;
	size_t before = c->is_kept ? (size_t)(c->row - 1) * c->kept->columns : 0;
	const struct cell *row = c->is_kept ? &c->kept->cells.items[before] : c->cells;

	cell_show(&row[column], to);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *row)
{
	*row = ((const struct list_cursor *)base)->row;
	return SQLITE_OK;
}

int sql_add_lists(sqlite3 *db, struct sql_source *s)
{
	static const sqlite3_module module = {
		.xConnect = connect,
		.xBestIndex = best,
		.xDisconnect = disconnect,
		.xDestroy = disconnect,
		.xOpen = open_cursor,
		.xClose = close_cursor,
		.xFilter = filter,
		.xNext = next,
		.xEof = is_at_end,
		.xColumn = show,
		.xRowid = rowid,
	};

	s->list_count = LIST_KINDS;
	s->lists = arena_array(&s->arena, struct kept_rows, LIST_KINDS);
	for (size_t i = 0; i < LIST_KINDS; i++) {
		struct list_of_source *of = arena_new(&s->arena, struct list_of_source);

		of->list = &sql_lists[i];
		of->source = s;
		int result = sqlite3_create_module(db, list_names[i], &module, of);

		if (result != SQLITE_OK) {
			return result;
		}
	}
	return SQLITE_OK;
}
