/* SPDX-License-Identifier: MIT */
/*
 * The database and its tables. Names are those of the trace, in quotes. SQLite does not distinguish
 * capital letters, and some names are ours: if an event has a field of such a name, our column gets
 * a leading `_`; a name that is taken gets a number. The names of a field's values are a column of
 * their own, computed when it is read, so that the field stays a number.
 */
#include "view/export/sqlite.h"

#include <inttypes.h>
#include <strings.h>

#include "base/error.h"

bool sqlite_check(struct sqlite *s, int result)
{
	bool ok = result == SQLITE_OK || result == SQLITE_DONE;

	if (!ok && !s->has_failed) {
		s->has_failed = true;
		error_set(s->export->error, "cannot write the database: %s",
			s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(result));
	}
	return ok;
}

bool sqlite_run(struct sqlite *s, const char *sql)
{
	return sqlite_check(s, sqlite3_exec(s->db, sql, NULL, NULL, NULL));
}

static sqlite3_stmt *prepare(struct sqlite *s, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	return sqlite_check(s, sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL)) ? statement
										     : NULL;
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

static const struct {
	const char *name;
	const char *columns;
	unsigned int count;
} lists[] = {
	[LIST_GAPS] = { "gaps",
		"time INTEGER, pid INTEGER, tid INTEGER, process TEXT, lost INTEGER,"
		" overwritten INTEGER, packets INTEGER, trace TEXT",
		8 },
	[LIST_SCOPES] = { "scopes",
		"time INTEGER, name TEXT, duration INTEGER, self INTEGER, pid INTEGER, tid INTEGER,"
		" end_tid INTEGER, process TEXT, unfinished INTEGER, trace TEXT",
		10 },
	[LIST_LIVES] = { "lives",
		"time INTEGER, life TEXT, key, duration INTEGER, events INTEGER, path TEXT,"
		" first TEXT, last TEXT, outcome TEXT, doubtful INTEGER, pid INTEGER, tid INTEGER,"
		" process TEXT, trace TEXT",
		14 },
	[LIST_THREADS] = { "threads",
		"pid INTEGER, tid INTEGER, process TEXT, events INTEGER, first INTEGER,"
		" last INTEGER, lost INTEGER, packets INTEGER, trace TEXT",
		9 },
	[LIST_PROCESSES] = { "processes",
		"pid INTEGER, process TEXT, host TEXT, state TEXT, events INTEGER,"
		" realtime INTEGER, trace TEXT",
		7 },
	[LIST_DECLARATIONS] = { "declarations",
		"event TEXT, position INTEGER, field TEXT, type TEXT, unit TEXT, names TEXT,"
		" is_key INTEGER, format TEXT, life TEXT, life_part TEXT",
		10 },
	/* A row's number is INTEGER PRIMARY KEY by itself. */
	[LIST_EVENTS] = { "events",
		"time INTEGER, pid INTEGER, tid INTEGER, process TEXT, event TEXT, trace TEXT", 6 },
};

static bool make_list(struct sqlite *s, enum sqlite_list list)
{
	struct out sql;

	hash_add(&s->used, lists[list].name, s);
	out_init(&sql, OUT_TO_MEMORY);
	out_printf(&sql, "CREATE TABLE %s (%s)%c", lists[list].name, lists[list].columns, 0);
	bool ok = sqlite_run(s, sql.data);

	sql.len = 0;
	if (list == LIST_EVENTS) { /* parameters as of the tables of events */
		out_str(&sql, "INSERT INTO events (rowid, time, pid, tid, process, trace, event)"
			      " VALUES (?, ?, ?, ?, ?, ?, ?)");
	} else {
		out_printf(&sql, "INSERT INTO %s VALUES (?", lists[list].name);
		for (unsigned int i = 1; i < lists[list].count; i++) {
			out_str(&sql, ", ?");
		}
		out_char(&sql, ')');
	}
	out_char(&sql, '\0');
	s->lists[list] = ok ? prepare(s, sql.data) : NULL;
	out_fini(&sql);
	return s->lists[list] != NULL;
}

bool sqlite_open(struct sqlite *s)
{
	/* One thread needs no locks. Each has no effect if SQLite was used before. */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	bool ok = sqlite_check(s,
			  sqlite3_open_v2(s->export->path, &s->db,
				  SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
				  NULL)) &&
		  sqlite_run(s, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
				"PRAGMA locking_mode = EXCLUSIVE; BEGIN;");

	for (int list = 0; ok && list < LIST_COUNT; list++) {
		ok = make_list(s, (enum sqlite_list)list);
	}
	return ok;
}

void sqlite_close(struct sqlite *s)
{
	for (int list = 0; list < LIST_COUNT; list++) {
		sqlite3_finalize(s->lists[list]);
	}
	vec_foreach (struct sqlite_insert *, insert, &s->inserts) {
		sqlite3_finalize(insert->statement);
	}
	if (!s->has_failed) {
		sqlite_run(s, "COMMIT");
	}
	sqlite3_close(s->db);
	vec_foreach (struct sqlite_table **, t, &s->all) {
		hash_fini(&(*t)->used);
		hash_fini(&(*t)->fields);
	}
	vec_fini(&s->all);
	vec_fini(&s->inserts);
	hash_fini(&s->tables);
	hash_fini(&s->used);
}

/* ---- Columns of fields ---- */

static const char *type_of(const struct arg *arg)
{
	switch (arg->type.class) {
	case TYPE_FLOAT:
		return "REAL";
	case TYPE_STRING:
	case TYPE_TEXT:
		return "TEXT";
	case TYPE_BYTES:
		return "BLOB";
	case TYPE_DEBUG:
		return ""; /* of each value's own kind */
	default:
		return type_is_pair(&arg->type) ? "" : "INTEGER";
	}
}

