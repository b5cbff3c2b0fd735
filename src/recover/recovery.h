/* SPDX-License-Identifier: MIT */
/*
 * What a recovery works on: the trace, which it has locked, its metadata, and
 * what its process left in memory. For recover*.c only. One thread.
 */
#ifndef RECOVER_RECOVERY_H
#define RECOVER_RECOVERY_H

#include "base/compiler.h"
#include "read/buffer.h"
#include "recover/layout.h"
#include "recover/recover.h"
#include "recover/stream_files.h"

struct recovery {
	const char *path;
	int directory;
	struct layouts layouts;
	struct buffer_source *buffer; /* NULL: there is none */
	bool lacks_memory; /* there should be one: the process did not end the trace */
	struct stream_files files;
	struct recover_result *result;
};

/* False; the result says why. */
bool PRINTF(2, 3) recovery_fail(struct recover_result *r, const char *fmt, ...);

/*
 * Opens the trace in the folder `path`, waits for who else works on it, and
 * reads its metadata. False on failure, with result->error. recovery_end() in
 * both cases.
 */
bool recovery_begin(struct recovery *r, const char *path, struct recover_result *result);
void recovery_end(struct recovery *r);

/* Reads the metadata again, or for the first time. False on failure, with result->error. */
bool recovery_read_metadata(struct recovery *r);

/*
 * Finds and locks what the process left, if anything, or sets lacks_memory. False
 * on failure, with result->error.
 */
bool recovery_open_buffer(struct recovery *r);

/* The same of a buffer that was found. One that is moved or thrown away meanwhile is NULL then. */
bool recovery_lock_buffer(struct recovery *r);

#endif
