/* SPDX-License-Identifier: MIT */
/* Traces are read in the order of time, so the rows of a batch are mostly of one day. */
#include "ship/batch.h"

#include <lz4.h>
#include <string.h>

#include "format/clickhouse.h"

void batch_init(struct batch *b)
{
	*b = (struct batch){ 0 };
	out_init(&b->frames, OUT_TO_MEMORY);
}

void batch_fini(struct batch *b)
{
	vec_foreach (struct batch_rows *, r, &b->open) {
		rows_fini(&r->rows);
	}
	vec_fini(&b->open);
	vec_fini(&b->parts);
	out_fini(&b->frames);
}

void batch_begin(struct batch *b, uint64_t number)
{
	for (size_t i = 0; i < b->open_count; i++) {
		rows_clear(&b->open.items[i].rows);
	}
	b->open_count = 0;
	b->number = number;
	b->rows = 0;
	b->parts.count = 0;
	b->frames.len = 0;
}

/* Returns the rows of a day. */
static struct rows *rows_of(struct batch *b, uint32_t day)
{
	size_t i = 0;

	while (i < b->open_count && b->open.items[i].day != day) {
		i++;
	}
	if (i == b->open.count) {
		vec_push(&b->open, (struct batch_rows){ 0 });
		rows_init(&b->open.items[i].rows);
	}
	struct batch_rows *r = &b->open.items[i];

	if (i == b->open_count) {
		b->open_count++;
		r->day = day;
		r->rows.batch = b->number;
	}
	return &r->rows;
}

void batch_add(struct batch *b, struct rows_trace *t, const struct record *rec)
{
	rows_add(rows_of(b, rows_second(t, rec) / BATCH_DAY), t, rec);
	b->rows++;
}

void batch_add_process(struct batch *b, const struct rows_trace *t)
{
	rows_add_process(rows_of(b, 0), t);
	b->rows++;
}

size_t batch_bytes(const struct batch *b)
{
	size_t bytes = 0;

	for (size_t i = 0; i < b->open_count; i++) {
		bytes += block_bytes(&b->open.items[i].rows.blocks[SCHEMA_EVENTS]);
	}
	return bytes;
}

/* ---- Frames ---- */

static void put_u32(char *to, uint32_t v)
{
	v = htole32(v);
	memcpy(to, &v, sizeof(v));
}

/* Adds a frame with the content. */
static void put_frame(struct out *out, const char *content, size_t size)
{
	int room = LZ4_compressBound((int)size);
	char *to = out_reserve(out, CLICKHOUSE_FRAME_HEAD + (size_t)room);
	int used = LZ4_compress_default(content, to + CLICKHOUSE_FRAME_HEAD, (int)size, room);

	memset(to, 0, CLICKHOUSE_FRAME_CHECKSUM);
	to[CLICKHOUSE_FRAME_CHECKSUM] = (char)CLICKHOUSE_FRAME_LZ4;
	put_u32(to + CLICKHOUSE_FRAME_CHECKSUM + 1,
		(uint32_t)used + CLICKHOUSE_FRAME_HEAD - CLICKHOUSE_FRAME_CHECKSUM);
	put_u32(to + CLICKHOUSE_FRAME_CHECKSUM + 5, (uint32_t)size);
	out_advance(out, CLICKHOUSE_FRAME_HEAD + (size_t)used);
}

static void close_part(struct batch *b, const struct batch_rows *r, enum schema_kind table)
{
	struct batch_part part = {
		.table = table, .day = r->day, .rows = r->rows.blocks[table].rows
	};
	size_t before = b->frames.len;
	struct out block;

	if (part.rows == 0) {
		return;
	}
	out_init(&block, OUT_TO_MEMORY);
	block_put(&block, &r->rows.blocks[table]);
	for (size_t at = 0; at < block.len; at += CLICKHOUSE_FRAME_CONTENT) {
		size_t left = block.len - at;

		put_frame(&b->frames, block.data + at,
			left < CLICKHOUSE_FRAME_CONTENT ? left : CLICKHOUSE_FRAME_CONTENT);
	}
	out_fini(&block);
	part.bytes = b->frames.len - before;
	vec_push(&b->parts, part);
}

void batch_close(struct batch *b)
{
	for (size_t i = 0; i < b->open_count; i++) {
		for (enum schema_kind table = 0; table < SCHEMA_TABLES; table++) {
			close_part(b, &b->open.items[i], table);
		}
	}
}
