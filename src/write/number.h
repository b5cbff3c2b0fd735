/* SPDX-License-Identifier: MIT */
/* Stores numbers of up to 64 bits in this host's byte order. For the writers. */
#ifndef WRITE_NUMBER_H
#define WRITE_NUMBER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Stores the low `size` bytes of a number: 1, 2, 4 or 8. `p` may have any alignment. */
static inline void number_put(unsigned char *p, uint64_t v, size_t size)
{
	const uint32_t word = (uint32_t)v;
	const uint16_t half = (uint16_t)v;

	switch (size) {
	case 1:
		*p = (unsigned char)v;
		break;
	case sizeof(half):
		memcpy(p, &half, sizeof(half));
		break;
	case sizeof(word):
		memcpy(p, &word, sizeof(word));
		break;
	default:
		memcpy(p, &v, sizeof(v));
	}
}

#endif
