/* SPDX-License-Identifier: MIT */
/*
 * A pattern over names: the name itself, one with `*` and `?`, or between slashes an extended
 * regular expression that is found anywhere in the name. One thread.
 */
#ifndef READ_NAME_PATTERN_H
#define READ_NAME_PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

struct name_pattern {
	const char *text; /* NULL: every name */
	bool is_excluded; /* what it meets is not wanted; for who has several */
	bool is_regex;
	regex_t regex;
};

/* Reads it, and keeps the text. False: it is no regular expression, `why` says it. */
bool name_pattern_read(struct name_pattern *p, const char *text, char *why, size_t size);
void name_pattern_fini(struct name_pattern *p);

bool name_pattern_meets(const struct name_pattern *p, const char *name);

#endif
