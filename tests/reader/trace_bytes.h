/* SPDX-License-Identifier: MIT */
/*
 * Simpletrace files made in memory, for tests: any version, either byte order, valid
 * or invalid. Opened as a memory file, or through a pipe in small pieces.
 */
#ifndef TESTS_TRACE_BYTES_H
#define TESTS_TRACE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vec.h"
#include "decl/decl.h"
#include "format/simple.h"

struct trace_bytes {
	VEC(unsigned char) bytes;
	bool swap;
	size_t record; /* offset and id of the open record */
};

static inline void put_bytes(struct trace_bytes *t, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		vec_push(&t->bytes, ((const unsigned char *)p)[i]);
	}
}

static inline void put32(struct trace_bytes *t, uint32_t v)
{
	v = t->swap ? __builtin_bswap32(v) : v;
	put_bytes(t, &v, sizeof(v));
}

static inline void put64(struct trace_bytes *t, uint64_t v)
{
	v = t->swap ? __builtin_bswap64(v) : v;
	put_bytes(t, &v, sizeof(v));
}

static inline void put_header(struct trace_bytes *t, uint64_t version)
{
	put64(t, SIMPLE_HEADER_ID);
	put64(t, SIMPLE_MAGIC);
	put64(t, version);
	for (int i = 0; version == 0 && i < 5; i++) {
		put64(t, 0);
	}
}

static inline void put_mapping(struct trace_bytes *t, uint64_t id, const char *name)
{
	put64(t, SIMPLE_MAPPING);
	put64(t, id);
	put32(t, (uint32_t)strlen(name));
	put_bytes(t, name, strlen(name));
}

/* Begins a record of versions 2 to 4; end_record() sets its length. */
static inline void begin_record(
	struct trace_bytes *t, unsigned int version, uint64_t id, uint64_t ns)
{
	if (version == 4) {
		put64(t, SIMPLE_EVENT);
	}
	t->record = t->bytes.count;
	put64(t, id);
	put64(t, ns);
	put32(t, 0);
	put32(t, version == 2 ? 0 : 77);
}

static inline void put_string(struct trace_bytes *t, const char *s)
{
	put32(t, (uint32_t)strlen(s));
	put_bytes(t, s, strlen(s));
}

static inline void set_length(struct trace_bytes *t, uint32_t length)
{
	length = t->swap ? __builtin_bswap32(length) : length;
	memcpy(t->bytes.items + t->record + 16, &length, sizeof(length));
}

static inline void end_record(struct trace_bytes *t)
{
	set_length(t, (uint32_t)(t->bytes.count - t->record));
}

/* Returns a descriptor from which the first `n` bytes can be read. */
static inline int bytes_fd(const struct trace_bytes *t, size_t n)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);

	if (n && write(fd, t->bytes.items, n) != (ssize_t)n) {
		return -1;
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* Declares the events in `text` leniently. */
static inline bool declare(struct model *m, const char *text)
{
	static const struct decl_options options = { .lenient = true };
	struct source *source = arena_new(&m->arena, struct source);
	struct diag diag;

	source->name = "events";
	source->len = strlen(text);
	source->text = arena_strdup(&m->arena, text);
	diag_init(&diag);
	bool ok = decl_read(m, &diag, source, &options);

	diag_fini(&diag);
	return ok;
}

#endif
