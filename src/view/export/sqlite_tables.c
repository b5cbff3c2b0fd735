/* SPDX-License-Identifier: MIT */
/*
 * The database and its tables. SQLite makes the file, and at the end the tables: an event may be
 * declared once more, with further fields, until the last record. Names are those of the trace, in
 * quotes. SQLite does not distinguish capital letters, and some names are ours: if an event has a
 * field of such a name, our column gets a leading `_`; a name that is taken gets a number. The
 * names of a field's values are a column of their own, computed when it is read, so that the field
 * stays a number.
 */
#include "view/export/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"

/* ---- SQLite ---- */

/* Returns false, and sets the error unless there is one, if `result` is an error. */
static bool check(struct sqlite *s, sqlite3 *db, int result)
{
	bool ok = result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW;

	if (!ok && !s->has_failed) {
		s->has_failed = true;
		error_set(s->export->error, "cannot write the database: %s",
			db ? sqlite3_errmsg(db) : sqlite3_errstr(result));
	}
	return ok;
}

bool sqlite_check_file(struct sqlite *s, int error)
{
	if (error && !s->has_failed) {
		s->has_failed = true;
		error_set(s->export->error, "cannot write the database: %s", strerror(error));
	}
	return !error;
}

static bool run(struct sqlite *s, sqlite3 *db, const char *sql)
{
	return check(s, db, sqlite3_exec(db, sql, NULL, NULL, NULL));
}

/* Opens the file. The caller closes it, even after an error. */
static sqlite3 *open_database(struct sqlite *s)
{
	sqlite3 *db = NULL;
	const int how = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;

	if (check(s, NULL, sqlite3_open_v2(s->export->path, &db, how, NULL))) {
		run(s, db,
			"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
			"PRAGMA locking_mode = EXCLUSIVE;");
	}
	return db;
}

/* Runs statements on the file. */
static void run_alone(struct sqlite *s, const char *sql)
{
	sqlite3 *db = open_database(s);

	if (!s->has_failed) {
		run(s, db, sql);
	}
	sqlite3_close(db);
}

/* ---- Names ---- */

/* Returns the name in small letters, as SQLite compares names. */
static const char *folded(struct sqlite *s, const char *name)
{
	char *text = arena_strdup(&s->arena, name);

	for (char *c = text; *c; c++) {
		*c = *c >= 'A' && *c <= 'Z' ? (char)(*c | 0x20) : *c;
	}
	return text;
}

/* Returns the name, with a number if it is taken, and takes it. */
static const char *take_name(struct sqlite *s, struct hash *used, const char *name)
{
	const char *wanted = name;

	for (unsigned int i = 2; hash_get(used, folded(s, wanted)); i++) {
		wanted = arena_printf(&s->arena, "%s_%u", name, i);
	}
	hash_add(used, folded(s, wanted), used);
	return wanted;
}

/* Returns the name of an event's table. SQLite's own tables, which nobody can make, begin so. */
static const char *table_name(struct sqlite *s, const char *event)
{
	return strncasecmp(event, "sqlite_", 7) == 0 ? arena_printf(&s->arena, "_%s", event)
						     : event;
}

static void put_quoted(struct out *out, const char *text, char quote)
{
	out_char(out, quote);
	for (; *text; text++) {
		out_char(out, *text);
		if (*text == quote) {
			out_char(out, quote);
		}
	}
	out_char(out, quote);
}

static void put_column(struct out *out, const char *name)
{
	put_quoted(out, name, '"');
}

static void put_string(struct out *out, const char *text)
{
	put_quoted(out, text, '\'');
}

/* ---- Tables that every database has ---- */

/* A row's number is INTEGER PRIMARY KEY by itself. */
static const char columns_of_all[] =
	"time INTEGER, pid INTEGER, tid INTEGER, process TEXT, event TEXT, trace TEXT";

static struct sqlite_table *add_table(struct sqlite *s, const char *name)
{
	struct sqlite_table *t = arena_new(&s->arena, struct sqlite_table);

	t->name = name;
	hash_init(&t->used);
	hash_init(&t->fields);
	vec_push(&s->tables, t);
	return t;
}

bool sqlite_open(struct sqlite *s)
{
	char *sql = sqlite3_mprintf("PRAGMA page_size = %u; PRAGMA auto_vacuum = NONE;"
				    "PRAGMA encoding = 'UTF-8'; BEGIN EXCLUSIVE; COMMIT",
		DATABASE_PAGE);

	run_alone(s, sql); /* the first page */
	sqlite3_free(sql);
	s->fd = open(s->export->path, O_WRONLY | O_CLOEXEC);
	sqlite_check_file(s, s->fd < 0 ? errno : 0);
	sqlite_pages_begin(&s->pages, s->fd);
	for (int i = 0; i < LIST_COUNT; i++) {
		add_table(s, take_name(s, &s->used, i < LIST_KINDS ? list_names[i] : "events"));
	}
	return !s->has_failed;
}

/* ---- Columns of fields ---- */

