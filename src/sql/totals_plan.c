/* SPDX-License-Identifier: MIT */
/*
 * Recognizes statements whose totals can be computed without SQLite:
 *
 *	SELECT items FROM table [WHERE column op number [AND ...]] [GROUP BY key, ...] [HAVING ...]
 *		[ORDER BY ...] [LIMIT ...]
 *
 * Outside of aggregates only keys may be named. Whatever is not certain to mean the same is not
 * recognized.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sql/tokens.h"
#include "sql/totals.h"

/* The parts of a statement, as indices of its tokens. */
struct parts {
	struct tokens s;
	size_t from;
	size_t where; /* 0: none */
	size_t group; /* 0: none */
	size_t tail; /* HAVING, ORDER, LIMIT or the end */
};

/* ---- Parts ---- */

static const char *const refused[] = { "SELECT", "DISTINCT", "OVER", "FILTER", "UNION", "INTERSECT",
	"EXCEPT", "JOIN", "WINDOW", "WITH", "COLLATE", "EXISTS", "IN", "GLOB", "LIKE", "REGEXP",
	"MATCH", "ROWID", "_ROWID_", "OID" };

/* Functions of a single row; any other may be an aggregate. */
static const char *const of_a_row[] = { "duration", "bucket", "printf", "format", "round", "abs",
	"hex", "coalesce", "ifnull", "iif", "nullif", "cast", "datetime", "strftime" };

static bool find_parts(struct parts *p)
{
	static const char *const tails[] = { "HAVING", "ORDER", "LIMIT" };
	size_t i = 1;

	while (p->s.all[i].kind != TOKEN_END && !token_is(&p->s.all[i], "FROM")) {
		i++;
	}
	p->from = i;
	if (p->s.all[i].kind == TOKEN_END || p->s.all[i + 1].kind == TOKEN_END) {
		return false;
	}
	i += 2;
	p->where = token_is(&p->s.all[i], "WHERE") ? i : 0;
	while (p->where && p->s.all[i].kind != TOKEN_END && !token_is(&p->s.all[i], "GROUP") &&
		!token_is_one_of(&p->s.all[i], tails, ARRAY_SIZE(tails))) {
		i++;
	}
	p->group = token_is(&p->s.all[i], "GROUP") && token_is(&p->s.all[i + 1], "BY") ? i : 0;
	while (p->group && p->s.all[i].kind != TOKEN_END &&
		!token_is_one_of(&p->s.all[i], tails, ARRAY_SIZE(tails))) {
		i++;
	}
	p->tail = i;
	return p->s.all[i].kind == TOKEN_END ||
	       token_is_one_of(&p->s.all[i], tails, ARRAY_SIZE(tails));
}

static struct sql_events *find_table(
	sqlite3 *db, const struct sql_source *s, const struct token *name)
{
	static const char query[] =
		"SELECT 1 FROM (SELECT name FROM sqlite_schema UNION ALL SELECT name FROM "
		"sqlite_temp_schema) WHERE name = ? COLLATE NOCASE";
	sqlite3_stmt *statement = NULL;
	struct sql_events *found = NULL;

	vec_foreach (struct sql_events *const *, t, &s->tables) {
		found = token_is_name(name, (*t)->name) ? *t : found;
	}
	/* A table of the user's own hides ours. */
	if (!found || sqlite3_prepare_v2(db, query, -1, &statement, NULL) != SQLITE_OK) {
		return NULL;
	}
	sqlite3_bind_text(statement, 1, found->name, -1, SQLITE_STATIC);
	bool is_hidden = sqlite3_step(statement) == SQLITE_ROW;

	sqlite3_finalize(statement);
	return is_hidden ? NULL : found;
}

/* Returns the index of the column of that name, SIZE_MAX if there is none. */
static size_t find_column(const struct totals *t, const struct token *name)
{
	for (size_t i = 0; i < t->table->columns.count; i++) {
		if (token_is_name(name, t->table->columns.items[i].name)) {
			return i;
		}
	}
	return SIZE_MAX;
}

