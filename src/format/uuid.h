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

#define UUID_TEXT_SIZE 37

/* Writes groups of digits, as in 01234567-89ab-cdef-0123-456789abcdef. Async-signal-safe. */
static inline const char *uuid_text(char buffer[UUID_TEXT_SIZE], const uint8_t uuid[16])
{
	static const char digits[] = "0123456789abcdef";
	char *p = buffer;

	for (int i = 0; i < 16; i++) {
		*p++ = digits[uuid[i] >> 4];
		*p++ = digits[uuid[i] & 15];
		if (i == 3 || i == 5 || i == 7 || i == 9) {
			*p++ = '-';
		}
	}
	*p = '\0';
	return buffer;
}

#endif
