/* SPDX-License-Identifier: MIT */
/* Rows in memory, see kept.h: a text that is equal to that of the row before is stored once. */
#include "sql/kept.h"

#include <string.h>

void kept_begin(struct kept_rows *k, size_t columns)
{
	arena_init(&k->arena);
	k->columns = columns;
}

void kept_clear(struct kept_rows *k, struct sql_source *s)
{
	bool is_too_large = k->is_too_large;

	kept_count(s, &k->bytes, 0);
	vec_fini(&k->cells);
	arena_fini(&k->arena);
	*k = (struct kept_rows){ .scans = k->scans, .is_too_large = is_too_large };
}

void kept_clear_all(struct sql_source *s)
{
	for (size_t i = 0; i < s->list_count; i++) {
		kept_clear(&s->lists[i], s);
		s->lists[i] = (struct kept_rows){ 0 };
	}
}

static bool is_text(const struct cell *c)
{
	return c->type == CELL_TEXT || c->type == CELL_BLOB;
}

/* Returns a copy of a cell; `before` is that of the row before, or NULL. */
static struct cell copied(struct kept_rows *k, struct cell c, const struct cell *before)
{
	if (!is_text(&c) || c.length == 0) {
		return c;
	}
	if (before && before->type == c.type && before->length == c.length &&
		memcmp(before->text, c.text, (size_t)c.length) == 0) {
		return *before;
	}
	c.text = arena_strndup(&k->arena, c.text, (size_t)c.length);
	k->texts += (size_t)c.length + 1;
	return c;
}

bool kept_add(struct kept_rows *k, struct sql_source *s, const struct cell *row)
{
	size_t count = k->cells.count;

	for (size_t i = 0; i < k->columns; i++) {
		const struct cell *before = count ? &k->cells.items[count - k->columns + i] : NULL;
		struct cell c = copied(k, row[i], before);

		vec_push(&k->cells, c);
	}
	size_t room = kept_room(k->cells.count + k->columns, k->cells.capacity);

	if (kept_count(s, &k->bytes, room * sizeof(struct cell) + k->texts)) {
		return true;
	}
	k->is_too_large = true;
	kept_clear(k, s);
	return false;
}
