/* SPDX-License-Identifier: MIT */
/* What the daemon and its clients send each other. */
#ifndef TESTS_STORY_DAEMON_H
#define TESTS_STORY_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define WORKERS 2 /* each serves one client */
#define BLOCKS 4096
#define BLOCK_BYTES 4096

struct request {
	uint64_t io; /* numbers WORKERS apart, in the order of the client */
	uint32_t block;
	uint32_t is_slow;
};

struct reply {
	uint64_t io;
	uint64_t sum; /* of the block */
};

/* When the clients send requests, and which of them are slow. */
struct load {
	uint64_t ns; /* how long */
	uint64_t slow_ns; /* the first request after that time is slow; UINT64_MAX: none is */
	uint64_t every; /* later requests for each slow one */
};

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Pins the calling thread to the processor of a worker and its client, the same in every run. */
void pin(int worker);

/* Keeps each worker busy by the socket with its number, then closes them. */
void clients_run(const int sockets[WORKERS], const struct load *load);

#endif
