/* SPDX-License-Identifier: MIT */
/* Adding up, see analyse/scopes.h. */
#include "analyse/scopes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void scopes_init(struct scopes *s, const struct class_table *known)
{
	*s = (struct scopes){ 0 };
	pairs_init(&s->pairs, known);
}

void scopes_fini(struct scopes *s)
{
	vec_foreach (struct scope_row *, row, &s->rows) {
		free(row->lengths);
	}
	vec_fini(&s->rows);
	pairs_fini(&s->pairs);
}

static struct scope_row *row_of(struct scopes *s, const struct scope_span *span)
{
	while (s->rows.count <= span->key.name) {
		vec_push(&s->rows, ((struct scope_row){ 0 }));
	}
	struct scope_row *row = &s->rows.items[span->key.name];

	row->name = s->pairs.names.items[span->key.name];
	return row;
}

static void add_span(struct scopes *s, const struct scope_span *span)
{
	struct scope_row *row = row_of(s, span);

	if (!row->lengths) {
		row->lengths = xcalloc(1, sizeof(*row->lengths));
	}
	distribution_add(row->lengths, span->end_ns - span->begin_ns);
	row->self_ns += span->self_ns;
}

void scopes_add(struct scopes *s, const struct record *rec, const struct value *values)
{
	const struct scope_span *span = &s->pairs.span;

	switch (pairs_add(&s->pairs, rec, values)) {
	case PAIRS_ENDED:
		add_span(s, span);
		break;
	case PAIRS_BEGUN_TWICE:
		row_of(s, span)->unpaired.begun_twice++;
		break;
	case PAIRS_UNBEGUN:
		row_of(s, span)->unpaired.unbegun++;
		break;
	case PAIRS_UNBEGUN_LOST:
		row_of(s, span)->unpaired.begin_lost++;
		break;
	case PAIRS_NOTHING:
	case PAIRS_BEGUN:
		break;
	}
}

static void add_unfinished(void *data, const struct scope_span *span)
{
	struct unpaired *u = &row_of(data, span)->unpaired;

	*(span->is_lost ? &u->end_lost : &u->unfinished) += 1;
}

static uint64_t total_of(const struct scope_row *row)
{
	return row->lengths ? row->lengths->sum : 0;
}

static int compare(const void *a, const void *b)
{
	const struct scope_row *x = a;
	const struct scope_row *y = b;

	if (total_of(x) != total_of(y)) {
		return total_of(x) < total_of(y) ? 1 : -1;
	}
	return strcmp(x->name, y->name);
}

void scopes_end(struct scopes *s)
{
	size_t seen = 0;

	pairs_unfinished(&s->pairs, add_unfinished, s);
	vec_foreach (const struct scope_row *, row, &s->rows) {
		if (row->name) {
			s->unpaired.unfinished += row->unpaired.unfinished;
			s->unpaired.end_lost += row->unpaired.end_lost;
			s->unpaired.unbegun += row->unpaired.unbegun;
			s->unpaired.begin_lost += row->unpaired.begin_lost;
			s->unpaired.begun_twice += row->unpaired.begun_twice;
			s->rows.items[seen++] = *row;
		}
	}
	s->rows.count = seen;
	if (seen > 0) {
		qsort(s->rows.items, seen, sizeof(*s->rows.items), compare);
	}
}
