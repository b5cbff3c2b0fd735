/* SPDX-License-Identifier: MIT */
/* The bytes of a file that is not to be believed; for the loader's own files. */
#ifndef RISCV_LOADER_IMAGE_H
#define RISCV_LOADER_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct image {
	const uint8_t *bytes;
	uint64_t size;
};

/* Whether so many bytes at `offset` lie in the file. */
static inline bool image_has(const struct image *image, uint64_t offset, uint64_t bytes)
{
	return bytes <= image->size && offset <= image->size - bytes;
}

/* Copies a structure, which has any alignment in there. */
static inline bool image_get(const struct image *image, uint64_t offset, void *to, uint64_t bytes)
{
	if (!image_has(image, offset, bytes)) {
		return false;
	}
	memcpy(to, image->bytes + offset, bytes);
	return true;
}

/* Tells events the functions' names, where the file has them. What is wrong with them is no error.
 */
void symbols_trace(const struct image *image, const Elf64_Ehdr *header);

#endif
