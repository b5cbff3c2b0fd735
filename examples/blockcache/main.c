/* SPDX-License-Identifier: MIT */
/*
 * blockcache: threads that use a file through a block cache, traced. At the end
 * it prints how often each event happened by its own count.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/control.h"
#include <waymark/init.h>

#include "cache/cache.h"
#include "counts.h"
#include "device/device.h"
#include "io/io.h"
#include "options.h"
#include "workload.h"

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "blockcache: %s: %s\n", what, why);
	return 1;
}

/* Returns a descriptor, or -1 after saying why not. */
static int open_file(const struct options *options, uint64_t *bytes)
{
	int fd = open(options->path, (options->write_percent ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		fail(options->path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		fail(options->path, "not a regular file");
	} else if (st.st_size == 0) {
		fail(options->path, "the file is empty, there is nothing to cache");
	} else {
		*bytes = st.st_size;
		return fd;
	}
	if (fd >= 0) {
		close(fd);
	}
	return -1;
}

/* Returns 0 or an errno; EBADMSG is a block with the wrong content. */
static int work(struct workload *w)
{
	int error = workload_init(w);

	error = error ? error : workload_run(w);
	return error ? error : workload_verify_file(w);
}

static int run(const struct options *options, struct io_engine *io, uint64_t bytes)
{
	struct workload w = { .options = options, .io = io, .file_bytes = bytes };
	struct counts counts;

	w.cache = cache_create(io, options->block_bytes, options->cache_blocks);
	if (!w.cache) {
		return fail("the cache", strerror(errno));
	}
	int error = work(&w);

	counts.workload = w.counts;
	cache_get_counts(w.cache, &counts.cache);
	io_get_counts(io, &counts.io);
	counts_print(&counts);
	workload_fini(&w);
	cache_destroy(w.cache);
	if (error) {
		return fail(options->path,
			error == EBADMSG ? "a block has the wrong content" : strerror(error));
	}
	return 0;
}

/* Called before there are threads, because a fork's child has only the calling thread. */
static int use_file(const struct options *options, int fd, uint64_t bytes)
{
	struct device *device = NULL;

	if (options->device) {
		trace_opt_parse("jail=2"); /* this process, and the device's */
		waymark_init();
		device = device_start(fd, IO_THREADS, options->block_bytes);
		if (!device) {
			return fail("the device process", strerror(errno));
		}
	}
	struct io_engine *io = io_create(fd, bytes, device);
	int status = io ? run(options, io, bytes) : fail("the I/O threads", strerror(errno));

	io_destroy(io);
	const char *ended = device_stop(device);

	return ended ? fail("the device process", ended) : status;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	uint64_t bytes;

	options_parse(&options, argc, argv);
	if (!trace_init_backends()) {
		return fail("tracing", "cannot be initialised");
	}
	trace_init_file();
	int fd = open_file(&options, &bytes);

	if (fd < 0) {
		return 1;
	}
	int status = use_file(&options, fd, bytes);

	close(fd);
	return status;
}
