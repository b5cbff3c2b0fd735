/* SPDX-License-Identifier: MIT */
/*
 * Questions in SQL about the shown traces, as `waymark sql` answers them. Each has a connection of
 * its own, in which nothing can be changed and from which no other file can be reached. The rows
 * and bytes of an answer are limited.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "cmd/view/answer/answers.h"
#include "cmd/view/answer/queries.h"
#include "cmd/view/answer/running.h"
#include "sql/statement.h"
#include "view/message/json.h"
#include "view/message/number.h"

#define ROWS_MAX 1000
#define BYTES_MAX (4u << 20) /* of an answer */
#define VALUE_MAX (16 << 20) /* bytes of one value while a statement runs */
#define CHECK_STEPS 1000 /* of SQLite, between two looks at whether the answer is wanted */

/* JavaScript's numbers are exact up to here; larger ones are sent as text. */
#define EXACT_MAX (INT64_C(1) << 53)

const bool answer_has_sql = true;

struct asked {
	struct filter filter;
	struct sql_source source;
	sqlite3 *db;
	uint64_t problems;
	bool has_source;
};

/* ---- The connection ---- */

static void note_problem(void *asked, const struct read_error *error)
{
	struct asked *a = asked;

	(void)error; /* the page shows those of the pass */
	a->problems++;
}

static bool is_listed(const char *const *names, const char *name)
{
	while (*names && (!name || strcasecmp(*names, name) != 0)) {
		names++;
	}
	return *names;
}

/*
 * Lets a statement only read. SQLite asks for an update of its schema when it connects a virtual
 * table; a statement's own is no question, see run().
 */
