/* SPDX-License-Identifier: MIT */
/* The bump allocator of base/arena.h: a list of blocks, of which the newest is in use. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define BLOCK_SIZE ((size_t)64 * 1024)
#define ALIGNMENT ((size_t)16)

struct arena_block {
	struct arena_block *next;
	/* Makes the header's size a multiple of 16, whatever the word size. */
	char data[] __attribute__((aligned(16)));
};

void arena_init(struct arena *a)
{
	*a = (struct arena){ 0 };
}

void arena_fini(struct arena *a)
{
	struct arena_block *block = a->blocks;

	while (block) {
		struct arena_block *next = block->next;

		free(block);
		block = next;
	}
	arena_init(a);
}

static void arena_grow(struct arena *a, size_t size)
{
	size_t capacity = size > BLOCK_SIZE ? size : BLOCK_SIZE;
	struct arena_block *block = xcalloc(1, sizeof(*block) + capacity);

	block->next = a->blocks;
	a->blocks = block;
	a->pos = block->data;
	a->end = block->data + capacity;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t rounded = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);

	if ((size_t)(a->end - a->pos) < rounded || !a->pos) { /* 0 bytes have an address, too */
		arena_grow(a, rounded);
	}
	void *p = a->pos;

	a->pos += rounded;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *copy = arena_alloc(a, len + 1);

	memcpy(copy, s, len);
	return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);

	char *text = arena_alloc(a, (size_t)len + 1);

	va_start(ap, fmt);
	vsnprintf(text, (size_t)len + 1, fmt, ap);
	va_end(ap);
	return text;
}
