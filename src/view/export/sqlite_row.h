/* SPDX-License-Identifier: MIT */
/* A row of a table of SQLite, as it is stored: the types of its values, then the values. */
#ifndef VIEW_EXPORT_SQLITE_ROW_H
#define VIEW_EXPORT_SQLITE_ROW_H

#include <endian.h>

#include "format/sqlite.h"
#include "text/out.h"

struct sqlite_row {
	struct out types;
	struct out values;
};

static inline void sqlite_row_init(struct sqlite_row *r)
{
	out_init(&r->types, OUT_TO_MEMORY);
	out_init(&r->values, OUT_TO_MEMORY);
}

static inline void sqlite_row_fini(struct sqlite_row *r)
{
	out_fini(&r->types);
	out_fini(&r->values);
}

static inline void sqlite_row_begin(struct sqlite_row *r)
{
	r->types.len = r->values.len = 0;
}

static inline void sqlite_row_null(struct sqlite_row *r)
{
	out_char(&r->types, DATABASE_NULL);
}

/* Adds the first `size` of the number's bytes, the high byte first. */
static inline void sqlite_row_put_bits(struct sqlite_row *r, uint64_t bits, size_t size)
{
	bits = htobe64(bits << (64 - 8 * size));
	memcpy(out_reserve(&r->values, sizeof(bits)), &bits, sizeof(bits));
	out_advance(&r->values, size);
}

static inline void sqlite_row_integer(struct sqlite_row *r, int64_t v)
{
	/* Bytes of the integer types that there are, by the bytes that a number needs. */
	static const unsigned char sizes[] = { 1, 1, 2, 3, 4, 6, 6, 8, 8 };
	uint64_t bits = (uint64_t)(v < 0 ? ~v : v);

	if (bits <= 1 && v >= 0) {
		out_char(&r->types, (char)(DATABASE_ZERO + v));
		return;
	}
	size_t size = sizes[(64 - (size_t)__builtin_clzll(bits | 1)) / 8 + 1];

	out_char(&r->types, (char)(size < 6 ? size : size / 2 + 2));
	sqlite_row_put_bits(r, (uint64_t)v, size);
}

/* A value that is not a number is NULL. */
static inline void sqlite_row_real(struct sqlite_row *r, double v)
{
	uint64_t bits;

	if (v != v) {
		sqlite_row_null(r);
		return;
	}
	memcpy(&bits, &v, sizeof(bits));
	out_char(&r->types, DATABASE_REAL);
	sqlite_row_put_bits(r, bits, sizeof(bits));
}

/* Adds a text or blob. */
static inline void sqlite_row_bytes(
	struct sqlite_row *r, enum database_type type, const char *bytes, size_t length)
{
	unsigned char *begin = (unsigned char *)out_reserve(&r->types, DATABASE_VARINT_MAX);
	unsigned char *end = database_varint(begin, type + 2 * (uint64_t)length);

	out_advance(&r->types, (size_t)(end - begin));
	out_bytes(&r->values, bytes, length);
}

/* Adds a text; NULL becomes NULL. */
static inline void sqlite_row_text(struct sqlite_row *r, const char *text)
{
	if (text) {
		sqlite_row_bytes(r, DATABASE_TEXT, text, strlen(text));
	} else {
		sqlite_row_null(r);
	}
}

/* Adds a number, or NULL if it is not known. */
static inline void sqlite_row_number(struct sqlite_row *r, bool is_known, int64_t number)
{
	if (is_known) {
		sqlite_row_integer(r, number);
	} else {
		sqlite_row_null(r);
	}
}

#endif