static bool is_integer(const struct totals *t, size_t column)
{
	const struct sql_column *c = &t->table->columns.items[column];

	return c->kind != COLUMN_NAMES && strcmp(c->type, "INTEGER") == 0;
}

static bool read_number(const struct token *t, int64_t *number)
{
	char text[24];

	if (t->kind != TOKEN_NUMBER || t->length > 18 || strspn(t->at, "0123456789") < t->length) {
		return false;
	}
	memcpy(text, t->at, t->length);
	text[t->length] = '\0';
	*number = strtoll(text, NULL, 10);
	return true;
}

/* ---- WHERE ---- */

static bool read_comparison(const struct token *t, enum comparison *comparison)
{
	static const struct {
		const char *text;
		enum comparison comparison;
	} all[] = { { "=", IS_EQUAL }, { "==", IS_EQUAL }, { ">", IS_ABOVE }, { ">=", IS_AT_LEAST },
		{ "<", IS_BELOW }, { "<=", IS_AT_MOST } };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (token_is(t, all[i].text)) {
			*comparison = all[i].comparison;
			return true;
		}
	}
	return false;
}

static bool read_conditions(struct totals *t, const struct parts *p)
{
	size_t end = p->group ? p->group : p->tail;
	size_t i = p->where + 1;

	while (p->where && i < end) {
		size_t column = find_column(t, &p->s.all[i]);
		enum comparison comparison;
		struct condition k = { 0 };
		bool is_negative;

		if (i + 2 >= p->s.count || column == SIZE_MAX || !is_integer(t, column) ||
			!read_comparison(&p->s.all[i + 1], &comparison)) {
			return false;
		}
		is_negative = token_is(&p->s.all[i + 2], "-");
		i += 2 + is_negative;
		if (i >= end || !read_number(&p->s.all[i], &k.number)) {
			return false;
		}
		k.column = (uint16_t)column;
		k.comparison = (uint8_t)comparison;
		k.number = is_negative ? -k.number : k.number;
		vec_push(&t->conditions, k);
		i++;
		if (i < end && (!token_is(&p->s.all[i], "AND") || i + 1 == end)) {
			return false;
		}
		i += i < end;
	}
	return true;
}

/* ---- Keys ---- */

/* Reads `column` or `column op number` at token `i`; returns the number of tokens, 0: neither. */
static size_t read_key(const struct totals *t, const struct parts *p, size_t i, struct total_key *k)
{
	size_t column = find_column(t, &p->s.all[i]);
	const struct token *op = &p->s.all[i + 1];

	if (column == SIZE_MAX) {
		return 0;
	}
	enum column_kind kind = t->table->columns.items[column].kind;
	bool is_named = kind == COLUMN_NAMES || kind == COLUMN_EVENT;

	*k = (struct total_key){ .column = column };
	if (!is_named && !is_integer(t, column)) {
		return 0;
	}
	bool is_op = op->kind == TOKEN_OTHER && (op->length == 1 || token_is(op, ">>")) &&
		     strchr("/%&>", *op->at) && !token_is(op, ">");

	if (!is_op || is_named) {
		return 1;
	}
	k->op = *op->at;
	bool is_good = i + 2 < p->s.count && read_number(&p->s.all[i + 2], &k->number) &&
		       k->number > 0 && (k->op != '>' || k->number < 64);

	return is_good ? 3 : 0;
}

static bool is_same_key(const struct total_key *a, const struct total_key *b)
{
	return a->column == b->column && a->op == b->op && a->number == b->number;
}

