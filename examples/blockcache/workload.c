/* SPDX-License-Identifier: MIT */
/* The worker threads. Each has its own counts, which are added up at the end. */
#include "workload.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "trace/control.h"
#include "scopes.h"
#include "trace-root.h"

/* Requests are numbered across all workers; 0 means no request. */
#define NO_REQUEST 0

struct worker {
	struct workload *w;
	pthread_t thread;
	unsigned int index;
	uint64_t random;
	int error;
	struct workload_counts counts;
};

/* xorshift64*: good enough for choosing blocks, and the same in every run. */
static uint64_t next_random(struct worker *worker)
{
	worker->random ^= worker->random >> 12;
	worker->random ^= worker->random << 25;
	worker->random ^= worker->random >> 27;
	return worker->random * UINT64_C(2685821657736338717);
}

/* The cube favours low numbers: a tenth of the blocks gets nearly half of the requests. */
static uint64_t choose_block(struct worker *worker)
{
	double u = (double)(next_random(worker) >> 11) / (double)(UINT64_C(1) << 53);

	return (uint64_t)((double)worker->w->blocks * u * u * u);
}

/* Returns the number of the block's bytes that are inside the file. */
static size_t block_length(const struct workload *w, uint64_t block)
{
	uint64_t left = w->file_bytes - block * w->options->block_bytes;

	return left < w->options->block_bytes ? left : w->options->block_bytes;
}

static uint64_t checksum(const char *data, size_t length)
{
	uint64_t sum = UINT64_C(14695981039346656037); /* FNV-1a */

	for (size_t i = 0; i < length; i++) {
		sum = (sum ^ (unsigned char)data[i]) * UINT64_C(1099511628211);
	}
	return sum;
}

static int verify(struct worker *worker, uint64_t request, uint64_t block, const char *data)
{
	WAYMARK_SCOPE(Work, "verify");
	uint64_t sum = checksum(data, block_length(worker->w, block));

	worker->counts.block_verified++;
	trace_block_verified(request, block, sum);
	return sum == worker->w->sums[block] ? 0 : EBADMSG;
}

static void change(struct worker *worker, uint64_t block, char *data)
{
	size_t length = block_length(worker->w, block);
	uint64_t value = next_random(worker);

	memcpy(data, &value, length < sizeof(value) ? length : sizeof(value));
	worker->w->sums[block] = checksum(data, length);
}

static struct cache_slot *get(struct worker *worker, uint64_t request, uint64_t block, int *error)
{
	WAYMARK_SCOPE(Work, "get from the cache");

	return cache_get(worker->w->cache, request, block, error);
}

static int do_request(struct worker *worker, uint64_t request, uint64_t block, bool write)
{
	int error;

	WAYMARK_SCOPE(Work, "request", request, block, write);
	struct cache_slot *slot = get(worker, request, block, &error);

	if (!slot) {
		return error;
	}
	error = verify(worker, request, block, cache_slot_data(slot));
	if (write && !error) {
		change(worker, block, cache_slot_data(slot));
	}
	cache_put(worker->w->cache, slot, write && !error);
	return error;
}

static void *worker_thread(void *opaque)
{
	struct worker *worker = opaque;
	const struct options *options = worker->w->options;
	uint64_t first = NO_REQUEST + 1 + worker->index * options->requests;

	worker->counts.worker_start++;
	trace_worker_start(worker->index, options->requests);
	for (uint64_t i = 0; i < options->requests && !worker->error; i++) {
		uint64_t block = choose_block(worker);
		bool write = next_random(worker) % 100 < options->write_percent;

		worker->counts.request_begin++;
		trace_request_begin(first + i, block, write);
		worker->error = do_request(worker, first + i, block, write);
		worker->counts.request_end++;
		trace_request_end(first + i, worker->error);
	}
	worker->counts.worker_end++;
	trace_worker_end(worker->index, worker->error);
	return NULL;
}

static void add_counts(struct workload_counts *sum, const struct workload_counts *part)
{
	sum->worker_start += part->worker_start;
	sum->worker_end += part->worker_end;
	sum->request_begin += part->request_begin;
	sum->request_end += part->request_end;
	sum->block_verified += part->block_verified;
}

static int start(struct workload *w, struct worker *worker, unsigned int index)
{
	worker->w = w;
	worker->index = index;
	worker->random = w->options->seed * 1000003 + index + 1;
	return pthread_create(&worker->thread, NULL, worker_thread, worker);
}

int workload_run(struct workload *w)
{
	struct worker *workers = calloc(w->options->threads, sizeof(*workers));
	unsigned int started = 0;
	int error = workers ? 0 : ENOMEM;

	while (!error && started < w->options->threads) {
		error = start(w, &workers[started], started);
		started += !error;
	}
	for (unsigned int i = 0; i < started; i++) {
		pthread_join(workers[i].thread, NULL);
		add_counts(&w->counts, &workers[i].counts);
		error = error ? error : workers[i].error;
	}
	free(workers);
	return error ? error : cache_flush(w->cache, NO_REQUEST);
}

/* Calls `visit` with each block as it is in the file, until an error. */
static int for_each_block(struct workload *w, int (*visit)(struct workload *, uint64_t, uint64_t))
{
	size_t bytes = w->options->block_bytes;
	char *data = malloc(bytes);
	int error = data ? 0 : ENOMEM;

	for (uint64_t block = 0; block < w->blocks && !error; block++) {
		error = io_read(w->io, NO_REQUEST, block * bytes, data, bytes);
		if (!error) {
			error = visit(w, block, checksum(data, block_length(w, block)));
		}
	}
	free(data);
	return error;
}

static int remember(struct workload *w, uint64_t block, uint64_t sum)
{
	w->sums[block] = sum;
	return 0;
}

static int compare(struct workload *w, uint64_t block, uint64_t sum)
{
	return w->sums[block] == sum ? 0 : EBADMSG;
}

int workload_init(struct workload *w)
{
	w->blocks = (w->file_bytes + w->options->block_bytes - 1) / w->options->block_bytes;
	w->sums = calloc(w->blocks, sizeof(*w->sums));
	w->counts.file_opened++;
	trace_file_opened(w->options->path, w->file_bytes, w->blocks);
	return w->sums ? for_each_block(w, remember) : ENOMEM;
}

void workload_fini(struct workload *w)
{
	free(w->sums);
}

int workload_verify_file(struct workload *w)
{
	return for_each_block(w, compare);
}