/* Returns the type of a field's values; 0: each has its own, or none that SQLite has. */
static int type_of(const struct arg *arg)
{
	switch (arg->type.class) {
	case TYPE_FLOAT:
		return SQLITE_FLOAT;
	case TYPE_STRING:
	case TYPE_TEXT:
		return SQLITE_TEXT;
	case TYPE_BYTES:
		return SQLITE_BLOB;
	case TYPE_DEBUG:
		return 0;
	default:
		return type_is_pair(&arg->type) ? 0 : SQLITE_INTEGER;
	}
}

/* Writes the names of bits, each followed by a `|`, and the others as a number. */
static void put_bits(struct out *out, const char *column, const struct value_name *names)
{
	uint64_t known = 0;

	out_str(out, "iif(");
	put_column(out, column);
	out_str(out, " IS NULL, NULL, rtrim(");
	for (const struct value_name *v = names; v->name; v++) {
		if (v->value) {
			out_str(out, "iif(");
			put_column(out, column);
			out_printf(out, " & %" PRId64 " = %" PRId64 ", ", (int64_t)v->value,
				(int64_t)v->value);
			put_string(out, v->name);
			out_str(out, " || '|', '') || ");
			known |= v->value;
		}
	}
	out_str(out, "iif(");
	put_column(out, column);
	out_printf(out, " & %" PRId64 " <> 0, printf('0x%%x', ", (int64_t)~known);
	put_column(out, column);
	out_printf(out, " & %" PRId64 "), ''), '|'))", (int64_t)~known);
}

/* Writes the definition of the column that shows a field's value by its name. */
static void put_names(struct out *out, const char *name, const char *column, const struct arg *arg)
{
	put_column(out, name);
	out_str(out, " TEXT AS (CASE ");
	put_column(out, column);
	for (const struct value_name *v = arg->names; v->name; v++) {
		out_printf(out, " WHEN %" PRId64 " THEN ", (int64_t)v->value);
		put_string(out, v->name);
	}
	out_str(out, arg->is_flags ? " WHEN 0 THEN '0' ELSE " : " ELSE ");
	if (arg->is_flags) {
		put_bits(out, column, arg->names);
	} else {
		out_str(out, "CAST(");
		put_column(out, column);
		out_str(out, " AS TEXT)");
	}
	out_str(out, " END) VIRTUAL");
}

/* Returns the definition of the column of names; NULL: a field has none. */
static const char *names_of(
	struct sqlite *s, struct sqlite_table *t, const char *column, const struct arg *arg)
{
	struct out sql;

	if (!arg->names || !type_is_number(&arg->type)) {
		return NULL;
	}
	out_init(&sql, OUT_TO_MEMORY);
	put_names(&sql, take_name(s, &t->used, arena_printf(&s->arena, "%s_name", column)), column,
		arg);
	const char *names = arena_strndup(&s->arena, sql.data, sql.len);

	out_fini(&sql);
	return names;
}

static void add_field(struct sqlite *s, struct sqlite_table *t, const struct arg *arg)
{
	struct sqlite_column c = { .source = SOURCE_FIELD, .field = arg->name };

	c.type = type_of(arg);
	c.name = take_name(s, &t->used, arg->name);
	c.names = names_of(s, t, c.name, arg);
	hash_add(&t->fields, arg->name, t);
	vec_push(&t->columns, c);
}

/* ---- Tables of events ---- */

/* True if the event has a field that SQLite takes for `name`. */
static bool has_field(const struct event *e, const char *name)
{
	for (size_t i = 0; e && i < e->arg_count; i++) {
		if (strcasecmp(e->args[i].name, name) == 0) {
			return true;
		}
	}
	return false;
}

/* Adds a column that is no field of the event. */
static void add_own(
	struct sqlite *s, struct sqlite_table *t, const struct event *e, enum sqlite_source source)
{
	static const struct {
		const char *name;
		int type;
	} own[] = {
		[SOURCE_TIME] = { "time", SQLITE_INTEGER },
		[SOURCE_PID] = { "pid", SQLITE_INTEGER },
		[SOURCE_TID] = { "tid", SQLITE_INTEGER },
		[SOURCE_PROCESS] = { "process", SQLITE_TEXT },
		[SOURCE_TRACE] = { "trace", SQLITE_TEXT },
		[SOURCE_RAW] = { "raw", SQLITE_BLOB },
	};
	const char *name = own[source].name;

	name = has_field(e, name) ? arena_printf(&s->arena, "_%s", name) : name;
	vec_push(&t->columns, ((struct sqlite_column){ .source = source,
				      .type = own[source].type,
				      .name = take_name(s, &t->used, name) }));
}

static bool has_source(const struct sqlite_table *t, enum sqlite_source source)
{
	vec_foreach (const struct sqlite_column *, c, &t->columns) {
		if (c->source == source) {
			return true;
		}
	}
	return false;
}

/* Adds the columns of fields that the table does not have yet, or of bytes without fields. */
static void add_fields(struct sqlite *s, struct sqlite_table *t, const struct event *e)
{
	for (size_t i = 0; e && i < e->arg_count; i++) {
		if (!hash_get(&t->fields, e->args[i].name)) {
			add_field(s, t, &e->args[i]);
		}
	}
	if (!e && !has_source(t, SOURCE_RAW)) {
		add_own(s, t, NULL, SOURCE_RAW);
	}
}

