/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes of whole blocks of one file by a few threads. A caller
 * submits and waits; any thread may call, none may free what still runs.
 */
#ifndef BLOCKCACHE_IO_H
#define BLOCKCACHE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IO_THREADS 2
#define IO_QUEUE_DEPTH 4

struct io_engine;

/* Counts of this directory's events so far. */
struct io_counts {
	uint64_t alloc;
	uint64_t free;
	uint64_t submit;
	uint64_t complete;
	uint64_t queue_full;
	uint64_t data;
};

struct device;

/*
 * The caller keeps ownership of the file and the device; if the device is NULL, the engine reads
 * and writes the file itself. Returns NULL with errno.
 */
struct io_engine *io_create(int fd, uint64_t file_bytes, struct device *device);

/* Ends the threads; no request may be in progress. io_destroy(NULL) is legal. */
void io_destroy(struct io_engine *engine);

/*
 * Reads or writes `bytes` at `offset` on behalf of `request` and waits for it.
 * Bytes after the end of the file are read as zero and not written.
 * Returns 0 or an errno.
 */
int io_read(struct io_engine *engine, uint64_t request, uint64_t offset, void *data, size_t bytes);
int io_write(struct io_engine *engine, uint64_t request, uint64_t offset, void *data, size_t bytes);

void io_get_counts(struct io_engine *engine, struct io_counts *counts);

#endif
