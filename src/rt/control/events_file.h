/* SPDX-License-Identifier: MIT */
/*
 * Events files: a name or pattern a line, `-` before it to switch off, comments behind `#`. In
 * StratoVirt's dialect: a regular expression a line, to switch on. These functions only read;
 * they switch nothing.
 */
#ifndef RT_CONTROL_EVENTS_FILE_H
#define RT_CONTROL_EVENTS_FILE_H

#include "rt/event/rule.h"

/* Adds the lines of a file to `rules`. Returns 0, or -1 with file, line and reason. */
int waymark_events_file_read(
	struct waymark_rules *rules, const char *path, struct waymark_error *error);

/* Adds one regular expression of StratoVirt's dialect. Returns 0, or -1 with the reason. */
int waymark_regex_add(struct waymark_rules *rules, const char *regex, struct waymark_error *error);

/* Adds the lines of a list of StratoVirt's dialect: a regular expression each. As above. */
int waymark_regex_file_read(
	struct waymark_rules *rules, const char *path, struct waymark_error *error);
int waymark_regex_file_parse(struct waymark_rules *rules, const char *path, const char *text,
	size_t len, struct waymark_error *error);

/* Same as the first for text in memory, `len` bytes; `path` is what messages call it. */
int waymark_events_file_parse(struct waymark_rules *rules, const char *path, const char *text,
	size_t len, struct waymark_error *error);

#endif
