/* SPDX-License-Identifier: MIT */
/*
 * Events files: on each line a name or pattern, with `-` before it to switch off, or a comment
 * after `#`. In StratoVirt's dialect: on each line a regular expression, to switch on. These
 * functions only read, and switch nothing.
 */
#ifndef RT_CONTROL_EVENTS_FILE_H
#define RT_CONTROL_EVENTS_FILE_H

#include "rt/event/rule.h"

/* Adds the lines of a file to `rules`. Returns 0, or -1 with file, line and reason. */
int waymark_events_file_read(
	struct waymark_rules *rules, const char *path, struct waymark_error *error);

/* Adds one regular expression of StratoVirt's dialect. Returns 0, or -1 with the reason. */
int waymark_regex_add(struct waymark_rules *rules, const char *regex, struct waymark_error *error);

/*
 * Adds the lines of a list in StratoVirt's dialect, each a regular expression. Returns 0, or -1
 * with file, line and reason.
 */
int waymark_regex_file_read(
	struct waymark_rules *rules, const char *path, struct waymark_error *error);
int waymark_regex_file_parse(struct waymark_rules *rules, const char *path, const char *text,
	size_t len, struct waymark_error *error);

/*
 * Does what waymark_events_file_read() does for `len` bytes of text in memory; messages name it
 * `path`.
 */
int waymark_events_file_parse(struct waymark_rules *rules, const char *path, const char *text,
	size_t len, struct waymark_error *error);

#endif
