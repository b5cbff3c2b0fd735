/* SPDX-License-Identifier: MIT */
/* The guest's memory: where it comes from, and what a store into code does. */
#include "machine/ram.h"

#include <assert.h>
#include <stdlib.h>

#include "machine/trace.h"

bool ram_init(struct ram *ram, uint64_t size)
{
	*ram = (struct ram){ .size = size };
	ram->bytes = calloc(1, size);
	ram->code = calloc(size >> RAM_PAGE_SHIFT, 1);
	if (!ram->bytes || !ram->code) {
		ram_fini(ram);
		return false;
	}
	return true;
}

void ram_fini(struct ram *ram)
{
	free(ram->bytes);
	free(ram->code);
	*ram = (struct ram){ 0 };
}

void ram_watch(struct ram *ram, uint64_t *word, uint64_t bits)
{
	assert(ram->watchers_count < RAM_WATCHERS);
	ram->watchers[ram->watchers_count++] = (struct ram_watcher){ .word = word, .bits = bits };
}

void ram_code_written(struct ram *ram, uint64_t page)
{
	__atomic_store_n(&ram->code[page], 0, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < ram->watchers_count; i++) {
		const struct ram_watcher *watcher = &ram->watchers[i];

		__atomic_fetch_or(watcher->word, watcher->bits, __ATOMIC_RELEASE);
	}
	trace_ram_code_written(RAM_BASE + (page << RAM_PAGE_SHIFT));
}
