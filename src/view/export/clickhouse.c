/* SPDX-License-Identifier: MIT */
/*
 * Events in ClickHouse's format Native, for `INSERT INTO events FORMAT Native` into the table of
 * `waymark schema`. Gaps have no row there; waymark ship also sends those, and what the other
 * tables have.
 */
#include <stdlib.h>

#include "view/export/clickhouse_rows.h"
#include "view/export/export.h"

#define BLOCK_ROWS 65536u

struct clickhouse {
	struct export *export;
	struct rows rows;
	VEC(struct rows_trace) traces;
};

static void put_block(struct clickhouse *c)
{
	block_put(c->export->out, &c->rows.blocks[SCHEMA_EVENTS]);
	rows_clear(&c->rows);
}

static void *begin(struct export *e)
{
	struct clickhouse *c = xcalloc(1, sizeof(*c));

	c->export = e;
	rows_init(&c->rows);
	for (uint32_t i = 0; i < e->reader->trace_count; i++) {
		struct rows_trace trace;

		rows_trace_init(&trace, e->reader, i, 0);
		vec_push(&c->traces, trace);
	}
	return c;
}

static bool put(void *state, const struct record *records, size_t count)
{
	struct clickhouse *c = state;

	for (size_t i = 0; i < count; i++) {
		if (records[i].kind == RECORD_GAP) {
			losses_add(&c->export->unreported, &records[i].gap);
		} else if (!rows_leaves_out(&records[i])) {
			rows_add(&c->rows, &c->traces.items[records[i].trace], &records[i]);
		}
	}
	if (c->rows.blocks[SCHEMA_EVENTS].rows >= BLOCK_ROWS) {
		put_block(c);
	}
	return true;
}

static bool end(void *state)
{
	struct clickhouse *c = state;

	put_block(c);
	vec_foreach (struct rows_trace *, t, &c->traces) {
		rows_trace_fini(t);
	}
	vec_fini(&c->traces);
	rows_fini(&c->rows);
	free(c);
	return true;
}

const struct export_format export_clickhouse = {
	.name = "clickhouse",
	.help = "rows for INSERT INTO events FORMAT Native: see waymark schema",
	.is_binary = true,
	.begin = begin,
	.put = put,
	.end = end,
};
