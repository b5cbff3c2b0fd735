/* SPDX-License-Identifier: MIT */
/*
 * A batch: rows of some traces for one server, as the bodies of requests. A part is the rows of one
 * table and, as a server stores a partition as a whole or not at all, of one day. One thread.
 */
#ifndef SHIP_BATCH_H
#define SHIP_BATCH_H

#include "base/vec.h"
#include "view/export/clickhouse_rows.h"

#define BATCH_DAY 86400u /* seconds */

struct batch_part {
	enum schema_kind table;
	uint32_t day; /* since 1970, of tables by day */
	uint64_t rows;
	size_t bytes; /* of its frames */
};

/* Rows of a day that are being collected. */
struct batch_rows {
	uint32_t day;
	struct rows rows;
};

struct batch {
	uint64_t number; /* that its rows have */
	VEC(struct batch_rows) open; /* kept for the next batch, as their memory is large */
	size_t open_count; /* in use */
	uint64_t rows;
	VEC(struct batch_part) parts;
	struct out frames; /* of all parts, one after the other */
};

void batch_init(struct batch *b);
void batch_fini(struct batch *b);

/* Begins a batch without rows. */
void batch_begin(struct batch *b, uint64_t number);

/* Adds a record of a trace. */
void batch_add(struct batch *b, struct rows_trace *t, const struct record *rec);

/* Adds the row of the trace itself. */
void batch_add_process(struct batch *b, const struct rows_trace *t);

/* Returns about how many bytes the rows have. */
size_t batch_bytes(const struct batch *b);

/* Makes the parts of the rows. */
void batch_close(struct batch *b);

#endif
