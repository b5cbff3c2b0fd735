/* SPDX-License-Identifier: MIT */
/*
 * Sends the batches of a spool to their servers, the oldest first, each row once: after a request
 * without an answer, it asks which rows have arrived. A thread of its own, so that a slow server
 * does not keep traces from being read.
 */
#ifndef SHIP_SEND_H
#define SHIP_SEND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "ship/server.h"
#include "ship/spool.h"

struct sender {
	struct spool *spool;
	struct servers *servers;
	uint32_t shipper; /* number of this shipper, in the numbers of batches */
	void (*report)(const char *text); /* called in the sender's thread */
	pthread_t thread;
	bool is_checked; /* the servers were; set before the start, then by the thread */
	bool is_ended; /* atomic: send nothing more */
	uint64_t sent_rows; /* atomic */
	uint64_t sent_bytes; /* atomic: of frames */
	unsigned int failures; /* atomic: requests in a row that failed */
	/* of the thread: */
	struct batch batch;
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
 * Checks that all servers can be reached, that they have the tables and their version. Else the
 * reason is in servers->error.
 */
enum server_result sender_check(struct servers *servers);

/* Starts the thread. False: there is none. */
bool sender_start(struct sender *s);

/* Ends the thread after its request. */
void sender_end(struct sender *s);

#endif
