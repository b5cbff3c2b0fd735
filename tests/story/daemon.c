/* SPDX-License-Identifier: MIT */
/*
 * The daemon of docs/flight-recorder.md: serves blocks of a file to clients, which it forks.
 *
 * story-daemon MS SLOW-MS EVERY: is at full load for MS milliseconds. The first request after
 * SLOW-MS waits 20 ms for its disk, and one of EVERY later ones. Prints `slow IO NS NS` for each
 * request that took more than 10 ms for whatever reason: between its first and last event, and with
 * both. Then prints `served REQUESTS NS CPU-NS`, of the whole process.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon.h"
#include "trace-story.h"

#define DISK_US 20000
#define NOTED_NS 10000000

struct worker {
	pthread_t thread;
	int index;
	int file;
	int socket;
	uint64_t served;
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t checksum(const uint64_t *words)
{
	uint64_t sum = UINT64_C(14695981039346656037); /* FNV-1a, by words */

	for (size_t i = 0; i < BLOCK_BYTES / sizeof(*words); i++) {
		sum = (sum ^ words[i]) * UINT64_C(1099511628211);
	}
	return sum;
}

/* Returns the block's checksum. */
static uint64_t read_block(const struct worker *w, const struct request *r)
{
	uint64_t words[BLOCK_BYTES / sizeof(uint64_t)];

	if (r->is_slow) {
		usleep(DISK_US);
	}
	if (pread(w->file, words, BLOCK_BYTES, (off_t)r->block * BLOCK_BYTES) != BLOCK_BYTES) {
		fail("daemon: pread");
	}
	trace_io_read(r->io, BLOCK_BYTES);
	uint64_t sum = checksum(words);

	trace_io_check(r->io, sum);
	return sum;
}

/* The trigger times the request from a moment in its first event to one in its last. */
static void serve(struct worker *w, const struct request *r)
{
	struct reply reply = { .io = r->io };
	uint64_t at[4] = { now_ns() };

	trace_io_submit(r->io, r->block, BLOCK_BYTES);
	at[1] = now_ns();
	reply.sum = read_block(w, r);
	at[2] = now_ns();
	trace_io_complete(r->io, 0);
	at[3] = now_ns();
	if (at[3] - at[0] > NOTED_NS) {
		printf("slow %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", r->io, at[0], at[2] - at[1]);
	}
	w->served++;
	if (write(w->socket, &reply, sizeof(reply)) != sizeof(reply)) {
		fail("daemon: write");
	}
}

static void *worker_thread(void *opaque)
{
	struct worker *w = opaque;
	struct request r;

	pin(w->index);
	while (read(w->socket, &r, sizeof(r)) == sizeof(r)) {
		serve(w, &r);
	}
	return NULL;
}

/* Returns a file of BLOCKS blocks without a name. */
static int make_file(void)
{
	FILE *file = tmpfile();
	char block[BLOCK_BYTES];

	for (int i = 0; file && i < BLOCKS; i++) {
		memset(block, i, sizeof(block));
		if (fwrite(block, sizeof(block), 1, file) != 1) {
			fail("daemon: the file");
		}
	}
	if (!file || fflush(file)) {
		fail("daemon: the file");
	}
	return fileno(file);
}

/* Forks the clients. Returns their pid, and the workers' ends of the sockets. */
static pid_t start_clients(const struct load *load, struct worker *workers)
{
	int theirs[WORKERS];

	for (int i = 0; i < WORKERS; i++) {
		int pair[2];

		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
			fail("daemon: socketpair");
		}
		workers[i].socket = pair[0];
		theirs[i] = pair[1];
	}
	pid_t pid = fork();

	if (pid < 0) {
		fail("daemon: fork");
	}
	for (int i = 0; i < WORKERS; i++) {
		close(pid ? theirs[i] : workers[i].socket);
	}
	if (!pid) {
		clients_run(theirs, load);
		_exit(0);
	}
	return pid;
}

static uint64_t process_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t run(struct worker *workers)
{
	uint64_t served = 0;

	for (int i = 0; i < WORKERS; i++) {
		if (pthread_create(&workers[i].thread, NULL, worker_thread, &workers[i])) {
			fail("daemon: pthread_create");
		}
	}
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		served += workers[i].served;
	}
	return served;
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fputs("usage: story-daemon MS SLOW-MS EVERY\n", stderr);
		return 2;
	}
	const struct load load = {
		.ns = strtoull(argv[1], NULL, 10) * 1000000,
		.slow_ns = strtoull(argv[2], NULL, 10) * 1000000,
		.every = strtoull(argv[3], NULL, 10),
	};
	struct worker workers[WORKERS] = { 0 };
	int file = make_file();

	for (int i = 0; i < WORKERS; i++) {
		workers[i].index = i;
		workers[i].file = file;
	}
	pid_t clients = start_clients(&load, workers);
	uint64_t begin = now_ns();
	uint64_t cpu = process_cpu_ns();
	uint64_t served = run(workers);
	int status;

	cpu = process_cpu_ns() - cpu;
	printf("served %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", served, now_ns() - begin, cpu);
	waitpid(clients, &status, 0);
	return status != 0;
}
