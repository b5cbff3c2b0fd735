/* SPDX-License-Identifier: MIT */
/*
 * Runs `waymark ship`: one destination in this process, or several, each in a child process of its
 * own, so that one that is down or slow keeps no other waiting.
 */
#ifndef CMD_SHIP_RUN_H
#define CMD_SHIP_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/metrics/latencies.h"
#include "cmd/metrics/scrape.h"
#include "ship/ship.h"

struct ship_destination {
	struct servers servers;
	char *name; /* its first server and its database */
	char *state; /* its folder */
	struct sender_counts *counts; /* a row for each server, shared by all processes */
};

struct ship_command {
	struct ship ship; /* of the destination of this process */
	struct ship_report report;
	VEC(const char *) places; /* of --to */
	struct ship_destination *destinations;
	size_t destination_count;
	const char *state;
	const char *authority;
	const char *metrics; /* where to answer scrapes; NULL: nowhere */
	bool has_latencies; /* in the metrics */
	struct latencies *latencies;
	struct scrape *scrape;
	char path[4096]; /* of the default of `state` */
};

/* Reads the places. False, reported: one is no destination. */
bool destinations_init(struct ship_command *c);
void destinations_fini(struct ship_command *c);

/* Chooses the folder of each destination. False, reported. */
bool destinations_choose_states(struct ship_command *c);

/* Answers scrapes, if it shall, until destinations_end_answer(). False, reported: it cannot. */
bool destinations_answer(struct ship_command *c);
void destinations_end_answer(struct ship_command *c);

/* Ships to a destination until a signal comes. Returns the status of the command. */
int destination_run(struct ship_command *c, size_t destination);

/* Ships to all destinations, each in a child process, and returns the worst status. */
int destinations_run(struct ship_command *c);

#endif
