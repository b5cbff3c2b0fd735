/* SPDX-License-Identifier: MIT */
/*
 * The order of a batch's life makes each row arrive once: the batch is stored, then the positions
 * behind its records, and only then it is sent. A shipper that is killed before the positions are
 * stored makes the batch anew.
 */
#include "ship/ship.h"

#include <poll.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"

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

static void begin_batch(struct ship *s)
{
	batch_begin(&s->batch, sender_batch(s->sender.shipper, s->spool.next));
}

/* Stores the batch and the places of all traces. */
static bool store(struct ship *s)
{
	json_t *positions = json_pack("{s:i, s:I, s:o}", "version", 1, "shipper",
		(json_int_t)s->sender.shipper, "traces", sources_save(&s->sources));
	bool ok;

	if (s->batch.rows > 0) {
		batch_close(&s->batch);
		ok = spool_add(&s->spool, &s->batch, positions);
	} else {
		ok = spool_keep(&s->spool, positions);
	}
	json_decref(positions);
	if (ok) {
		s->has_changed = false;
		begin_batch(s);
	}
	return ok;
}

static bool is_full(const struct ship *s)
{
	return s->batch.rows >= BATCH_ROWS || batch_bytes(&s->batch) >= BATCH_BYTES ||
	       s->batch.open_count >= BATCH_OPEN;
}

static bool is_due(const struct ship *s)
{
	bool is_old = s->batch.rows > 0 &&
		      clock_now_ns() - s->begun_ns >= (uint64_t)s->options.interval_ms * NS_PER_MS;

	return is_old || is_full(s) || (s->has_changed && s->batch.rows == 0);
}

/* True if there is room for another batch; reports when that changes. */
static bool has_room(struct ship *s)
{
	bool is_over = spool_bytes(&s->spool) >= s->options.spool_bytes;

	if (is_over != s->is_full) {
		s->sources.report(is_over ? "the spool is full: events wait in their traces"
					  : "the spool has room again");
	}
	s->is_full = is_over;
	return !is_over;
}

/* ---- Reading ---- */

static uint32_t server_of(const struct ship *s, const struct ship_source *source)
{
	return (uint32_t)(source->rows.process % s->servers.all.count);
}

static void add(struct ship *s, struct ship_source *source, const struct record *rec)
{
	if (rows_leaves_out(rec)) {
		return;
	}
	if (s->batch.rows == 0) {
		s->begun_ns = clock_now_ns();
	}
	if (!source->is_sent) {
		batch_add_process(&s->batch, server_of(s, source), &source->rows);
		source->is_sent = true;
	}
	batch_add(&s->batch, server_of(s, source), &source->rows, rec);
}

static void report_problem(struct ship *s, const struct ship_source *source)
{
	char text[5000];

	snprintf(text, sizeof(text), "%s: %s", source->path, source->reader->error.text);
	s->sources.report(text);
	s->problems++;
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
		if (result == READ_PROBLEM || result == READ_DAMAGED) {
			report_problem(s, source);
		}
		if (result == READ_NOTHING && s->options.is_once) {
			result = READ_END; /* of now */
		}
		if (result == READ_END || result == READ_DAMAGED) {
			source_close(source, result == READ_END ? SOURCE_DONE : SOURCE_BAD);
			s->has_changed = true;
		}
	}
	return sum > 0;
}

static int64_t ahead_of(const struct ship *s)
{
	int64_t ahead_s = __atomic_load_n(&s->servers.ahead_s, __ATOMIC_RELAXED);

	return ahead_s == INT64_MIN ? 0 : ahead_s;
}

static bool read_one(struct ship *s, struct ship_source *source)
{
	if (source->state == SOURCE_NEW && !source_open(&s->sources, source, ahead_of(s))) {
		s->problems += source->is_given;
	}
	return source->state == SOURCE_OPEN && read_source(s, source);
}

/* Reads all sources, each for its turn, until the batch is full; returns whether records came. */
static bool read_all(struct ship *s)
{
	bool something = false;

	for (size_t i = 0; i < s->sources.all.count && !is_full(s); i++) {
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

static bool gives_up(const struct ship *s)
{
	return __atomic_load_n(&s->sender.failures, __ATOMIC_RELAXED) >= SHIP_FAILURES_MAX;
}

/* Looks for traces: the more there are, the less often. */
static void find(struct ship *s)
{
	uint64_t begun = clock_now_ns();

	if (begun - s->found_ns >= s->find_pause_ns) {
		sources_find(&s->sources);
		s->found_ns = clock_now_ns();
		uint64_t pause = FIND_SHARE * (s->found_ns - begun);

		s->find_pause_ns = pause > FIND_NS ? pause : FIND_NS;
	}
}

bool ship_run(struct ship *s)
{
	bool something = true;

	begin_batch(s);
	while (!wait_ms(s, something ? 0 : PAUSE_MS)) {
		find(s);
		something = has_room(s) && read_all(s);
		bool is_last = s->options.is_once && is_done(s);

		if ((is_due(s) || (is_last && s->batch.rows > 0)) && !store(s)) {
			return false;
		}
		if (is_last && s->batch.rows == 0 && spool_is_empty(&s->spool)) {
			return true;
		}
		if (s->options.is_once && gives_up(s)) {
			return false;
		}
	}
	return store(s);
}