/* Finds the key that an item of the select list names by AS. */
static bool find_alias(const struct totals *t, const struct parts *p, const struct token *alias,
	struct total_key *k)
{
	for (size_t i = 1; i < p->from; i++) {
		bool begins = i == 1 || token_is(&p->s.all[i - 1], ",");
		size_t used = begins ? read_key(t, p, i, k) : 0;
		const struct token *name = &p->s.all[i + used + 1];

		if (used && token_is(&p->s.all[i + used], "AS") && name->length == alias->length &&
			strncasecmp(name->at, alias->at, alias->length) == 0) {
			return true;
		}
	}
	return false;
}

/* Finds the key that is an item of the select list, by its number from 1. */
static bool find_ordinal(
	const struct totals *t, const struct parts *p, int64_t number, struct total_key *k)
{
	int64_t at = 1;
	int depth = 0;

	for (size_t i = 1; i < p->from; i++) {
		if (at == number) {
			size_t used = read_key(t, p, i, k);
			const struct token *next = &p->s.all[i + used];

			return used &&
			       (i + used >= p->from || token_is(next, ",") || token_is(next, "AS"));
		}
		depth += token_is(&p->s.all[i], "(") - token_is(&p->s.all[i], ")");
		at += depth == 0 && token_is(&p->s.all[i], ",");
	}
	return false;
}

/* True if nearly each event is a group: SQLite needs no memory for them, as they come in order. */
static bool is_time(const struct totals *t, const struct total_key *k)
{
	return !k->op && t->table->columns.items[k->column].kind == COLUMN_TIME;
}

static bool read_keys(struct totals *t, const struct parts *p)
{
	size_t i = p->group + 2;

	while (p->group && i < p->tail) {
		struct total_key k;
		int64_t number;
		size_t used = read_key(t, p, i, &k);

		/* A column has precedence over a name by AS. */
		if (!used && read_number(&p->s.all[i], &number)) {
			used = find_ordinal(t, p, number, &k);
		} else if (!used && find_column(t, &p->s.all[i]) == SIZE_MAX) {
			used = find_alias(t, p, &p->s.all[i], &k);
		}
		bool ends = i + used >= p->tail || token_is(&p->s.all[i + used], ",");

		if (!used || !ends || t->key_count == TOTALS_KEYS_MAX || is_time(t, &k)) {
			return false;
		}
		t->keys[t->key_count++] = k;
		i += used + 1;
	}
	return !p->group || t->key_count > 0;
}

/* ---- Aggregates and items ---- */

static const char *const functions[] = {
	[TOTAL_COUNT] = "count",
	[TOTAL_SUM] = "sum",
	[TOTAL_MIN] = "min",
	[TOTAL_MAX] = "max",
	[TOTAL_AVG] = "avg",
};

/* Reads `function(column)` or `count(*)`, four tokens; returns the number of the sum, or -1. */
static int read_sum(struct totals *t, const struct parts *p, size_t i)
{
	struct total_sum s = { 0 };

	if (i + 3 >= p->s.count || !token_is(&p->s.all[i + 1], "(") ||
		!token_is(&p->s.all[i + 3], ")")) {
		return -1;
	}
	size_t f = 0;

	while (f < ARRAY_SIZE(functions) && !token_is(&p->s.all[i], functions[f])) {
		f++;
	}
	s.function = (enum total_function)f;
	s.is_of_rows = f == TOTAL_COUNT && token_is(&p->s.all[i + 2], "*");
	s.column = s.is_of_rows ? 0 : find_column(t, &p->s.all[i + 2]);
	if (f == ARRAY_SIZE(functions) || s.column == SIZE_MAX ||
		(!s.is_of_rows && !is_integer(t, s.column)) || t->sum_count == TOTALS_SUMS_MAX) {
		return -1;
	}
	t->sums[t->sum_count] = s;
	return (int)t->sum_count++;
}

/*
 * True if `count` tokens from `i` are an operand of their own: no operator beside them binds as
 * strongly as theirs, as in `10 - a & 1`. Comparisons, AND and OR bind less.
 */
