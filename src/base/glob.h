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

/*
 * True if all of the text matches; neither needs a NUL. After a mismatch, only the last star is
 * tried again.
 */
static inline bool glob_match_text(
	const char *pattern, size_t pattern_length, const char *text, size_t length)
{
	const char *pattern_end = pattern + pattern_length;
	const char *end = text + length;
	const char *star = NULL;
	const char *retry = NULL;

	while (text < end) {
		if (pattern < pattern_end && *pattern == '*') {
			star = ++pattern;
			retry = text;
		} else if (pattern < pattern_end && (*pattern == '?' || *pattern == *text)) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++retry;
		} else {
			return false;
		}
	}
	while (pattern < pattern_end && *pattern == '*') {
		pattern++;
	}
	return pattern == pattern_end;
}

static inline bool glob_match(const char *pattern, const char *s)
{
	return glob_match_text(pattern, strlen(pattern), s, strlen(s));
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
