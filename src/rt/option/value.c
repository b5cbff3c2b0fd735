/* SPDX-License-Identifier: MIT */
/* Values of keys: words, sizes and counts. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rt/host/error.h"
#include "rt/option/take.h"

int waymark_take_word(const char **to, const char *key, const char *value, const char *const *words,
	struct waymark_error *error)
{
	char all[64] = "";

	for (size_t i = 0; words[i]; i++) {
		if (strcmp(value, words[i]) == 0) {
			*to = words[i];
			return 0;
		}
		strcat(strcat(all, i ? ", " : ""), words[i]);
	}
	return waymark_fail(error, "%s=: '%s' is none of %s", key, value, all);
}

/* A number that is not 0; `*end` gets what stands behind it. */
static bool read_number(uint64_t *n, const char *text, const char **end)
{
	char *rest;

	errno = 0;
	*n = strtoull(text, &rest, 10);
	*end = rest;
	return *text >= '0' && *text <= '9' && !errno && *n != 0;
}

int waymark_take_size(uint64_t *to, const char *key, const char *value, struct waymark_error *error)
{
	static const char units[] = "KMG";
	const char *end;
	unsigned int shift = 0;
	bool ok = read_number(to, value, &end);
	const char *unit = isalpha((unsigned char)*end) ? strchr(units, *end & ~0x20) : NULL;

	if (unit) {
		shift = 10 * (unsigned int)(unit - units + 1);
		end++;
	}
	if (!ok || *end || *to > UINT64_MAX >> shift) {
		return waymark_fail(error,
			"%s=: '%s' is no size; write a number with K, M or G behind it", key,
			value);
	}
	*to <<= shift;
	return 0;
}

int waymark_take_count(
	uint64_t *to, const char *key, uint64_t max, const char *value, struct waymark_error *error)
{
	const char *end;

	if (read_number(to, value, &end) && !*end && *to <= max) {
		return 0;
	}
	return waymark_fail(error, "%s=: '%s' is no number from 1 to %llu", key, value,
		(unsigned long long)max);
}
