/* SPDX-License-Identifier: MIT */
/*
 * Pages and trees, see sqlite_pages.h. An inner page keeps its last two children back: one becomes
 * the page's last child when the page is full, and the other the first of the next page, which
 * then has two at least, as SQLite requires.
 */
#include "view/export/sqlite_pages.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

/* Bytes of a cell's place in the array of them. */
#define PLACE 2

/* Maximum bytes of an inner page's cell. */
#define CHILD_MAX (sizeof(uint32_t) + DATABASE_VARINT_MAX)

struct child {
	uint32_t page;
	int64_t last; /* its largest row */
};

/* The open page of a level. */
struct sqlite_level {
	unsigned char bytes[DATABASE_PAGE];
	size_t header; /* its bytes */
	size_t cells;
	size_t content; /* offset of the last cell */
	struct child kept[2]; /* the last children of an inner page, which are no cells yet */
	size_t kept_count;
};

/* ---- Pages ---- */

static uint32_t page_after(uint32_t number)
{
	return number + 1 + (number + 1 == DATABASE_LOCK_PAGE);
}

/* Writes a page; returns its number. */
static uint32_t put_page(struct sqlite_pages *p, const unsigned char *bytes)
{
	static const unsigned char none[DATABASE_PAGE];

	if (p->count >= DATABASE_PAGES_MAX - 1 && !p->out.error) {
		p->out.error = EFBIG;
	}
	if (p->count + 1 == DATABASE_LOCK_PAGE) {
		out_bytes(&p->out, none, DATABASE_PAGE);
		p->count++;
	}
	out_bytes(&p->out, bytes, DATABASE_PAGE);
	return ++p->count;
}

void sqlite_pages_begin(struct sqlite_pages *p, int fd)
{
	out_init(&p->out, fd);
	p->count = 1;
	if (lseek(fd, DATABASE_PAGE, SEEK_SET) < 0) {
		p->out.error = errno;
	}
}

/* Writes bytes at a place in a file; returns 0 or an errno. */
static int put_at(int fd, const unsigned char *bytes, size_t size, off_t at)
{
	ssize_t n = pwrite(fd, bytes, size, at);

	return n < 0 ? errno : (size_t)n < size ? ENOSPC : 0;
}

int sqlite_pages_end(struct sqlite_pages *p)
{
	unsigned char count[sizeof(uint32_t)];
	int error = out_flush(&p->out);

	database_put32(count, p->count);
	error = error ? error : put_at(p->out.fd, count, sizeof(count), DATABASE_PAGE_COUNT);
	out_fini(&p->out);
	return error;
}

/* Writes the end of a row into pages of its own; returns the number of the first. */
static COLD uint32_t put_rest(struct sqlite_pages *p, const char *bytes, size_t size)
{
	uint32_t first = page_after(p->count);
	size_t part;

	for (; size > 0; size -= part, bytes += part) {
		unsigned char page[DATABASE_PAGE] = { 0 };

		part = size < DATABASE_REST ? size : DATABASE_REST;
		database_put32(page, part < size ? page_after(page_after(p->count)) : 0);
		memcpy(page + DATABASE_REST_HEADER, bytes, part);
		put_page(p, page);
	}
	return first;
}

/* ---- The open pages of a tree ---- */

static void clear(struct sqlite_level *l)
{
	memset(l->bytes, 0, sizeof(l->bytes));
	l->content = DATABASE_PAGE;
	l->cells = 0;
}

/* Returns the open page of a level, which may be one above the highest. */
static struct sqlite_level *level_of(struct sqlite_tree *t, size_t level)
{
	assert(level < SQLITE_LEVELS);
	if (level == t->depth) {
		struct sqlite_level *l = t->levels[t->depth++] = xcalloc(1, sizeof(*l));

		l->header = level == 0 ? DATABASE_LEAF_HEADER : DATABASE_INNER_HEADER;
		clear(l);
	}
	return t->levels[level];
}

static bool has_room(const struct sqlite_level *l, size_t cells, size_t size)
{
	return l->header + PLACE * (l->cells + cells) + cells * size <= l->content;
}

/* Adds a cell of this size; returns its place. */
static unsigned char *add_cell(struct sqlite_level *l, size_t size)
{
	l->content -= size;
	database_put16(l->bytes + l->header + PLACE * l->cells, l->content);
	l->cells++;
	return l->bytes + l->content;
}

static void set_header(struct sqlite_level *l, enum database_page_type type)
{
	l->bytes[DATABASE_PAGE_TYPE] = (unsigned char)type;
	database_put16(l->bytes + DATABASE_PAGE_CELLS, l->cells);
	database_put16(l->bytes + DATABASE_PAGE_CONTENT, l->content);
}

/* ---- Inner pages ---- */

static void take_kept(struct sqlite_level *l)
{
	l->kept[0] = l->kept[1];
	l->kept_count--;
}

/* Makes the first child that is kept back a cell. */
static void put_kept(struct sqlite_level *l)
{
	uint64_t last = (uint64_t)l->kept[0].last;
	unsigned char *at = add_cell(l, sizeof(uint32_t) + database_varint_size(last));

	database_put32(at, l->kept[0].page);
	database_varint(at + sizeof(uint32_t), last);
	take_kept(l);
}

