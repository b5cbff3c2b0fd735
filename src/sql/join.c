/* SPDX-License-Identifier: MIT */
/*
 * The rows of a table by the value of one column, kept while a query runs that looks values up:
 * without this, each row of one table would read the traces anew for the other. Keeps the columns
 * that the query uses. Rows with the same value stay in the order of time.
 */
#include <string.h>

#include "sql/kept.h"

#define NONE UINT32_MAX

struct kept_row {
	size_t cells; /* index of its first cell */
	int64_t row; /* see events_row() */
	uint32_t next; /* the next row of the same value */
};

/* All rows of one value. */
struct kept_value {
	struct cell key;
	uint64_t hash;
	uint32_t first; /* NONE: a free slot */
	uint32_t last;
};

struct join {
	int place[64]; /* of a column among them; -1: not kept. The last is for all further */
	size_t key; /* the column */
	bool is_text; /* its type; else it has integers */
	VEC(struct kept_row) rows;
	VEC(struct cell) cells;
	struct kept_value *values; /* a hash table, at most half full */
	size_t slots;
	size_t count;
	struct arena arena; /* for texts */
	size_t texts; /* their bytes */
	size_t bytes; /* counted in source->kept */
	uint32_t at; /* the current row; NONE: at the end */
};

static uint64_t hash_of(const struct cell *key)
{
	uint64_t hash = mix_bits(key->type);

	if (key->type == CELL_INTEGER) {
		return mix_bits((uint64_t)key->integer + hash);
	}
	for (int i = 0; i < key->length; i++) {
		hash = (hash ^ (unsigned char)key->text[i]) * UINT64_C(0x100000001B3);
	}
	return mix_bits(hash);
}

static bool is_same(const struct cell *a, const struct cell *b)
{
	if (a->type != b->type) {
		return false;
	}
	if (a->type == CELL_INTEGER) {
		return a->integer == b->integer;
	}
	return a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}

/* Returns the slot of a value, or the free one where it belongs. */
static struct kept_value *slot_of(const struct join *j, const struct cell *key, uint64_t hash)
{
	size_t at = hash & (j->slots - 1);

	while (j->values[at].first != NONE &&
		(j->values[at].hash != hash || !is_same(&j->values[at].key, key))) {
		at = (at + 1) & (j->slots - 1);
	}
	return &j->values[at];
}

static void grow(struct join *j)
{
	struct kept_value *old = j->values;
	size_t count = j->slots;

	j->slots = count ? 2 * count : 1024;
	j->values = xcalloc(j->slots, sizeof(*j->values));
	for (size_t i = 0; i < j->slots; i++) {
		j->values[i].first = NONE;
	}
	for (size_t i = 0; i < count; i++) {
		if (old[i].first != NONE) {
			*slot_of(j, &old[i].key, old[i].hash) = old[i];
		}
	}
	free(old);
}

static struct cell kept(struct join *j, struct cell cell)
{
	if ((cell.type == CELL_TEXT || cell.type == CELL_BLOB) && cell.length > 0) {
		cell.text = arena_strndup(&j->arena, cell.text, (size_t)cell.length);
		j->texts += (size_t)cell.length + 1;
	}
	return cell;
}

/* Keeps the cursor's current row. */
static void keep(struct join *j, struct events_cursor *c)
{
	struct cell key = events_cell(c, j->key);
	uint32_t row = (uint32_t)j->rows.count;

	if (key.type == CELL_NULL) {
		return; /* equals nothing */
	}
	if (2 * j->count >= j->slots) {
		grow(j);
	}
	uint64_t hash = hash_of(&key);
	struct kept_value *v = slot_of(j, &key, hash);

	if (v->first == NONE) {
		*v = (struct kept_value){ kept(j, key), hash, row, row };
		j->count++;
	} else {
		j->rows.items[v->last].next = row;
		v->last = row;
	}
	vec_push(&j->rows, ((struct kept_row){ j->cells.count, events_row(c), NONE }));
	for (size_t i = 0; i < c->table->columns.count; i++) {
		if (j->place[i < 63 ? i : 63] >= 0) {
			vec_push(&j->cells, kept(j, events_cell(c, i)));
		}
	}
}

static void choose_columns(struct join *j, const struct events_cursor *c)
{
	int count = 0;

	for (unsigned int i = 0; i < 64; i++) {
		j->place[i] = c->used >> i & 1 ? count++ : -1;
	}
}

