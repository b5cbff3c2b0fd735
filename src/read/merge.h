/* SPDX-License-Identifier: MIT */
/*
 * Reads several traces as one: files and directories, of any formats, processes and hosts, merged
 * by time. Times are the first trace's, since boot. The others' are shifted by the difference of
 * their hosts' clocks, unless they are of the same boot or lack the time of day. One thread.
 */
#ifndef READ_MERGE_H
#define READ_MERGE_H

#include "read/reader.h"

/*
 * Opens the traces; a single one is opened as it is. "-" is standard input. Returns NULL if one of
 * them cannot be opened: `error` begins with its path, unless it is the only one. With
 * options->on_unreadable, skips those instead, and returns NULL with `error` "" if none can be
 * opened. The paths must outlive the reader.
 */
struct reader *merge_open(const char *const *paths, size_t count,
	const struct reader_options *options, struct read_error *error);

#endif
