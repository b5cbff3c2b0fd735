/* SPDX-License-Identifier: MIT */
/*
 * The order of a batch's life makes each row arrive once: the batch is stored, then the positions
 * behind its records, and only then it is sent. A shipper that is killed before the positions are
 * stored makes the batch anew.
 */
#include "ship/ship.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

#define NS_PER_MS 1000000u

#define FIND_NS (200 * (uint64_t)NS_PER_MS)
#define PAUSE_MS 20 /* while nothing comes */
#define TURN 4096u /* records of a source before the next one's turn */
#define BATCH_ROWS 262144u
#define BATCH_BYTES (16u << 20)
#define BATCH_OPEN 32u /* servers times days */
#define FIND_SHARE 20u /* of the time, at most, is for looking for traces */

/* Waits for at most `ms`; returns whether the run must end. */
static bool wait_ms(const struct ship *s, int ms)
{
	struct pollfd end = { .fd = s->options.end_fd, .events = POLLIN };

	return poll(&end, 1, ms) > 0;
}

/* ---- Batches ---- */

static size_t lane_count(const struct ship *s)
{
	return s->servers->all.count;
}

void ship_init(struct ship *s, struct servers *servers, struct sender_counts *counts)
{
	s->servers = servers;
	s->lanes = xcalloc(lane_count(s), sizeof(*s->lanes));
	for (size_t i = 0; i < lane_count(s); i++) {
		struct sender *sender = &s->lanes[i].sender;

		batch_init(&s->lanes[i].batch);
		sender->spool = &s->spool;
		sender->queue = i;
		sender->counts = &counts[i];
		sender->server = &s->servers->all.items[i];
		sender->server->is_ended = &sender->is_ended;
	}
}

void ship_fini(struct ship *s)
{
	for (size_t i = 0; s->lanes && i < lane_count(s); i++) {
		batch_fini(&s->lanes[i].batch);
	}
	free(s->lanes);
}

static void begin_batches(struct ship *s)
{
	s->rows = 0;
	for (size_t i = 0; i < lane_count(s); i++) {
		batch_begin(&s->lanes[i].batch, sender_batch(s->shipper, spool_next(&s->spool, i)));
	}
}

/* Stores the batches and the places of all traces. */
static bool store(struct ship *s)
{
	json_t *positions = json_pack("{s:i, s:s, s:I, s:o}", "version", 1, "to", s->name,
		"shipper", (json_int_t)s->shipper, "traces", sources_save(&s->sources));
	bool ok = true;

	for (size_t i = 0; i < lane_count(s) && ok; i++) {
		struct batch *b = &s->lanes[i].batch;

		if (b->rows > 0) {
			batch_close(b);
			ok = spool_add(&s->spool, i, b);
		}
	}
	ok = ok && spool_keep(&s->spool, positions);
	json_decref(positions);
	json_t *done = ok ? sources_save_done(&s->sources) : NULL;

	ok = ok && (!done || spool_keep_done(&s->spool, done));
	json_decref(done);
	if (ok) {
		s->has_changed = false;
		begin_batches(s);
	}
	return ok;
}

static bool is_full(const struct batch *b)
{
	return b->rows >= BATCH_ROWS || batch_bytes(b) >= BATCH_BYTES ||
	       b->open_count >= BATCH_OPEN;
}

/* True if one of the batches is full. */
static bool has_full(const struct ship *s)
{
	for (size_t i = 0; i < lane_count(s); i++) {
		if (is_full(&s->lanes[i].batch)) {
			return true;
		}
	}
	return false;
}

static bool is_due(const struct ship *s)
{
	bool is_old = s->rows > 0 &&
		      clock_now_ns() - s->begun_ns >= (uint64_t)s->options.interval_ms * NS_PER_MS;

	return is_old || has_full(s) || (s->has_changed && s->rows == 0);
}

/* Notes which servers have no room for another batch; reports when that changes. */
static void look_for_room(struct ship *s)
{
	char text[600];

	for (size_t i = 0; i < lane_count(s); i++) {
		struct ship_lane *lane = &s->lanes[i];
		uint64_t bytes = spool_bytes(&s->spool, i);
		bool is_over = bytes >= s->options.spool_bytes;

		if (is_over != lane->is_full) {
			snprintf(text, sizeof(text), "%s: %s", s->servers->all.items[i].replicas,
				is_over ? "the spool is full: events wait in their traces"
					: "the spool has room again");
			ship_report(s->sources.report, text);
		}
		lane->is_full = is_over;
		__atomic_store_n(&lane->sender.counts->waiting, bytes, __ATOMIC_RELAXED);
	}
}

bool ship_is_sent(struct ship *s)
{
	for (size_t i = 0; i < lane_count(s); i++) {
		if (spool_count(&s->spool, i) > 0) {
			return false;
		}
	}
	return true;
}

static uint64_t failures(const struct ship_lane *lane)
{
	return __atomic_load_n(&lane->sender.counts->failures, __ATOMIC_RELAXED);
}

bool ship_is_sending(struct ship *s)
{
	for (size_t i = 0; i < lane_count(s); i++) {
		if (spool_count(&s->spool, i) > 0 && failures(&s->lanes[i]) == 0) {
			return true;
		}
	}
	return false;
}

