/* SPDX-License-Identifier: MIT */
/*
 * Patterns of event names: `*` matches any run of characters, `?` exactly one. Header-only: no
 * recursion, no allocation, async-signal-safe.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool glob_is_pattern(const char *s)
{
	return strpbrk(s, "*?") != NULL;
}

/* True if all of `s` matches. After a mismatch, only the last star is tried again. */
static inline bool glob_match(const char *pattern, const char *s)
{
	const char *star = NULL;
	const char *retry = NULL;

	while (*s) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = s;
		} else if (*pattern == '?' || *pattern == *s) {
			pattern++;
			s++;
		} else if (star) {
			pattern = star;
			s = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*') {
		pattern++;
	}
	return *pattern == '\0';
}

/* True if the name matches, or the pattern equals its category: the part before its first colon. */
static inline bool glob_match_name(const char *pattern, const char *name)
{
	size_t category = strcspn(name, ":");

	return glob_match(pattern, name) ||
	       (category && name[category] && strncmp(pattern, name, category) == 0 &&
		       !pattern[category]);
}

#endif
