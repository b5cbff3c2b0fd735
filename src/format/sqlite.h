/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a database of SQLite, from https://www.sqlite.org/fileformat.html. A file is pages
 * of one size, with numbers from 1; the first has the file's header. A table is a tree of pages: a
 * leaf has rows as cells; an inner page has a cell for each child but the last, the child's number
 * and its largest row number. The cells fill a page from its end; an array of their places follows
 * the page's header. A row that is too long for a page continues in a chain of pages. Numbers have
 * their high byte first.
 */
#ifndef FORMAT_SQLITE_H
#define FORMAT_SQLITE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of a page: SQLite's default. */
#define DATABASE_PAGE 4096u

/* The page that contains this byte is for locks: it is empty, and in no tree. */
#define DATABASE_LOCK_BYTE 0x40000000u
#define DATABASE_LOCK_PAGE (DATABASE_LOCK_BYTE / DATABASE_PAGE + 1)

#define DATABASE_PAGES_MAX 0xFFFFFFFEu

/* Offset of the number of pages in the file's header. */
#define DATABASE_PAGE_COUNT 28

/* Offsets in the header of a page in a tree. */
enum database_page {
	DATABASE_PAGE_TYPE = 0, /* 8 bits */
	DATABASE_PAGE_CELLS = 3, /* 16 bits: their number */
	DATABASE_PAGE_CONTENT = 5, /* 16 bits: where the cells begin */
	DATABASE_LEAF_HEADER = 8,
	DATABASE_LAST_CHILD = 8, /* 32 bits, in an inner page */
	DATABASE_INNER_HEADER = 12,
};

enum database_page_type { DATABASE_INNER = 5, DATABASE_LEAF = 13 };

/* The most bytes of a row in its leaf; of a longer one, at least DATABASE_LOCAL_MIN. */
#define DATABASE_LOCAL_MAX (DATABASE_PAGE - 35)
#define DATABASE_LOCAL_MIN ((DATABASE_PAGE - 12) * 32 / 255 - 23)

/* A further page of a row: the number of the next one, or 0, and bytes. */
#define DATABASE_REST_HEADER sizeof(uint32_t)
#define DATABASE_REST (DATABASE_PAGE - DATABASE_REST_HEADER)

/* Types of values in a row's header; integers of 1, 2, 3, 4, 6 and 8 bytes are 1 to 6. */
enum database_type {
	DATABASE_NULL = 0,
	DATABASE_REAL = 7,
	DATABASE_ZERO = 8, /* the integer 0, without bytes, and 1 */
	DATABASE_BLOB = 12, /* and twice the number of bytes */
	DATABASE_TEXT = 13,
};

static inline void database_put16(unsigned char *to, size_t v)
{
	to[0] = (unsigned char)(v >> 8);
	to[1] = (unsigned char)v;
}

static inline void database_put32(unsigned char *to, uint32_t v)
{
	database_put16(to, v >> 16);
	database_put16(to + 2, v & 0xFFFF);
}

/* Maximum bytes of a number with 7 bits in each byte; the high ones are first. */
#define DATABASE_VARINT_MAX 8

/* Returns the bytes of such a number below 2^56; a larger one is stored in another way. */
static inline size_t database_varint_size(uint64_t v)
{
	return (70 - (size_t)__builtin_clzll(v | 1)) / 7;
}

static inline unsigned char *database_varint(unsigned char *to, uint64_t v)
{
	size_t size = database_varint_size(v);

	to[size - 1] = v & 0x7F;
	for (size_t i = size - 1; i-- > 0;) {
		v >>= 7;
		to[i] = (unsigned char)(v | 0x80);
	}
	return to + size;
}

#endif
