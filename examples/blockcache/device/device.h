/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes of a file by a separate process in a jail: if the bytes of the file exploit the
 * code that checks them, the exploit is confined to that process. Each queue has one user thread,
 * which waits for its answer. The data is in memory that both processes share.
 */
#ifndef BLOCKCACHE_DEVICE_H
#define BLOCKCACHE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;

/* A read or write of the file, inside the file's bytes. */
struct device_request {
	uint64_t offset;
	uint32_t bytes;
	bool write;
};

/*
 * Forks the process: call after waymark_init() and before the caller has threads. A request has at
 * most `bytes_max` bytes. Returns NULL with errno.
 */
struct device *device_start(int fd, unsigned int queues, size_t bytes_max);

/*
 * Ends the process; no request may be in progress. Returns NULL, or an error text if the process
 * failed. device_stop(NULL) is legal.
 */
const char *device_stop(struct device *device);

/* Performs a request, with the bytes from or to `data`. Returns 0 or an errno. */
int device_transfer(struct device *device, unsigned int queue, const struct device_request *request,
	void *data);

#endif
