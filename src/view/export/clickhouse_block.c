/* SPDX-License-Identifier: MIT */
/* A block as bytes: its columns are in memory as they are written, but for words. */
#include "view/export/clickhouse_block.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "format/clickhouse.h"

static const char *const type_names[] = {
	[BLOCK_U8] = "UInt8",
	[BLOCK_U32] = "UInt32",
	[BLOCK_U64] = "UInt64",
	[BLOCK_I64] = "Int64",
	[BLOCK_TIME] = "DateTime",
	[BLOCK_TEXT] = "String",
	[BLOCK_WORD] = "LowCardinality(String)",
	[BLOCK_NUMBERS] = "Array(UInt64)",
	[BLOCK_TEXTS] = "Array(String)",
	[BLOCK_FLAGS] = "Array(UInt8)",
};

const char *block_type_name(enum block_type type)
{
	return type_names[type];
}

void block_add_column(struct block *b, const char *name, enum block_type type)
{
	b->columns = xrealloc(b->columns, (b->count + 1) * sizeof(*b->columns));
	struct block_column *c = &b->columns[b->count++];

	*c = (struct block_column){ .name = name, .type = type };
	out_init(&c->values, OUT_TO_MEMORY);
	out_init(&c->ends, OUT_TO_MEMORY);
}

void block_clear(struct block *b)
{
	b->rows = 0;
	for (size_t i = 0; i < b->count; i++) {
		struct block_column *c = &b->columns[i];

		c->values.len = c->ends.len = 0;
		c->items = 0;
		texts_fini(&c->words);
		memset(c->recent, 0, sizeof(c->recent));
	}
}

void block_fini(struct block *b)
{
	block_clear(b);
	for (size_t i = 0; i < b->count; i++) {
		out_fini(&b->columns[i].values);
		out_fini(&b->columns[i].ends);
	}
	free(b->columns);
	*b = (struct block){ 0 };
}

/* ---- Values ---- */

#define LEB128_MAX 10

static void put_number(struct out *out, uint64_t v)
{
	char *to = out_reserve(out, LEB128_MAX);
	size_t n = 0;

	for (; v > 127; v >>= 7) {
		to[n++] = (char)((v & 127) | 128);
	}
	to[n++] = (char)v;
	out_advance(out, n);
}

static void put_text(struct out *out, const char *text, size_t length)
{
	put_number(out, length);
	out_bytes(out, text, length);
}

void block_text(struct block_column *c, const char *text, size_t length)
{
	put_text(&c->values, text, length);
}

void block_word(struct block_column *c, const char *word)
{
	size_t place = (uintptr_t)word / sizeof(void *) % BLOCK_RECENT;

	/* Another trace's word may be at an address that was freed. */
	if (UNLIKELY(c->recent[place].text != word) ||
		strcmp(c->words.items[c->recent[place].number], word) != 0) {
		if (c->words.count == 0) {
			texts_number(&c->words, "", 0); /* a server expects the default first */
		}
		c->recent[place].text = word;
		c->recent[place].number = texts_number(&c->words, word, strlen(word));
	}
	block_u32(c, c->recent[place].number);
}

/* ---- The block ---- */

static void put_u64(struct out *out, uint64_t v)
{
	v = htole64(v);
	out_bytes(out, &v, sizeof(v));
}

/* Writes the rows' numbers of words, each in `bytes`. */
static void put_narrow(struct out *out, const struct out *numbers, size_t bytes)
{
	size_t count = numbers->len / sizeof(uint32_t);
	char *to = out_reserve(out, count * bytes);

	for (size_t i = 0; i < count; i++) {
		memcpy(to + i * bytes, numbers->data + i * sizeof(uint32_t), bytes);
	}
	out_advance(out, count * bytes);
}

static void put_words(struct out *out, const struct block_column *c)
{
	unsigned int width = c->words.count <= UINT8_MAX + 1	? CLICKHOUSE_WORDS_OF_8
			     : c->words.count <= UINT16_MAX + 1 ? CLICKHOUSE_WORDS_OF_16
								: CLICKHOUSE_WORDS_OF_32;

	put_u64(out, CLICKHOUSE_WORDS_VERSION);
	put_u64(out, CLICKHOUSE_WORDS_FLAGS | width);
	put_u64(out, c->words.count);
	for (size_t i = 0; i < c->words.count; i++) {
		put_text(out, c->words.items[i], strlen(c->words.items[i]));
	}
	put_u64(out, c->values.len / sizeof(uint32_t));
	put_narrow(out, &c->values, (size_t)1 << width);
}

static void put_all(struct out *out, const struct out *from)
{
	if (from->len > 0) {
		out_bytes(out, from->data, from->len);
	}
}

/* True for an array that is empty in all rows: a server has empty arrays where a block has none. */
static bool is_left_out(const struct block_column *c)
{
	return c->ends.len > 0 && c->items == 0;
}

void block_put(struct out *out, const struct block *b)
{
	size_t count = b->count;

	if (b->rows == 0) {
		return;
	}
	for (size_t i = 0; i < b->count; i++) {
		count -= is_left_out(&b->columns[i]);
	}
	put_number(out, count);
	put_number(out, b->rows);
	for (size_t i = 0; i < b->count; i++) {
		const struct block_column *c = &b->columns[i];
		const char *type = type_names[c->type];

		if (is_left_out(c)) {
			continue;
		}
		put_text(out, c->name, strlen(c->name));
		put_text(out, type, strlen(type));
		if (c->type == BLOCK_WORD) {
			put_words(out, c);
		} else {
			put_all(out, &c->ends);
			put_all(out, &c->values);
		}
	}
}

size_t block_bytes(const struct block *b)
{
	size_t bytes = 0;

	for (size_t i = 0; i < b->count; i++) {
		bytes += b->columns[i].ends.len + b->columns[i].values.len;
	}
	return bytes;
}
