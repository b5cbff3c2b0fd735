/* SPDX-License-Identifier: MIT */
/* The run of one destination, from the check of its servers to the summary. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/serve.h"
#include "cmd/ship/run.h"
#include "recover/leftover.h"

#define END_NS (5 * CLOCK_NS_PER_S) /* for what is left in the spool when a signal has come */

/* Returns the number of this shipper, made when it first runs. */
static uint32_t number_of(const json_t *positions)
{
	const json_t *known = json_object_get(positions, "shipper");
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	uint64_t mixed = ((uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec) ^
			 (uint64_t)getpid() << 40;

	mixed *= UINT64_C(0x9e3779b97f4a7c15);
	return json_is_integer(known) ? (uint32_t)json_integer_value(known)
				      : (uint32_t)(mixed >> 32);
}

/* Opens the folder, and takes what a former run left there. */
static bool open_state(struct ship_command *c, const struct ship_destination *d)
{
	struct ship *s = &c->ship;
	char text[500];
	json_t *positions = spool_open(&s->spool, d->state, s->servers);

	if (!positions) {
		ship_report(&c->report, s->spool.error);
		return false;
	}
	s->shipper = number_of(positions);
	if (s->spool.strange > 0) {
		snprintf(text, sizeof(text),
			"%.400s: %zu batches are for a server that --to does not name now",
			d->state, s->spool.strange);
		ship_report(&c->report, text);
	}
	sources_load(&s->sources, json_object_get(positions, "traces"));
	json_decref(positions);
	return true;
}

/* Checks replicas of a server until one works. */
static enum server_result check_server(struct ship_command *c, struct server *s)
{
	enum server_result result;

	do {
		result = sender_check(s);
		if (result != SERVER_DONE) {
			ship_report(&c->report, s->error);
		}
	} while (result != SERVER_DONE && server_next(s));
	return result;
}

/*
 * Checks all servers: a wrong name, password or table is reported before anything is read. A server
 * that is down may come back, unless the run ends by itself, and one that refuses must not stop the
 * other destinations.
 */
static bool check_servers(struct ship_command *c)
{
	struct servers *servers = c->ship.servers;
	bool is_alone = c->destination_count == 1;

	for (size_t i = 0; i < servers->all.count; i++) {
		enum server_result result = check_server(c, &servers->all.items[i]);

		c->ship.lanes[i].sender.is_checked = result == SERVER_DONE;
		if (c->ship.options.is_once ? result != SERVER_DONE
					    : result == SERVER_REFUSED && is_alone) {
			return false;
		}
	}
	return true;
}

/* Starts the threads that send. False, reported: there is none. */
static bool start_senders(struct ship_command *c)
{
	struct ship *s = &c->ship;

	for (size_t i = 0; i < s->servers->all.count; i++) {
		struct sender *sender = &s->lanes[i].sender;

		sender->shipper = s->shipper;
		sender->report = &c->report;
		if (!sender_start(sender)) {
			ship_report(&c->report, "there is no thread for sending");
			return false;
		}
	}
	return true;
}

/* Gives the senders a little time for what is left, after a signal. */
static void finish(struct ship *s)
{
	const struct timespec slice = { 0, 20000000 };
	uint64_t begun = clock_now_ns();

	while (ship_is_sending(s) && clock_now_ns() - begun < END_NS) {
		nanosleep(&slice, NULL);
	}
	for (size_t i = 0; i < s->servers->all.count; i++) {
		sender_end(&s->lanes[i].sender);
	}
}

/* Runs until a signal, and answers scrapes meanwhile, unless the parent does. */
static bool run_ship(struct ship_command *c)
{
	bool ok = (c->destination_count > 1 || destinations_answer(c)) && ship_run(&c->ship);

	finish(&c->ship);
	if (c->destination_count == 1) {
		destinations_end_answer(c);
	}
	return ok;
}

static int summarize(struct ship_command *c, const struct ship_destination *d, bool ok)
{
	struct ship *s = &c->ship;
	uint64_t left = s->spool.strange;
	uint64_t rows = 0;
	char text[500];

	for (size_t i = 0; i < s->servers->all.count; i++) {
		left += spool_count(&s->spool, i);
		rows += s->lanes[i].sender.counts->rows;
	}

	if (*s->spool.error) {
		ship_report(&c->report, s->spool.error);
	}
	snprintf(text, sizeof(text), "%" PRIu64 " rows sent%s", rows,
		s->problems ? "; parts of traces could not be read" : "");
	ship_report(&c->report, text);
	if (left > 0) {
		snprintf(text, sizeof(text), "%" PRIu64 " batches wait in %.400s for the next run",
			left, d->state);
		ship_report(&c->report, text);
	}
	return ok && s->problems == 0 && (left == 0 || !s->options.is_once) ? EXIT_SUCCESS
									    : EXIT_FAILURE;
}

static int run(struct ship_command *c, const struct ship_destination *d)
{
	if (!check_servers(c) || !open_state(c, d)) {
		return EXIT_FAILURE;
	}
	leftover_survive_cuts();
	c->ship.options.end_fd = serve_catch_signals(0);
	serve_raise_descriptors();
	c->ship.sources.report = &c->report;
	return start_senders(c) ? summarize(c, d, run_ship(c)) : EXIT_FAILURE;
}

int destination_run(struct ship_command *c, size_t destination)
{
	struct ship_destination *d = &c->destinations[destination];

	ship_init(&c->ship, &d->servers, d->counts);
	c->ship.name = d->name;
	int status = run(c, d);

	ship_fini(&c->ship);
	spool_close(&c->ship.spool);
	return status;
}
