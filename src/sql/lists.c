/* SPDX-License-Identifier: MIT */
/*
 * The tables of list_rows.c as SQLite calls them. They have no conditions of their own: SQLite
 * tests all. Rows that are scanned again are kept, see kept.h.
 */
#include "sql/lists.h"

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