/* Writes the names of bits, each followed by a `|`, and the others as a number. */
static void put_bits(struct out *out, const char *column, const struct value_name *names)
{
	uint64_t known = 0;

	out_str(out, "rtrim(");
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
	out_printf(out, " & %" PRId64 "), ''), '|')", (int64_t)~known);
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

/* Writes definitions of the columns of a field that the table has not; `before` precedes each. */
static void put_field(struct sqlite *s, struct out *sql, struct sqlite_table *t,
	const struct arg *arg, const char *before)
{
	const char *column = take_name(s, &t->used, arg->name);

	hash_add(&t->fields, arg->name, (void *)(uintptr_t)column);
	out_str(sql, before);
	put_column(sql, column);
	out_printf(sql, " %s", type_of(arg));
	if (arg->names && type_is_number(&arg->type)) {
		const char *name = arena_printf(&s->arena, "%s_name", column);

		out_str(sql, before);
		put_names(sql, take_name(s, &t->used, name), column, arg);
	}
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

static void take_own(struct sqlite *s, struct sqlite_table *t, const struct event *e)
{
	static const char *const own[PARAMETER_FIRST] = {
		[PARAMETER_TIME] = "time",
		[PARAMETER_PID] = "pid",
		[PARAMETER_TID] = "tid",
		[PARAMETER_PROCESS] = "process",
		[PARAMETER_TRACE] = "trace",
	};

	for (size_t i = PARAMETER_TIME; i < PARAMETER_FIRST; i++) {
		const char *name =
			has_field(e, own[i]) ? arena_printf(&s->arena, "_%s", own[i]) : own[i];

		t->own[i] = take_name(s, &t->used, name);
	}
}

static struct sqlite_table *make_table(struct sqlite *s, const struct event_class *class)
{
	struct sqlite_table *t = arena_new(&s->arena, struct sqlite_table);
	const struct event *e = class->event;
	struct out sql;

	hash_init(&t->used);
	hash_init(&t->fields);
	vec_push(&s->all, t);
	hash_add(&s->tables, class->name, t);
	t->name = take_name(s, &s->used, table_name(s, class->name));
	take_own(s, t, e);
	out_init(&sql, OUT_TO_MEMORY);
	out_str(&sql, "CREATE TABLE ");
	put_column(&sql, t->name);
	for (size_t i = PARAMETER_TIME; i <= PARAMETER_PROCESS; i++) {
		out_str(&sql, i == PARAMETER_TIME ? " (" : ", ");
		put_column(&sql, t->own[i]);
		out_str(&sql, i == PARAMETER_PROCESS ? " TEXT" : " INTEGER");
	}
	for (size_t i = 0; e && i < e->arg_count; i++) {
		put_field(s, &sql, t, &e->args[i], ", ");
	}
	out_str(&sql, e ? ", " : ", raw BLOB, ");
	put_column(&sql, t->own[PARAMETER_TRACE]);
	out_bytes(&sql, " TEXT)", 7);
	sqlite_run(s, sql.data);
	out_fini(&sql);
	return t;
}

/* Adds the fields that the table does not have yet. */
static void extend_table(struct sqlite *s, struct sqlite_table *t, const struct event_class *class)
{
	const struct event *e = class->event;
	struct out before;
	struct out sql;

	out_init(&before, OUT_TO_MEMORY);
	out_init(&sql, OUT_TO_MEMORY);
	out_str(&before, "; ALTER TABLE ");
	put_column(&before, t->name);
	out_bytes(&before, " ADD COLUMN ", 13);
	for (size_t i = 0; e && i < e->arg_count; i++) {
		if (!hash_get(&t->fields, e->args[i].name)) {
			put_field(s, &sql, t, &e->args[i], before.data);
		}
	}
	out_char(&sql, '\0');
	sqlite_run(s, sql.data);
	out_fini(&before);
	out_fini(&sql);
}

static sqlite3_stmt *prepare_insert(
	struct sqlite *s, const struct sqlite_table *t, const struct event *e)
{
	size_t fields = e ? e->arg_count : 1;
	struct out sql;

	out_init(&sql, OUT_TO_MEMORY);
	out_str(&sql, "INSERT INTO ");
	put_column(&sql, t->name);
	out_str(&sql, " (rowid");
	for (size_t i = PARAMETER_TIME; i < PARAMETER_FIRST; i++) {
		out_str(&sql, ", ");
		put_column(&sql, t->own[i]);
	}
	for (size_t i = 0; e && i < e->arg_count; i++) {
		out_str(&sql, ", ");
		put_column(&sql, hash_get(&t->fields, e->args[i].name));
	}
	out_str(&sql, e ? ") VALUES (?" : ", raw) VALUES (?");
	for (size_t i = PARAMETER_TIME; i < PARAMETER_FIRST + fields; i++) {
		out_str(&sql, ", ?");
	}
	out_bytes(&sql, ")", 2);
	sqlite3_stmt *insert = prepare(s, sql.data);

	out_fini(&sql);
	return insert;
}

sqlite3_stmt *sqlite_make_insert(struct sqlite *s, const struct event_class *class)
{
	struct sqlite_table *t = hash_get(&s->tables, class->name);

	if (t) {
		extend_table(s, t, class);
	} else {
		t = make_table(s, class);
	}
	return s->has_failed ? NULL : prepare_insert(s, t, class->event);
}