static bool is_alone(const struct parts *p, size_t i, size_t count)
{
	static const char *const before[] = { "SELECT", "DISTINCT", ",", "(", "AND", "OR", "HAVING",
		"BY" };
	static const char *const behind[] = { ",", ")", "=", "==", "!=", "<>", "<", "<=", ">",
		">=" };
	const struct token *next = &p->s.all[i + count];

	return token_is_one_of(&p->s.all[i - 1], before, ARRAY_SIZE(before)) &&
	       (next->kind == TOKEN_END || next->kind == TOKEN_WORD || next->kind == TOKEN_QUOTED ||
		       token_is_one_of(next, behind, ARRAY_SIZE(behind)));
}

/* Returns the number of the key at token `i`, whose tokens `used` counts; -1: it is none. */
static int find_key(const struct totals *t, const struct parts *p, size_t i, size_t *used)
{
	struct total_key k;

	*used = read_key(t, p, i, &k);
	*used = *used > 1 && !is_alone(p, i, *used) ? 0 : *used;
	for (size_t n = 0; n < t->key_count && *used; n++) {
		if (is_same_key(&t->keys[n], &k)) {
			return (int)n;
		}
	}
	/* `column / 2` where the key is `column`. */
	k = (struct total_key){ .column = find_column(t, &p->s.all[i]) };
	*used = 1;
	for (size_t n = 0; n < t->key_count; n++) {
		if (is_same_key(&t->keys[n], &k)) {
			return (int)n;
		}
	}
	return -1;
}

/* Copies the text between a token and the one before it. */
static void copy_blanks(struct out *out, const struct parts *p, size_t i)
{
	const struct token *before = &p->s.all[i - 1];

	out_bytes(out, before->at + before->length,
		(size_t)(p->s.all[i].at - before->at) - before->length);
}

/* True if the token is a `*` that multiplies nothing. */
static bool is_all_columns(const struct parts *p, size_t i)
{
	const struct token *before = &p->s.all[i - 1];

	return token_is(&p->s.all[i], "*") && before->kind != TOKEN_NUMBER &&
	       !token_is(before, ")");
}

/* True if the token may be a name of the table of groups, which the statement must not mean. */
static bool is_of_groups(const struct token *t)
{
	size_t length = strlen(TOTALS_COLUMN);

	return t->length >= length && strncasecmp(t->at, TOTALS_COLUMN, length) == 0;
}

/*
 * Writes the tokens from `i` to `end`, with columns of the groups for aggregates and keys. Returns
 * false if something else is named that depends on a row.
 */
static bool rewrite(struct totals *t, const struct parts *p, size_t i, size_t end)
{
	while (i < end) {
		const struct token *token = &p->s.all[i];
		size_t used = 1;
		int number = -1;

		copy_blanks(&t->statement, p, i);
		if (token_is_one_of(token, refused, ARRAY_SIZE(refused)) || is_all_columns(p, i) ||
			is_of_groups(token)) {
			return false;
		}
		bool is_call = token->kind == TOKEN_WORD && token_is(&p->s.all[i + 1], "(");

		if (is_call && (number = read_sum(t, p, i)) >= 0) {
			out_printf(&t->statement, TOTALS_COLUMN "s%d", number);
			used = 4;
		} else if (is_call && !token_is_one_of(token, of_a_row, ARRAY_SIZE(of_a_row))) {
			return false;
		} else if (!is_call && find_column(t, token) != SIZE_MAX) {
			number = find_key(t, p, i, &used);
			if (number < 0) {
				return false;
			}
			out_printf(&t->statement, TOTALS_COLUMN "k%d", number);
		} else {
			out_bytes(&t->statement, token->at, token->length);
		}
		i += used;
	}
	return true;
}

/*
 * Returns the number of tokens of the name at the end of an item: AS and the name, the name alone
 * behind an aggregate or a column, or none. -1: not certain.
 */
