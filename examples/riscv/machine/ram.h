/* SPDX-License-Identifier: MIT */
/*
 * The guest's memory, at the addresses from RAM_BASE. Harts and devices use it
 * at once, as the guest wants it; races in there are the guest's own.
 *
 * Who keeps decoded or translated code marks its page first. A store into such
 * a page takes the mark away and tells all who watch: they drop their code before
 * it runs again.
 */
#ifndef RISCV_MACHINE_RAM_H
#define RISCV_MACHINE_RAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the guest's memory is used as it stands: the host must be little-endian, too"
#endif

#define RAM_BASE UINT64_C(0x80000000)
#define RAM_PAGE_SHIFT 12
#define RAM_PAGE (UINT64_C(1) << RAM_PAGE_SHIFT)

#define RAM_WATCHERS 4

/* Bits that are set, atomically, when code was written. */
struct ram_watcher {
	uint64_t *word;
	uint64_t bits;
};

struct ram {
	uint8_t *bytes;
	uint64_t size; /* whole pages */
	uint8_t *code; /* for each page: somebody keeps code of it */
	struct ram_watcher watchers[RAM_WATCHERS];
	unsigned int watchers_count;
};

/* Memory of so many bytes, all zero. Returns false without memory. */
bool ram_init(struct ram *ram, uint64_t size);
void ram_fini(struct ram *ram);

/* Before anything runs. The word has to outlive the memory's use. */
void ram_watch(struct ram *ram, uint64_t *word, uint64_t bits);

/* Says that bytes of a page with code were written. */
void ram_code_written(struct ram *ram, uint64_t page);

/* Where `size` bytes of the guest's are, or NULL where not all of them are memory. */
static inline void *ram_at(const struct ram *ram, uint64_t address, uint64_t size)
{
	uint64_t offset = address - RAM_BASE;

	return size <= ram->size && offset <= ram->size - size ? ram->bytes + offset : NULL;
}

static inline void ram_mark_code(struct ram *ram, uint64_t address)
{
	__atomic_store_n(&ram->code[(address - RAM_BASE) >> RAM_PAGE_SHIFT], 1, __ATOMIC_SEQ_CST);
}

/* After each write of at least a byte to what ram_at() gave. */
static inline void ram_written(struct ram *ram, const void *at, uint64_t size)
{
	uint64_t offset = (const uint8_t *)at - ram->bytes;
	uint64_t last = (offset + size - 1) >> RAM_PAGE_SHIFT;

	for (uint64_t page = offset >> RAM_PAGE_SHIFT; page <= last; page++) {
		if (__builtin_expect(__atomic_load_n(&ram->code[page], __ATOMIC_RELAXED), 0)) {
			ram_code_written(ram, page);
		}
	}
}

#endif