/* Completes a page: the first child that is kept back is its last one. Returns its last row. */
static int64_t complete_inner(struct sqlite_level *l)
{
	int64_t last = l->kept[0].last;

	database_put32(l->bytes + DATABASE_LAST_CHILD, l->kept[0].page);
	set_header(l, DATABASE_INNER);
	take_kept(l);
	return last;
}

/* Adds a child to the open page of a level; a full page is written, and then its parent's child. */
static void add_child(struct sqlite_tree *t, struct sqlite_pages *p, size_t level, struct child c)
{
	for (;; level++) {
		struct sqlite_level *l = level_of(t, level);
		struct child parent = { 0 };

		if (l->kept_count == 2 && has_room(l, 2, CHILD_MAX)) {
			put_kept(l);
		} else if (l->kept_count == 2) {
			parent.last = complete_inner(l);
			parent.page = put_page(p, l->bytes);
			clear(l);
		}
		l->kept[l->kept_count++] = c;
		if (!parent.page) {
			return;
		}
		c = parent;
	}
}

/* ---- Leaves ---- */

static void end_leaf(struct sqlite_tree *t, struct sqlite_pages *p)
{
	struct sqlite_level *leaf = t->levels[0];

	set_header(leaf, DATABASE_LEAF);
	add_child(t, p, 1, (struct child){ put_page(p, leaf->bytes), t->last });
	clear(leaf);
}

/* Returns how many bytes of a row are in its leaf. */
static size_t local_size(size_t size)
{
	if (LIKELY(size <= DATABASE_LOCAL_MAX)) {
		return size;
	}
	size_t local = DATABASE_LOCAL_MIN + (size - DATABASE_LOCAL_MIN) % DATABASE_REST;

	return local <= DATABASE_LOCAL_MAX ? local : DATABASE_LOCAL_MIN;
}

/* Writes a row that continues in pages of its own. */
static COLD void put_long(
	struct sqlite_pages *p, unsigned char *at, size_t local, struct out *bytes)
{
	memcpy(at, bytes->data, local);
	database_put32(at + local, put_rest(p, bytes->data + local, bytes->len - local));
}

/* Returns the bytes of a row's header, whose first number is that. */
static size_t header_size(const struct sqlite_row *row)
{
	size_t size = row->types.len + 1;

	while (row->types.len + database_varint_size(size) > size) {
		size++;
	}
	return size;
}

static char *put_row(char *at, size_t header, const struct sqlite_row *row)
{
	at = (char *)database_varint((unsigned char *)at, header);
	memcpy(at, row->types.data, row->types.len);
	at += row->types.len;
	if (row->values.len > 0) { /* of zeros, ones and NULLs there is only a type */
		memcpy(at, row->values.data, row->values.len);
	}
	return at + row->values.len;
}

void sqlite_tree_add(
	struct sqlite_tree *t, struct sqlite_pages *p, int64_t number, const struct sqlite_row *row)
{
	size_t header = header_size(row);
	size_t size = header + row->values.len;
	size_t local = local_size(size);
	size_t cell = database_varint_size(size) + database_varint_size((uint64_t)number) + local +
		      (local < size ? sizeof(uint32_t) : 0);
	struct sqlite_level *leaf = level_of(t, 0);

	if (UNLIKELY(!has_room(leaf, 1, cell))) {
		end_leaf(t, p);
	}
	unsigned char *at = add_cell(leaf, cell);

	at = database_varint(database_varint(at, size), (uint64_t)number);
	if (LIKELY(local == size)) {
		put_row((char *)at, header, row);
	} else {
		struct out bytes;

		out_init(&bytes, OUT_TO_MEMORY);
		put_row(out_reserve(&bytes, size), header, row);
		out_advance(&bytes, size);
		put_long(p, at, local, &bytes);
		out_fini(&bytes);
	}
	t->last = number;
}

/* ---- The end ---- */

void sqlite_tree_end(struct sqlite_tree *t, struct sqlite_pages *p)
{
	struct sqlite_level *leaf = level_of(t, 0);

	if (t->depth == 1) {
		set_header(leaf, DATABASE_LEAF);
		return;
	}
	end_leaf(t, p);
	for (size_t level = 1; level < t->depth; level++) {
		struct sqlite_level *l = t->levels[level];

		put_kept(l);
		int64_t last = complete_inner(l);

		if (level + 1 < t->depth) {
			uint32_t page = put_page(p, l->bytes);

			add_child(t, p, level + 1, (struct child){ page, last });
		}
	}
}

int sqlite_tree_put_root(const struct sqlite_tree *t, int fd, uint32_t number)
{
	return put_at(fd, t->levels[t->depth - 1]->bytes, DATABASE_PAGE,
		(off_t)(number - 1) * DATABASE_PAGE);
}

void sqlite_tree_fini(struct sqlite_tree *t)
{
	for (size_t i = 0; i < t->depth; i++) {
		free(t->levels[i]);
	}
	t->depth = 0;
}
