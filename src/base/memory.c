/* SPDX-License-Identifier: MIT */
/* Allocation that ends an offline tool with a message instead of returning NULL. */
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void NORETURN out_of_memory(void)
{
	fputs("out of memory\n", stderr);
	exit(EXIT_FAILURE);
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p) {
		out_of_memory();
	}
	return p;
}

void *xrealloc(void *p, size_t size)
{
	void *grown = realloc(p, size ? size : 1);

	if (!grown) {
		out_of_memory();
	}
	return grown;
}

char *xstrdup(const char *s)
{
	size_t size = strlen(s) + 1;

	return memcpy(xrealloc(NULL, size), s, size);
}
