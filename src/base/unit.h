/* SPDX-License-Identifier: MIT */
/* The units of numbers, as `@unit` declares them, that can be converted. Header-only. */
#ifndef BASE_UNIT_H
#define BASE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t scale; /* its bytes or nanoseconds */
	bool is_time;
};

/* Returns the unit of that name; NULL if it cannot be converted. */
static inline const struct unit *unit_find(const char *name, size_t length)
{
	static const struct unit units[] = {
		{ "B", 1, false },
		{ "KiB", 1024, false },
		{ "MiB", 1024 * 1024, false },
		{ "sectors", 512, false },
		{ "ns", 1, true },
		{ "us", 1000, true },
		{ "ms", 1000000, true },
		{ "s", 1000000000, true },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0) {
			return &units[i];
		}
	}
	return NULL;
}

#endif
