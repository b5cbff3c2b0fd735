/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores of a hart, of any alignment in memory; where none is, there
 * may be a device. `size` is 1, 2, 4 or 8, a constant at best. After false there
 * was a trap, for which hart->pc has to be right.
 */
#ifndef RISCV_HART_MEMORY_H
#define RISCV_HART_MEMORY_H

#include "hart/hart.h"

/* The guest's memory is the guest's to race in; the host's checks are kept out of there. */
#define MEMORY_OF_THE_GUEST __attribute__((no_sanitize("thread")))

#define MEMORY_WORD(bits)             \
	struct memory_##bits {        \
		uint##bits##_t value; \
	} __attribute__((packed, may_alias))

MEMORY_WORD(8);
MEMORY_WORD(16);
MEMORY_WORD(32);
MEMORY_WORD(64);

/* Where there is no memory: a device's register, or a trap. */
bool memory_load_slowly(struct hart *hart, uint64_t address, unsigned int size, uint64_t *value);
bool memory_store_slowly(struct hart *hart, uint64_t address, unsigned int size, uint64_t value);

MEMORY_OF_THE_GUEST static inline uint64_t memory_get(const void *at, unsigned int size)
{
	switch (size) {
	case 1:
		return ((const volatile struct memory_8 *)at)->value;
	case 2:
		return ((const volatile struct memory_16 *)at)->value;
	case 4:
		return ((const volatile struct memory_32 *)at)->value;
	default:
		return ((const volatile struct memory_64 *)at)->value;
	}
}

MEMORY_OF_THE_GUEST static inline void memory_put(void *at, unsigned int size, uint64_t value)
{
	switch (size) {
	case 1:
		((volatile struct memory_8 *)at)->value = value;
		break;
	case 2:
		((volatile struct memory_16 *)at)->value = value;
		break;
	case 4:
		((volatile struct memory_32 *)at)->value = value;
		break;
	default:
		((volatile struct memory_64 *)at)->value = value;
	}
}

static inline bool memory_load(
	struct hart *hart, uint64_t address, unsigned int size, uint64_t *value)
{
	const void *at = ram_at(hart->ram, address, size);

	if (__builtin_expect(!at, 0)) {
		return memory_load_slowly(hart, address, size, value);
	}
	*value = memory_get(at, size);
	return true;
}

static inline bool memory_store(
	struct hart *hart, uint64_t address, unsigned int size, uint64_t value)
{
	void *at = ram_at(hart->ram, address, size);

	if (__builtin_expect(!at, 0)) {
		return memory_store_slowly(hart, address, size, value);
	}
	memory_put(at, size, value);
	ram_written(hart->ram, at, size);
	return true;
}

#endif
