/* SPDX-License-Identifier: MIT */
/*
 * Records of traces as rows of the tables of schema.h. The rows of the events of a trace go into
 * one block, those of its gaps into another. One thread.
 */
#ifndef VIEW_EXPORT_CLICKHOUSE_ROWS_H
#define VIEW_EXPORT_CLICKHOUSE_ROWS_H

#include "base/clock.h"
#include "read/reader.h"
#include "view/export/clickhouse_schema.h"

/* A trace whose records become rows. */
struct rows_trace {
	struct reader *reader;
	uint32_t number; /* among the reader's traces */
	uint64_t process; /* its number in the tables; 0: it has no uuid */
	int64_t correction; /* ns to add to the host's time */
	uint64_t to_realtime; /* ns to add to a record's time */
	VEC(uint32_t) declarations; /* by class index; 0: not seen yet */
	const char *path;
};

struct rows {
	struct block blocks[SCHEMA_TABLES];
	uint64_t batch; /* of the rows that are added */
};

void rows_init(struct rows *rows);
void rows_fini(struct rows *rows);

/* Removes all rows. */
void rows_clear(struct rows *rows);

/* Returns the number that a process has in the tables. */
uint64_t rows_process(const uint8_t uuid[16]);

/* Sets what rows have of a trace of an open reader. */
void rows_trace_init(
	struct rows_trace *t, struct reader *reader, uint32_t number, int64_t correction);
void rows_trace_fini(struct rows_trace *t);

/* Returns the second of a record, since 1970. */
static inline uint32_t rows_second(const struct rows_trace *t, const struct record *rec)
{
	return (uint32_t)((rec->ns + t->to_realtime) / CLOCK_NS_PER_S);
}

/* True if the record becomes no row: aggregations are asked of the process, see waymark metrics. */
bool rows_leaves_out(const struct record *rec);

/* Adds an event or a gap, and the declaration of an event that the trace did not have before. */
void rows_add(struct rows *rows, struct rows_trace *t, const struct record *rec);

/* Adds the row of the trace itself. */
void rows_add_process(struct rows *rows, const struct rows_trace *t);

#endif
