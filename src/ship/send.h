/* SPDX-License-Identifier: MIT */
/*
 * Sends the batches of a spool that are for one server, the oldest first, each row once: after a
 * request without an answer, it asks which rows have arrived. A thread of its own for each server,
 * so that a slow one keeps neither traces from being read nor others waiting.
 */
#ifndef SHIP_SEND_H
#define SHIP_SEND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "ship/report.h"
#include "ship/server.h"
#include "ship/spool.h"

/* What became of the rows for a server. Atomic; another process may read it. */
struct sender_counts {
	uint64_t rows; /* that were confirmed */
	uint64_t bytes; /* of frames of these */
	uint64_t waiting; /* bytes of batches in the spool, when last looked at */
	uint64_t failures; /* requests in a row that failed */
};

struct sender {
	struct spool *spool;
	size_t queue; /* of the spool: the batches for the server */
	struct server *server;
	uint32_t shipper; /* number of this shipper, in the numbers of batches */
	const struct ship_report *report;
	pthread_t thread;
	bool is_checked; /* the server was; set before the start, then by the thread */
	bool is_ended; /* atomic: send nothing more */
	struct sender_counts *counts;
	/* of the thread: */
	struct batch batch;
	uint64_t number; /* of the batch, in the spool */
	size_t part; /* the next one of the batch */
	size_t at; /* where its frames begin */
	bool is_taken; /* the batch is the oldest of the spool */
	bool is_uncertain; /* the part may have been stored: there was no answer */
	uint64_t former; /* a former shipper may have sent batches below this number */
};

/* Returns the number that the rows of a batch have. */
static inline uint64_t sender_batch(uint32_t shipper, uint64_t number)
{
	return (uint64_t)shipper << 32 | (uint32_t)number;
}

/*
 * Checks that a server can be reached, that it has the tables and their version. Else the reason is
 * in server->error.
 */
enum server_result sender_check(struct server *server);

/* Starts the thread. False: there is none. */
bool sender_start(struct sender *s);

/* Ends the thread after its request. */
void sender_end(struct sender *s);

#endif