static struct sqlite_table *add_event(struct sqlite *s, const struct event_class *class)
{
	struct sqlite_table *t = add_table(s, take_name(s, &s->used, table_name(s, class->name)));
	const struct event *e = class->event;

	hash_add(&s->by_event, class->name, t);
	for (int i = SOURCE_TIME; i <= SOURCE_PROCESS; i++) {
		add_own(s, t, e, (enum sqlite_source)i);
	}
	add_fields(s, t, e);
	add_own(s, t, e, SOURCE_TRACE);
	return t;
}

/* Returns the index of a column's field among those of the event; -1: it has none. */
static int field_of(const struct sqlite_column *c, const struct event *e)
{
	return c->source == SOURCE_FIELD && e ? event_find_arg(e, c->field, strlen(c->field)) : -1;
}

void sqlite_bind_class(struct sqlite *s, struct sqlite_class *c, const struct event_class *class)
{
	c->table = hash_get(&s->by_event, class->name);
	if (c->table) {
		add_fields(s, c->table, class->event);
	} else {
		c->table = add_event(s, class);
	}
	c->count = c->table->columns.count;
	c->fields = arena_array(&s->arena, int, c->count);
	for (size_t i = 0; i < c->count; i++) {
		c->fields[i] = field_of(&c->table->columns.items[i], class->event);
	}
}

/* ---- The end ---- */

static void put_columns(struct out *sql, const struct sqlite_table *t)
{
	static const char *const types[] = {
		[0] = "",
		[SQLITE_INTEGER] = " INTEGER",
		[SQLITE_FLOAT] = " REAL",
		[SQLITE_TEXT] = " TEXT",
		[SQLITE_BLOB] = " BLOB",
	};

	vec_foreach (const struct sqlite_column *, c, &t->columns) {
		out_str(sql, c > t->columns.items ? ", " : "");
		put_column(sql, c->name);
		out_str(sql, types[c->is_mixed ? 0 : c->type]);
		if (c->names) {
			out_printf(sql, ", %s", c->names);
		}
	}
}

static void make_table(struct sqlite *s, sqlite3 *db, size_t table)
{
	const struct sqlite_table *t = s->tables.items[table];
	struct out sql;

	out_init(&sql, OUT_TO_MEMORY);
	out_str(&sql, "CREATE TABLE ");
	if (table < LIST_COUNT) {
		out_printf(&sql, "%s (%s", t->name,
			table < LIST_KINDS ? list_columns[table] : columns_of_all);
	} else {
		put_column(&sql, t->name);
		out_str(&sql, " (");
		put_columns(&sql, t);
	}
	out_bytes(&sql, ")", 2);
	run(s, db, sql.data);
	out_fini(&sql);
}

/* Makes the tables, without rows, and sets the numbers of their root pages. */
static void make_tables(struct sqlite *s, uint32_t *roots)
{
	sqlite3 *db = open_database(s);
	sqlite3_stmt *select = NULL;

	run(s, db, "BEGIN");
	for (size_t i = 0; i < s->tables.count && !s->has_failed; i++) {
		make_table(s, db, i);
	}
	if (!s->has_failed && run(s, db, "COMMIT") &&
		check(s, db,
			sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_schema ORDER BY rowid",
				-1, &select, NULL))) {
		for (size_t i = 0; i < s->tables.count && sqlite3_step(select) == SQLITE_ROW; i++) {
			roots[i] = (uint32_t)sqlite3_column_int64(select, 0);
		}
		check(s, db, sqlite3_finalize(select));
	}
	sqlite3_close(db);
}

void sqlite_finish(struct sqlite *s)
{
	uint32_t *roots = arena_array(&s->arena, uint32_t, s->tables.count);

	vec_foreach (struct sqlite_table **, t, &s->tables) {
		sqlite_tree_end(&(*t)->tree, &s->pages);
	}
	if (sqlite_check_file(s, sqlite_pages_end(&s->pages))) {
		make_tables(s, roots);
	}
	for (size_t i = 0; i < s->tables.count && !s->has_failed; i++) {
		sqlite_check_file(
			s, sqlite_tree_put_root(&s->tables.items[i]->tree, s->fd, roots[i]));
	}
	if (!s->has_failed && *s->lives.error) {
		run_alone(s, "DELETE FROM lives");
	}
}

void sqlite_close(struct sqlite *s)
{
	vec_foreach (struct sqlite_table **, t, &s->tables) {
		sqlite_tree_fini(&(*t)->tree);
		hash_fini(&(*t)->used);
		hash_fini(&(*t)->fields);
		vec_fini(&(*t)->columns);
	}
	out_fini(&s->pages.out);
	if (s->fd >= 0) {
		close(s->fd);
	}
	vec_fini(&s->tables);
	vec_fini(&s->classes);
	hash_fini(&s->by_event);
	hash_fini(&s->used);
}
