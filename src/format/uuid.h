/* SPDX-License-Identifier: MIT */
/* UUIDs of traces, which are random: version 4 of RFC 9562. */
#ifndef FORMAT_UUID_H
#define FORMAT_UUID_H

#include <stdint.h>

/* Makes 16 random bytes a UUID. */
static inline void uuid_mark_random(uint8_t uuid[16])
{
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40);
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

#endif
