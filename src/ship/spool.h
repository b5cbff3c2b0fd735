/* SPDX-License-Identifier: MIT */
/*
 * The folder of a shipper, which survives kills: batches that no server has confirmed, and the
 * place in each trace up to which batches have its records.
 *
 *	N.batch     a batch: a line of JSON that lists its parts, and their frames
 *	positions   JSON: the number of the next batch, and where the traces go on
 *	done        JSON: the same of traces that are read to their end, unless positions has them
 *	lock        locked while a shipper uses the folder
 *
 * A batch is for one server; each server has a queue of them. A batch counts from the moment when
 * `positions` has a later number: a file that is not yet counted is made anew. One thread adds,
 * while one for each queue takes.
 */
#ifndef SHIP_SPOOL_H
#define SHIP_SPOOL_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "ship/batch.h"
#include "ship/server.h"

#define SPOOL_ERROR_SIZE 512

struct spooled {
	uint64_t number;
	uint64_t bytes; /* of its file */
	size_t queue;
};

/* The batches for a server, the oldest first. */
struct spool_queue {
	VEC(struct spooled) all;
	size_t taken; /* of all: dropped */
	uint64_t bytes; /* of the others */
};

struct spool {
	const char *path;
	const struct servers *servers;
	int fd; /* of the folder */
	int lock;
	uint64_t next; /* number of the next batch */
	pthread_mutex_t mutex; /* for the queues */
	struct spool_queue *queues; /* one a server */
	VEC(struct spooled) added; /* since the positions were stored */
	size_t strange; /* batches for other servers */
	char error[SPOOL_ERROR_SIZE]; /* of opening and adding */
};

/*
 * Opens the folder, makes it if it is missing, and removes what does not count. Returns the content
 * of `positions`, with the traces of `done`; an empty object if there is none; NULL with the reason
 * in `error`. The caller releases it.
 */
json_t *spool_open(struct spool *s, const char *path, const struct servers *servers);
void spool_close(struct spool *s);

/* Returns how many batches a queue has. */
size_t spool_count(struct spool *s, size_t queue);

/* Returns the bytes of a queue's batches. */
uint64_t spool_bytes(struct spool *s, size_t queue);

/* Returns the number that the next batch of a queue has. */
uint64_t spool_next(const struct spool *s, size_t queue);

/*
 * Stores a closed batch, one a queue at most. It counts when spool_keep() has stored the positions.
 * False with the reason in `error`: nothing was stored.
 */
bool spool_add(struct spool *s, size_t queue, const struct batch *b);

/* Stores the positions, to which it adds `next`; the batches that were added count now. */
bool spool_keep(struct spool *s, json_t *positions);

/* Stores traces with the places that spool_keep() has stored; that may leave them out then. */
bool spool_keep_done(struct spool *s, const json_t *traces);

enum spool_result {
	SPOOL_TAKEN,
	SPOOL_UNREADABLE, /* now: try again */
	SPOOL_DAMAGED,
};

/* Sets the number of a queue's oldest batch; false if there is none. */
bool spool_oldest(struct spool *s, size_t queue, uint64_t *number);

/* Reads a queue's oldest batch, whose rows are not made again; else sets `error`. */
enum spool_result spool_take(
	struct spool *s, size_t queue, struct batch *b, char error[SPOOL_ERROR_SIZE]);

/* Removes a queue's oldest batch; if it is damaged, renames it to N.bad. */
void spool_drop(struct spool *s, size_t queue, bool is_damaged);

#endif
