/* SPDX-License-Identifier: MIT */
/*
 * Loads numbers from a trace's bytes: unaligned, in the byte order of the host that wrote them.
 * `swap` is a constant wherever speed matters.
 */
#ifndef READ_BYTES_H
#define READ_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t load32(const unsigned char *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t load64(const unsigned char *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

#endif