/* ---- Reading ---- */

/* Returns the lane of a source that was opened once. */
static size_t lane_of(const struct ship *s, const struct ship_source *source)
{
	return source->rows.process % lane_count(s);
}

static void add(struct ship *s, struct ship_source *source, const struct record *rec)
{
	struct batch *b = &s->lanes[lane_of(s, source)].batch;

	if (rows_leaves_out(rec)) {
		return;
	}
	if (s->rows++ == 0) {
		s->begun_ns = clock_now_ns();
	}
	if (!source->is_sent) {
		batch_add_process(b, &source->rows);
		source->is_sent = true;
	}
	batch_add(b, &source->rows, rec);
}

static void report_problem(struct ship *s, const struct ship_source *source)
{
	const struct read_error *error = &source->reader->error;
	char text[5000];

	snprintf(text, sizeof(text), "%s: %s", source->path, error->text);
	if (!error->is_short || !source->is_short) { /* reported once until it is over */
		ship_report(s->sources.report, text);
	}
	s->problems += !error->is_short || s->options.is_once;
}

/* Reads a source until its turn is over; returns whether records came. */
static bool read_source(struct ship *s, struct ship_source *source)
{
	struct record records[64];
	enum read_result result = READ_RECORD;
	size_t sum = 0;

	while (sum < TURN && result != READ_NOTHING && source->state == SOURCE_OPEN) {
		size_t count = reader_few(source->reader, records, ARRAY_SIZE(records), &result);

		for (size_t i = 0; i < count; i++) {
			add(s, source, &records[i]);
		}
		sum += count;
		source->is_short = source->is_short && count == 0;
		if (result == READ_PROBLEM || result == READ_DAMAGED) {
			report_problem(s, source);
		}
		if (result == READ_NOTHING && s->options.is_once) {
			result = READ_END; /* of now */
		}
		if (result == READ_DAMAGED && source->reader->error.is_short) {
			source_wait(source);
		} else if (result == READ_END || result == READ_DAMAGED) {
			source_close(source, result == READ_END ? SOURCE_DONE : SOURCE_BAD);
		}
		s->has_changed |= source->state != SOURCE_OPEN;
	}
	return sum > 0;
}

/* Returns by how many seconds the clock of the first server that has answered is ahead; else 0. */
static int64_t ahead_of(const struct ship *s)
{
	for (size_t i = 0; i < lane_count(s); i++) {
		int64_t ahead_s =
			__atomic_load_n(&s->servers->all.items[i].ahead_s, __ATOMIC_RELAXED);

		if (ahead_s != INT64_MIN) {
			return ahead_s;
		}
	}
	return 0;
}

static bool read_one(struct ship *s, struct ship_source *source)
{
	if (source->state == SOURCE_NEW && !source_open(&s->sources, source, ahead_of(s))) {
		s->problems += source->is_short ? s->options.is_once : source->is_given;
	}
	return source->state == SOURCE_OPEN && !s->lanes[lane_of(s, source)].is_full &&
	       read_source(s, source);
}

/* Reads all sources, each for its turn, until a batch is full; returns whether records came. */
static bool read_all(struct ship *s)
{
	bool something = false;

	for (size_t i = 0; i < s->sources.all.count && !has_full(s); i++) {
		s->turn = (s->turn + 1) % s->sources.all.count;
		something |= read_one(s, s->sources.all.items[s->turn]);
	}
	return something;
}

static bool is_done(const struct ship *s)
{
	vec_foreach (struct ship_source *const *, it, &s->sources.all) {
		if ((*it)->state < SOURCE_DONE) {
			return false;
		}
	}
	return true;
}

/* True if all that is left is for servers that fail. */
static bool gives_up(struct ship *s)
{
	for (size_t i = 0; i < lane_count(s); i++) {
		if (spool_count(&s->spool, i) > 0 && failures(&s->lanes[i]) < SHIP_FAILURES_MAX) {
			return false;
		}
	}
	return !ship_is_sent(s);
}

/* Looks for traces: the more there are, the less often. */
static void find(struct ship *s)
{
	uint64_t begun = clock_now_ns();

	if (begun - s->found_ns >= s->find_pause_ns) {
		sources_find(&s->sources);
		s->problems += s->sources.is_short && s->options.is_once;
		s->found_ns = clock_now_ns();
		uint64_t pause = FIND_SHARE * (s->found_ns - begun);

		s->find_pause_ns = pause > FIND_NS ? pause : FIND_NS;
	}
}

bool ship_run(struct ship *s)
{
	bool something = true;

	begin_batches(s);
	while (!wait_ms(s, something ? 0 : PAUSE_MS)) {
		find(s);
		look_for_room(s);
		something = read_all(s);
		bool is_last = s->options.is_once && !something;

		if ((is_due(s) || (is_last && s->rows > 0)) && !store(s)) {
			return false;
		}
		if (is_last && is_done(s) && ship_is_sent(s)) {
			return true;
		}
		if (is_last && gives_up(s)) {
			return false;
		}
	}
	return store(s);
}
