/* SPDX-License-Identifier: MIT */
/*
 * The folder of a shipper, which survives kills: batches that no server has confirmed, and the
 * place in each trace up to which batches have its records.
 *
 *	N.batch     a batch: a line of JSON that lists its parts, and their frames
 *	positions   JSON: the number of the next batch, and where the traces go on
 *	lock        locked while a shipper uses the folder
 *
 * A batch counts from the moment when `positions` has a later number: a file that is not yet
 * counted is made anew. The functions are for one thread each, and one thread may add while another
 * takes.
 */
#ifndef SHIP_SPOOL_H
#define SHIP_SPOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "ship/batch.h"

struct spool {
	const char *path;
	char *const *servers; /* their names, by which parts are stored; set by the caller */
	size_t server_count;
	int fd; /* of the folder */
	int lock;
	uint64_t first; /* number of the oldest batch; atomic */
	uint64_t next; /* of the next batch; atomic */
	uint64_t bytes; /* of all batches; atomic */
	char error[512];
};

/*
 * Opens the folder, makes it if it is missing, and removes what does not count. Returns the content
 * of `positions`, which the caller releases; an empty object if there is none; NULL with the reason
 * in `error`.
 */
json_t *spool_open(struct spool *s, const char *path);
void spool_close(struct spool *s);

/* True if no batch is left. */
bool spool_is_empty(struct spool *s);

/* Returns the bytes of all batches. */
uint64_t spool_bytes(struct spool *s);

/*
 * Stores a closed batch, whose number is s->next, and then the positions, to which it adds `next`.
 * False with the reason in `error`: nothing was stored.
 */
bool spool_add(struct spool *s, const struct batch *b, json_t *positions);

/* Stores the positions alone. */
bool spool_keep(struct spool *s, json_t *positions);

enum spool_result {
	SPOOL_TAKEN,
	SPOOL_UNREADABLE, /* now: try again */
	SPOOL_DAMAGED,
};

/* Reads the oldest batch, whose rows are not made again; else sets `error`. */
enum spool_result spool_take(struct spool *s, struct batch *b, char *error, size_t size);

/* Removes the oldest batch; if it is damaged, renames it to N.bad. */
void spool_drop(struct spool *s, bool is_damaged);

#endif
