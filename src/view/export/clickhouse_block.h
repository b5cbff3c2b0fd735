/* SPDX-License-Identifier: MIT */
/*
 * Rows of a table in ClickHouse's format Native (format/clickhouse.h), column by column. The values
 * of a row are added to each column. One thread.
 */
#ifndef VIEW_EXPORT_CLICKHOUSE_BLOCK_H
#define VIEW_EXPORT_CLICKHOUSE_BLOCK_H

#include <endian.h>
#include <stdint.h>

#include "base/hash.h"
#include "text/out.h"

enum block_type {
	BLOCK_U8,
	BLOCK_U32,
	BLOCK_U64,
	BLOCK_I64,
	BLOCK_TIME, /* seconds since 1970 */
	BLOCK_TEXT,
	BLOCK_WORD, /* a text that many rows have */
	BLOCK_NUMBERS, /* an array of u64 */
	BLOCK_TEXTS, /* an array of texts */
	BLOCK_FLAGS, /* an array of u8 */
};

/* Returns the type's name in ClickHouse. */
const char *block_type_name(enum block_type type);

/* Recently added words: most rows have those of the row before. */
#define BLOCK_RECENT 16

struct block_column {
	const char *name;
	enum block_type type;
	struct out values; /* of arrays: their items; of words: u32 */
	struct out ends; /* of arrays: u64, the number of items up to the end of each row */
	uint64_t items; /* of arrays */
	struct texts words;
	struct {
		const char *text;
		uint32_t number;
	} recent[BLOCK_RECENT]; /* by address */
};

struct block {
	struct block_column *columns;
	size_t count;
	uint64_t rows;
};

void block_fini(struct block *b);

/* Adds a column, before the first row. `name` is kept. */
void block_add_column(struct block *b, const char *name, enum block_type type);

/* Removes the rows. */
void block_clear(struct block *b);

/* Adds the block; nothing if it has no rows. */
void block_put(struct out *out, const struct block *b);

/* Returns about how many bytes block_put() adds. */
size_t block_bytes(const struct block *b);

static inline void block_u8(struct block_column *c, uint8_t v)
{
	out_char(&c->values, (char)v);
}

static inline void block_u32(struct block_column *c, uint32_t v)
{
	v = htole32(v);
	out_bytes(&c->values, &v, sizeof(v));
}

static inline void block_u64(struct block_column *c, uint64_t v)
{
	v = htole64(v);
	out_bytes(&c->values, &v, sizeof(v));
}

/* Adds a text, or an item of an array of texts. */
void block_text(struct block_column *c, const char *text, size_t length);

/* Adds a word. */
void block_word(struct block_column *c, const char *word);

/* Add an item to the row's array. */
static inline void block_number(struct block_column *c, uint64_t v)
{
	block_u64(c, v);
	c->items++;
}

static inline void block_item(struct block_column *c, const char *text, size_t length)
{
	block_text(c, text, length);
	c->items++;
}

static inline void block_flag(struct block_column *c, uint8_t v)
{
	block_u8(c, v);
	c->items++;
}

/* Ends the row's array. */
static inline void block_end(struct block_column *c)
{
	uint64_t end = htole64(c->items);

	out_bytes(&c->ends, &end, sizeof(end));
}

#endif
