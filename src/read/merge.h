/* SPDX-License-Identifier: MIT */
/*
 * Several traces as one reader: files and directories, of any formats, processes
 * and hosts, merged by time. Times are the first trace's, since boot: others are
 * shifted as their hosts' clocks differ, unless they are of the same boot or one
 * of them has no time of day. One thread.
 */
#ifndef READ_MERGE_H
#define READ_MERGE_H

#include "read/reader.h"

/*
 * Opens the traces; a single one is opened as it is. "-" is standard input. NULL
 * if one of them cannot be opened: `error` begins with its path, unless it is
 * the only one. options->on_unreadable skips those instead: NULL if none can be
 * opened, and `error` is "". The paths live longer than the reader.
 */
struct reader *merge_open(const char *const *paths, size_t count,
	const struct reader_options *options, struct read_error *error);

#endif