static int name_tokens(const struct parts *p, size_t begin, size_t end)
{
	const struct token *last = &p->s.all[end - 1];
	const struct token *before = last - 1;
	bool may_be_name = last->kind == TOKEN_WORD || last->kind == TOKEN_QUOTED;

	if (end - begin < 2 || !may_be_name) {
		return last->kind == TOKEN_STRING ? -1 : 0;
	}
	if (token_is(before, "AS")) {
		return end - begin > 2 ? 2 : -1;
	}
	bool is_behind = token_is(before, ")") || (end - begin == 2 && before->kind == TOKEN_WORD);

	if (before->kind == TOKEN_OTHER && !token_is(before, ")")) {
		return 0;
	}
	return is_behind && !token_is(before, "NOT") ? 1 : -1;
}

/* Writes an item of the select list; without a name its name is its text, as SQLite has it. */
static bool rewrite_item(struct totals *t, const struct parts *p, size_t begin, size_t end)
{
	int named = begin < end ? name_tokens(p, begin, end) : -1;

	if (named < 0 || !rewrite(t, p, begin, end - (size_t)named)) {
		return false;
	}
	const struct token *last = &p->s.all[end - 1];

	if (named > 0) {
		out_printf(&t->statement, " AS %.*s", (int)last->length, last->at);
		return find_column(t, last) == SIZE_MAX && !is_of_groups(last);
	}
	const char *text = p->s.all[begin].at;
	int length = (int)(last->at + last->length - text);
	size_t column = end - begin == 1 ? find_column(t, last) : SIZE_MAX;
	char *name = column == SIZE_MAX
			     ? sqlite3_mprintf(" AS \"%.*w\"", length, text)
			     : sqlite3_mprintf(" AS \"%w\"", t->table->columns.items[column].name);

	out_str(&t->statement, name);
	sqlite3_free(name);
	return true;
}

static bool rewrite_items(struct totals *t, const struct parts *p)
{
	size_t begin = 1;
	int depth = 0;

	for (size_t i = 1; i <= p->from; i++) {
		if (i == p->from || (depth == 0 && token_is(&p->s.all[i], ","))) {
			if (!rewrite_item(t, p, begin, i)) {
				return false;
			}
			out_str(&t->statement, i == p->from ? "" : ",");
			begin = i + 1;
		}
		depth += token_is(&p->s.all[i], "(") - token_is(&p->s.all[i], ")");
	}
	return true;
}

static bool rewrite_statement(struct totals *t, const struct parts *p)
{
	bool has_having = token_is(&p->s.all[p->tail], "HAVING");
	size_t end = p->s.count - 1;

	out_str(&t->statement, "SELECT");
	if (!rewrite_items(t, p) || t->sum_count == 0) {
		return false;
	}
	out_str(&t->statement, " FROM temp.\"" TOTALS_TABLE "\"");
	if (has_having) {
		out_str(&t->statement, " WHERE");
	}
	if (!rewrite(t, p, p->tail + has_having, end)) {
		return false;
	}
	out_char(&t->statement, '\0');
	return true;
}

bool totals_plan(struct totals *t, sqlite3 *db, const struct sql_source *s, const char *text,
	const char **rest)
{
	struct parts p = { 0 };

	*t = (struct totals){ 0 };
	out_init(&t->statement, OUT_TO_MEMORY);
	bool is_good = tokens_read(&p.s, text) && token_is(&p.s.all[0], "SELECT") &&
		       find_parts(&p) && (t->table = find_table(db, s, &p.s.all[p.from + 1])) &&
		       read_conditions(t, &p) && read_keys(t, &p) && rewrite_statement(t, &p);

	if (!is_good) {
		totals_fini(t);
		return false;
	}
	*rest = p.s.all[p.s.count - 1].at;
	*rest += **rest == ';';
	return true;
}

void totals_fini(struct totals *t)
{
	vec_fini(&t->conditions);
	out_fini(&t->statement);
}
