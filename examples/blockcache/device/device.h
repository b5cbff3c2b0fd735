/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes of a file by a process of its own, in a jail: if the bytes of the file exploit
 * the code that checks them, they reach nothing else. Each queue has one user thread, which waits
 * for its answer; the data is in memory that both processes share.
 */
#ifndef BLOCKCACHE_DEVICE_H
#define BLOCKCACHE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;

/* A read or write of the file; the range is inside of it. */
struct device_request {
	uint64_t offset;
	uint32_t bytes;
	bool write;
};

/*
 * Forks the process: before the caller has threads, behind waymark_init(). A request has at
 * most `bytes_max` bytes. Returns NULL with errno.
 */
struct device *device_start(int fd, unsigned int queues, size_t bytes_max);

/*
 * Ends it; nothing may be under way. Returns 0, or what is wrong with how it ended;
 * NULL is legal.
 */
const char *device_stop(struct device *device);

/* Has a request done, with the bytes from or to `data`. Returns 0 or an errno. */
int device_transfer(struct device *device, unsigned int queue, const struct device_request *request,
	void *data);

#endif
