/* SPDX-License-Identifier: MIT */
/*
 * Ships traces: reads them in turn, collects their records in batches, and stores these in a spool,
 * from which a thread sends them (send.h). Reading disturbs no traced process. One thread.
 */
#ifndef SHIP_SHIP_H
#define SHIP_SHIP_H

#include "ship/batch.h"
#include "ship/send.h"
#include "ship/source.h"
#include "ship/spool.h"

struct ship_options {
	uint64_t spool_bytes; /* of batches for a server; more stay in their traces */
	unsigned int interval_ms; /* the longest time that a record waits in a batch */
	bool is_once; /* ends when everything is sent */
	int end_fd; /* ends when it can be read */
};

/* A server of the destination. */
struct ship_lane {
	struct batch batch;
	struct sender sender;
	bool is_full; /* its part of the spool is */
};

struct ship {
	struct ship_options options;
	struct ship_sources sources;
	struct spool spool;
	struct servers *servers;
	const char *name; /* of the destination; stored with the positions */
	struct ship_lane *lanes; /* one a server */
	uint32_t shipper; /* number of this shipper */
	uint64_t rows; /* of all batches */
	uint64_t begun_ns; /* when a batch got its first row */
	uint64_t found_ns; /* when traces were looked for */
	uint64_t find_pause_ns; /* until the next time */
	size_t turn; /* the source that was read last */
	uint64_t problems; /* records that could not be read */
	bool has_changed; /* a source was done since the last batch */
};

/* Failures in a row after which a run that ends by itself gives up: some ten seconds. */
#define SHIP_FAILURES_MAX 6

/* Makes a lane for each server; `counts` has a row for each. */
void ship_init(struct ship *s, struct servers *servers, struct sender_counts *counts);
void ship_fini(struct ship *s);

/* True if no batch waits. */
bool ship_is_sent(struct ship *s);

/* True if a batch waits for a server whose last request did not fail. */
bool ship_is_sending(struct ship *s);

/*
 * Reads traces until end_fd can be read. False: the spool failed, as spool.error says, or a run
 * that ends by itself has given up.
 */
bool ship_run(struct ship *s);

#endif