/* Counts the rows; false if they exceed the limit. */
static bool has_room(struct join *j, struct sql_source *s)
{
	size_t rows = kept_room(j->rows.count, j->rows.capacity);
	size_t cells = kept_room(j->cells.count + 64, j->cells.capacity);
	size_t slots = kept_room(2 * (j->count + 1), j->slots);

	return kept_count(s, &j->bytes,
		rows * sizeof(*j->rows.items) + cells * sizeof(*j->cells.items) +
			slots * sizeof(*j->values) + j->texts);
}

struct join *join_make(struct events_cursor *c, size_t key, int *result)
{
	struct join *j = xcalloc(1, sizeof(*j));

	j->key = key;
	j->is_text = strcmp(c->table->columns.items[key].type, "TEXT") == 0;
	j->at = NONE;
	arena_init(&j->arena);
	choose_columns(j, c);
	grow(j);
	*result = events_begin(c);
	while (*result == SQLITE_OK && !c->is_at_end) {
		if (j->rows.count == NONE - 1) {
			*result = events_fail(c, "a join of more than 4294967294 rows");
			break;
		}
		keep(j, c);
		if (!has_room(j, c->table->source)) {
			c->is_too_large = true;
			break;
		}
		*result = events_next(c);
	}
	if (*result != SQLITE_OK || c->is_too_large) {
		join_free(j, c->table->source);
		return NULL;
	}
	return j;
}

void join_free(struct join *j, struct sql_source *s)
{
	if (j) {
		kept_count(s, &j->bytes, 0);
		vec_fini(&j->rows);
		vec_fini(&j->cells);
		free(j->values);
		arena_fini(&j->arena);
		free(j);
	}
}

void join_resume(struct events_cursor *c)
{
	struct sql_source *s = c->table->source;

	for (size_t i = 0; i < s->left.count; i++) {
		struct left_join *l = &s->left.items[i];

		if (l->table == c->table && strcmp(l->lookup, c->lookup) == 0) {
			c->join = l->join;
			c->lookups = l->lookups;
			c->is_too_large = l->is_too_large;
			sqlite3_free(l->lookup);
			*l = s->left.items[--s->left.count];
			return;
		}
	}
}

void join_leave(struct events_cursor *c)
{
	struct sql_source *s = c->table->source;

	if (c->lookup) {
		vec_push(&s->left, ((struct left_join){ c->lookup, c->table, c->join, c->lookups,
					   c->is_too_large }));
	}
}

void sql_close_cursor(struct sql_source *s)
{
	if (--s->open_cursors > 0) {
		return;
	}
	kept_clear_all(s);
	vec_foreach (struct left_join *, l, &s->left) {
		sqlite3_free(l->lookup);
		join_free(l->join, s);
	}
	vec_fini(&s->left);
}

/* Returns the integer that equals a value of SQLite, which has text compared as a number. */
static struct cell integer_of(sqlite3_value *value)
{
	int type = sqlite3_value_numeric_type(value);
	double real = sqlite3_value_double(value);
	bool is_whole = real >= -0x1p63 && real < 0x1p63 && real == (double)(int64_t)real;

	if (type == SQLITE_INTEGER || (type == SQLITE_FLOAT && is_whole)) {
		return (struct cell){ .integer = sqlite3_value_int64(value), .type = CELL_INTEGER };
	}
	return (struct cell){ .type = CELL_NULL };
}

bool join_can_find(const struct events_cursor *c, size_t key, sqlite3_value *value)
{
	bool is_text = strcmp(c->table->columns.items[key].type, "TEXT") == 0;

	return !is_text || sqlite3_value_type(value) == SQLITE_TEXT;
}

static struct cell key_of(const struct join *j, sqlite3_value *value)
{
	if (!j->is_text) {
		return integer_of(value);
	}
	return (struct cell){ .text = (const char *)sqlite3_value_text(value),
		.length = sqlite3_value_bytes(value),
		.type = CELL_TEXT };
}

void join_find(struct join *j, sqlite3_value *value)
{
	struct cell key = key_of(j, value);

	j->at = slot_of(j, &key, hash_of(&key))->first;
}

void join_next(struct join *j)
{
	j->at = j->rows.items[j->at].next;
}

bool join_is_at_end(const struct join *j)
{
	return j->at == NONE;
}

void join_show(const struct join *j, int column, sqlite3_context *to)
{
	int place = j->place[column < 63 ? column : 63];
	size_t cell = j->rows.items[j->at].cells + (size_t)place +
		      (column > 63 ? (size_t)column - 63 : 0);

	cell_show(&j->cells.items[cell], to);
}

int64_t join_row(const struct join *j)
{
	return j->rows.items[j->at].row;
}
