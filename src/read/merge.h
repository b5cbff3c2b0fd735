/* SPDX-License-Identifier: MIT */
/*
 * Several traces as one reader: files and directories, of any formats, processes
 * and hosts, merged by time. The first trace's time since boot is that of all:
 * others are shifted by what their hosts' clocks tell, unless they are of the
 * same boot or one of them does not say. One thread.
 */
#ifndef READ_MERGE_H
#define READ_MERGE_H

#include "read/reader.h"

/*
 * Opens the traces. One alone is opened as it is; "-" is standard input. NULL
 * when one of them cannot be opened: `error` begins with its path, unless it is
 * the only one. With options->on_unreadable, which is told each of several, NULL
 * when none can be, and `error` is "". The paths live longer than the reader.
 */
struct reader *merge_open(const char *const *paths, size_t count,
	const struct reader_options *options, struct read_error *error);

#endif
