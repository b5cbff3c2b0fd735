/* SPDX-License-Identifier: MIT */
/*
 * Memory for code, mapped twice: what can be written cannot be executed, and the
 * other way round. Both begin at the same bytes.
 */
#ifndef RISCV_TRANSLATE_REGION_H
#define RISCV_TRANSLATE_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct region {
	uint8_t *write;
	const uint8_t *execute;
	size_t bytes;
};

/* Returns false with errno. */
bool region_open(struct region *region, size_t bytes);
void region_close(struct region *region);

static inline const void *region_executable(const struct region *region, const uint8_t *written)
{
	return region->execute + (written - region->write);
}

static inline uint8_t *region_writable(const struct region *region, const uint8_t *executed)
{
	return region->write + (executed - region->execute);
}

#endif