static int authorize(void *asked, int action, const char *one, const char *two, const char *three,
	const char *four)
{
	static const char *const pragmas[] = { "table_info", "table_xinfo", NULL };
	static const char *const refused[] = { "load_extension", "fts3_tokenizer", NULL };

	(void)asked;
	(void)three;
	(void)four;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_UPDATE:
		return one && strcmp(one, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_FUNCTION:
		return is_listed(refused, two) ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_PRAGMA:
		return is_listed(pragmas, one) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

static int is_over(void *flag)
{
	return running_is_over(flag);
}

static void close_db(struct asked *a)
{
	sqlite3_close(a->db);
	if (a->has_source) {
		sql_source_fini(&a->source);
	}
	filter_fini(&a->filter);
	reader_close(a->source.reader);
}

/* Opens a connection with the tables of the traces; false if they cannot be read any more. */
static bool open_db(struct asked *a, struct viewer *v, const struct question *q)
{
	struct session *s = v->session;

	*a = (struct asked){ 0 };
	a->source = (struct sql_source){
		.paths = s->traces,
		.count = s->trace_count,
		.declarations = s->has_declarations ? &s->declarations.model : NULL,
		.selection = &a->filter,
		.report = note_problem,
		.data = a,
		.authorize = authorize,
		.is_interrupted = q->is_over,
		.reader = session_open_beside(s, &a->filter),
	};
	a->has_source = a->source.reader;
	if (!a->has_source) {
		close_db(a);
		return false;
	}
	sql_source_init(&a->source);
	if (sqlite3_open(":memory:", &a->db) != SQLITE_OK || sql_add_functions(a->db) ||
		sql_attach(a->db, &a->source)) {
		close_db(a);
		return false;
	}
	sqlite3_limit(a->db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
	sqlite3_limit(a->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_db_config(a->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_progress_handler(a->db, CHECK_STEPS, is_over, (void *)q->is_over);
	return true;
}

/* ---- Rows ---- */

/* Writes an integer exactly, as text if JavaScript cannot hold it. */
static void put_integer(struct out *out, int64_t n)
{
	bool is_exact = n > -EXACT_MAX && n < EXACT_MAX;

	out_printf(out, is_exact ? "%" PRId64 : "\"%" PRId64 "\"", n);
}

static void put_bytes(struct out *out, const unsigned char *bytes, int count)
{
	out_str(out, "\"x'");
	for (int i = 0; i < count; i++) {
		char *to = out_reserve(out, NUMBER_ROOM);

		out_advance(out, (size_t)(number_hex(to, bytes[i], 2) - to));
	}
	out_str(out, "'\"");
}

static void put_cell(struct out *out, sqlite3_stmt *statement, int i)
{
	char text[NUMBER_ROOM];

	switch (sqlite3_column_type(statement, i)) {
	case SQLITE_INTEGER:
		put_integer(out, sqlite3_column_int64(statement, i));
		break;
	case SQLITE_FLOAT:
		*number_real(text, sqlite3_column_double(statement, i)) = '\0';
		out_str(out, isfinite(sqlite3_column_double(statement, i)) ? text : "null");
		break;
	case SQLITE_TEXT:
		json_out_text(out, (const char *)sqlite3_column_text(statement, i),
			(size_t)sqlite3_column_bytes(statement, i));
		break;
	case SQLITE_BLOB:
		put_bytes(
			out, sqlite3_column_blob(statement, i), sqlite3_column_bytes(statement, i));
		break;
	default:
		out_str(out, "null");
	}
}

/* Writes the columns, each with the type of its first value that is not NULL. */
static void put_columns(struct out *out, sqlite3_stmt *statement, const int *types)
{
	static const char *const names[] = {
		[SQLITE_INTEGER] = "integer",
		[SQLITE_FLOAT] = "real",
		[SQLITE_TEXT] = "text",
		[SQLITE_BLOB] = "blob",
		[SQLITE_NULL] = "null",
	};

	out_str(out, "\"columns\":[");
	for (int i = 0; i < sqlite3_column_count(statement); i++) {
		out_str(out, i ? ",{\"name\":" : "{\"name\":");
		json_out_string(out, sqlite3_column_name(statement, i));
		out_printf(out, ",\"type\":\"%s\"}", names[types[i]]);
	}
	out_char(out, ']');
}

static void put_row(struct out *out, sqlite3_stmt *statement, int *types)
{
	out_char(out, '[');
	for (int i = 0; i < sqlite3_column_count(statement); i++) {
		types[i] = types[i] == SQLITE_NULL ? sqlite3_column_type(statement, i) : types[i];
		out_str(out, i ? "," : "");
		put_cell(out, statement, i);
	}
	out_char(out, ']');
}

/* Writes all rows up to the limits; returns a result of SQLite. */
static int put_rows(const struct asked *a, sqlite3_stmt *statement, struct out *out)
{
	int *types = xcalloc((size_t)sqlite3_column_count(statement) + 1, sizeof(*types));
	size_t rows = 0;
	int result;

	for (int i = 0; i < sqlite3_column_count(statement); i++) {
		types[i] = SQLITE_NULL;
	}
	out_str(out, "{\"rows\":[");
	while ((result = sqlite3_step(statement)) == SQLITE_ROW && rows < ROWS_MAX &&
		out->len < BYTES_MAX) {
		out_str(out, rows++ ? ",\n" : "");
		put_row(out, statement, types);
	}
	out_printf(out, "],\"more\":%s,\"problems\":%" PRIu64 ",",
		result == SQLITE_ROW ? "true" : "false", a->problems);
	put_columns(out, statement, types);
	out_char(out, '}');
	free(types);
	return result;
}

/* ---- Statements ---- */

static unsigned int fail(struct out *out, const char *text, const char *near, int at)
{
	out->len = 0;
	out_str(out, "{\"error\":");
	json_out_string(out, text);
	out_str(out, ",\"near\":");
	json_out_string(out, near);
	out_printf(out, ",\"at\":%d}", at);
	return 400;
}

static unsigned int fail_as_sqlite(const struct asked *a, struct out *out)
{
	const struct sql_fault f = sql_fault(&a->source, a->db);

	return fail(out,
		f.is_refused ? "only questions are answered: a statement cannot change, open or "
			       "attach anything"
			     : f.text,
		f.near, f.at);
}

/* True if a second statement follows the first one. */
static bool has_more(struct asked *a, const char *rest)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(a->db, rest, -1, &statement, NULL);
	bool has = result != SQLITE_OK || statement;

	sqlite3_finalize(statement);
	return has;
}

/* Gives `:from` and `:to` of a statement the question's time. */
static void bind_range(struct viewer *v, const struct question *q, sqlite3_stmt *statement)
{
	struct time_range range;

	if (question_range(v, q, &range)) {
		sqlite3_bind_int64(
			statement, sqlite3_bind_parameter_index(statement, ":from"), range.from);
		sqlite3_bind_int64(
			statement, sqlite3_bind_parameter_index(statement, ":to"), range.to);
	}
}

static unsigned int run(
	struct asked *a, struct viewer *v, const struct question *q, struct out *out)
{
	const char *text = q->get(q->data, "query");
	const char *rest = text;
	sqlite3_stmt *statement;
	int result = sql_prepare(&a->source, a->db, text, &statement, &rest);
	unsigned int status = 200;

	if (running_is_over(q->is_over)) {
		status = answer_stopped(out);
	} else if (result != SQLITE_OK) {
		status = fail_as_sqlite(a, out);
	} else if (!statement) {
		status = fail(out, "this is no statement", "", -1);
	} else if (has_more(a, rest)) {
		status = fail(out, "one statement at a time", "", (int)(rest - text));
	} else if (!sqlite3_stmt_readonly(statement)) {
		status = fail(out, "only questions are answered", "", -1);
	} else {
		bind_range(v, q, statement);
		result = put_rows(a, statement, out);
		if (running_is_over(q->is_over)) {
			status = answer_stopped(out);
		} else if (result != SQLITE_DONE && result != SQLITE_ROW) {
			status = fail_as_sqlite(a, out);
		}
	}
	sqlite3_finalize(statement);
	return status;
}

unsigned int answer_sql(struct viewer *v, const struct question *q, struct out *out)
{
	struct asked a;

	if (!q->get(q->data, "query")) {
		return answer_refuse(out, "query", "a statement of SQL");
	}
	if (!open_db(&a, v, q)) {
		return answer_refuse(out, "traces", "traces that can still be read");
	}
	unsigned int status = run(&a, v, q, out);

	close_db(&a);
	return status;
}

/* True if a query is about tables and columns that these traces have. */
static bool fits(struct asked *a, const struct view_query *query)
{
	sqlite3_stmt *statement = NULL;
	bool is = sqlite3_prepare_v2(a->db, query->text, -1, &statement, NULL) == SQLITE_OK;

	sqlite3_finalize(statement);
	return is;
}

unsigned int answer_queries(struct viewer *v, const struct question *q, struct out *out)
{
	const char *between = "[";
	struct asked a;

	if (!open_db(&a, v, q)) {
		return answer_refuse(out, "traces", "traces that can still be read");
	}
	for (const struct view_query *query = view_queries; query->group; query++) {
		if (fits(&a, query)) {
			out_str(out, between);
			out_str(out, "{\"group\":");
			json_out_string(out, query->group);
			out_str(out, ",\"title\":");
			json_out_string(out, query->title);
			out_str(out, ",\"query\":");
			json_out_string(out, query->text);
			out_char(out, '}');
			between = ",\n";
		}
	}
	out_str(out, *between == '[' ? "[]" : "]");
	close_db(&a);
	return 200;
}
