/* SPDX-License-Identifier: MIT */
/*
 * An output writer: text and bytes are buffered and written to a file descriptor in large pieces,
 * or stay in memory. It keeps its first error, so callers write without checks and check once, at
 * the end.
 */
#ifndef TEXT_OUT_H
#define TEXT_OUT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

struct out {
	char *data;
	size_t len;
	size_t capacity;
	int fd;
	int error; /* errno of the first failed write; 0: none */
	uint64_t skip; /* bytes that are left out: they were written before */
};

/* One `${name}` hole of a template, and its value. */
struct out_hole {
	const char *name;
	const char *value;
};

#define OUT_TO_MEMORY (-1)

/* Writes to `fd` when the buffer is full, or only to memory with OUT_TO_MEMORY. */
void out_init(struct out *o, int fd);
void out_fini(struct out *o);

/* Writes the buffered bytes to the descriptor. Returns 0 or the first errno. */
int out_flush(struct out *o);

void out_make_room(struct out *o, size_t n);

static inline bool out_has_room(const struct out *o, size_t n)
{
	return LIKELY(o->capacity - o->len > n);
}

/* Makes room for `n` more bytes and returns their place; out_advance() commits them. */
static inline char *out_reserve(struct out *o, size_t n)
{
	if (!out_has_room(o, n)) {
		out_make_room(o, n);
	}
	return o->data + o->len;
}

static inline void out_advance(struct out *o, size_t n)
{
	o->len += n;
}

static inline void out_bytes(struct out *o, const void *p, size_t n)
{
	memcpy(out_reserve(o, n), p, n);
	out_advance(o, n);
}

static inline void out_char(struct out *o, char c)
{
	*out_reserve(o, 1) = c;
	out_advance(o, 1);
}

static inline void out_str(struct out *o, const char *s)
{
	out_bytes(o, s, strlen(s));
}

/* Writes bytes in base64 (RFC 4648). */
void out_base64(struct out *o, const void *data, size_t size);

void out_printf(struct out *o, const char *fmt, ...) PRINTF(2, 3);
void out_vprintf(struct out *o, const char *fmt, va_list ap);

/*
 * Writes `text` with each `${name}` replaced by the value of the hole with that name. The last name
 * in `holes` is NULL. An unknown name is a bug of the caller and ends the program.
 */
void out_template(struct out *o, const char *text, const struct out_hole *holes);

/* Calls out_template() with the holes as arguments: OUT(o, "...${a}...", {"a", x}, {"b", y}). */
#define OUT(o, text, ...) \
	out_template((o), (text), (const struct out_hole[]){ __VA_ARGS__, { NULL, NULL } })

#endif
