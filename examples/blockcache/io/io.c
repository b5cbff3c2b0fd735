/* SPDX-License-Identifier: MIT */
/*
 * A queue in front of a file, and the threads that empty it. One lock guards
 * the queue and the counts; it is never held during a read or write.
 */
#include "io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"
#include "trace.h"

struct io {
	struct io *next;
	uint64_t offset;
	char *data;
	size_t bytes;
	bool write;
	bool done;
	int error;
};

/* One I/O thread, and its queue of the device. */
struct io_thread {
	struct io_engine *engine;
	unsigned int index;
	pthread_t thread;
};

struct io_engine {
	int fd;
	struct device *device; /* NULL: read and write the file directly */
	uint64_t file_bytes;
	pthread_mutex_t lock;
	pthread_cond_t submitted;
	pthread_cond_t completed; /* also signalled when the queue has room */
	struct io *first;
	struct io **last;
	unsigned int depth;
	bool ends;
	struct io_counts counts;
	struct io_thread threads[IO_THREADS];
	unsigned int thread_count;
};

/* Moves `bytes` bytes; returns 0 or an errno. */
static int move(const struct io_engine *engine, const struct io *io, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		char *at = io->data + done;
		off_t offset = io->offset + done;
		ssize_t n = io->write ? pwrite(engine->fd, at, bytes - done, offset)
				      : pread(engine->fd, at, bytes - done, offset);

		if (n < 0 && errno != EINTR) {
			return errno;
		}
		if (n == 0) {
			return EIO; /* the file became shorter */
		}
		done += n > 0 ? n : 0;
	}
	return 0;
}

/* Moves all bytes that are inside the file; returns 0 or an errno. */
static int transfer(const struct io_engine *engine, unsigned int queue, const struct io *io)
{
	uint64_t left = io->offset < engine->file_bytes ? engine->file_bytes - io->offset : 0;
	size_t bytes = left < io->bytes ? left : io->bytes;
	int error;

	if (engine->device) {
		const struct device_request request = { io->offset, (uint32_t)bytes, io->write };

		error = device_transfer(engine->device, queue, &request, io->data);
	} else {
		error = move(engine, io, bytes);
	}
	if (!io->write && !error) {
		memset(io->data + bytes, 0, io->bytes - bytes);
	}
	return error;
}

/* The argument costs more than the event, so it is computed only if a backend reads it. */
static void trace_head(struct io *io)
{
	if (trace_event_get_state(TRACE_IO_DATA)) {
		char head[2 * 8 + 1] = "";

		for (size_t i = 0; i < 8 && i < io->bytes; i++) {
			snprintf(head + 2 * i, 3, "%02x", (unsigned char)io->data[i]);
		}
		trace_io_data(io, head);
	}
}

static struct io *take(struct io_engine *engine)
{
	while (!engine->first && !engine->ends) {
		pthread_cond_wait(&engine->submitted, &engine->lock);
	}
	struct io *io = engine->first;

	if (io) {
		engine->first = io->next;
		engine->last = engine->first ? engine->last : &engine->first;
		engine->depth--;
	}
	return io;
}

static void *io_thread(void *opaque)
{
	const struct io_thread *self = opaque;
	struct io_engine *engine = self->engine;
	struct io *io;

	pthread_mutex_lock(&engine->lock);
	while ((io = take(engine))) {
		pthread_mutex_unlock(&engine->lock);
		int error = transfer(engine, self->index, io);

		trace_head(io);
		trace_io_complete(io, error);
		pthread_mutex_lock(&engine->lock);
		engine->counts.data++;
		engine->counts.complete++;
		io->error = error;
		io->done = true;
		pthread_cond_broadcast(&engine->completed);
	}
	pthread_mutex_unlock(&engine->lock);
	return NULL;
}

/* Appends to the queue when it has room, and waits until the request is done. */
static void submit_and_wait(struct io_engine *engine, struct io *io)
{
	pthread_mutex_lock(&engine->lock);
	engine->counts.alloc++;
	while (engine->depth == IO_QUEUE_DEPTH) {
		engine->counts.queue_full++;
		trace_io_queue_full(io, engine->depth);
		pthread_cond_wait(&engine->completed, &engine->lock);
	}
	trace_io_submit(io, io->write ? "write" : "read", io->offset, io->bytes);
	engine->counts.submit++;
	*engine->last = io;
	engine->last = &io->next;
	engine->depth++;
	pthread_cond_signal(&engine->submitted);
	while (!io->done) {
		pthread_cond_wait(&engine->completed, &engine->lock);
	}
	engine->counts.free++;
	pthread_mutex_unlock(&engine->lock);
}

static int run(struct io_engine *engine, uint64_t request, const struct io *wanted)
{
	struct io *io = malloc(sizeof(*io));

	if (!io) {
		return ENOMEM;
	}
	*io = *wanted;
	trace_io_alloc(io, request);
	submit_and_wait(engine, io);
	int error = io->error;

	trace_io_free(io);
	free(io);
	return error;
}

int io_read(struct io_engine *engine, uint64_t request, uint64_t offset, void *data, size_t bytes)
{
	return run(engine, request, &(struct io){ .offset = offset, .data = data, .bytes = bytes });
}

int io_write(struct io_engine *engine, uint64_t request, uint64_t offset, void *data, size_t bytes)
{
	return run(engine, request,
		&(struct io){ .offset = offset, .data = data, .bytes = bytes, .write = true });
}

void io_get_counts(struct io_engine *engine, struct io_counts *counts)
{
	pthread_mutex_lock(&engine->lock);
	*counts = engine->counts;
	pthread_mutex_unlock(&engine->lock);
}

static int start(struct io_engine *engine, unsigned int index)
{
	struct io_thread *t = &engine->threads[index];

	t->engine = engine;
	t->index = index;
	return pthread_create(&t->thread, NULL, io_thread, t);
}

struct io_engine *io_create(int fd, uint64_t file_bytes, struct device *device)
{
	struct io_engine *engine = calloc(1, sizeof(*engine));

	if (!engine) {
		return NULL;
	}
	engine->fd = fd;
	engine->device = device;
	engine->file_bytes = file_bytes;
	engine->last = &engine->first;
	pthread_mutex_init(&engine->lock, NULL);
	pthread_cond_init(&engine->submitted, NULL);
	pthread_cond_init(&engine->completed, NULL);
	for (; engine->thread_count < IO_THREADS; engine->thread_count++) {
		int error = start(engine, engine->thread_count);

		if (error) {
			io_destroy(engine);
			errno = error;
			return NULL;
		}
	}
	return engine;
}

void io_destroy(struct io_engine *engine)
{
	if (!engine) {
		return;
	}
	pthread_mutex_lock(&engine->lock);
	engine->ends = true;
	pthread_cond_broadcast(&engine->submitted);
	pthread_mutex_unlock(&engine->lock);
	for (unsigned int i = 0; i < engine->thread_count; i++) {
		pthread_join(engine->threads[i].thread, NULL);
	}
	pthread_cond_destroy(&engine->completed);
	pthread_cond_destroy(&engine->submitted);
	pthread_mutex_destroy(&engine->lock);
	free(engine);
}
