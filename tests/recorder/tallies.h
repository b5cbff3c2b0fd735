/* SPDX-License-Identifier: MIT */
/* Checks the counts of recorded and lost events in a child, which exits at a wrong one. */
#ifndef TESTS_RECORDER_TALLIES_H
#define TESTS_RECORDER_TALLIES_H

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctf_pairs.h"
#include "rt/record/process.h"
#include "rt/record/stats.h"
#include "rt/sink/sink.h"

#define PAIR_BYTES 24u
#define PAIR_ID 1u

/* In a child: exits with a message that contains the line's number. */
#define expect(what, value, wanted)                                                              \
	do {                                                                                     \
		uint64_t is_ = (value), wanted_ = (wanted);                                      \
		if (is_ != wanted_) {                                                            \
			fprintf(stderr, "line %d: %s: %" PRIu64 ", not %" PRIu64 "\n", __LINE__, \
				what, is_, wanted_);                                             \
			_exit(1);                                                                \
		}                                                                                \
	} while (0)

static inline void expect_tally(
	const char *what, const struct tally *t, uint64_t recorded, uint64_t lost)
{
	expect(what, t->recorded, recorded);
	expect(what, t->lost, lost);
	expect(what, t->bytes, recorded * PAIR_BYTES);
}

static inline struct tally total(void)
{
	struct tally t = { 0 };

	waymark_stats_add_all(waymark_process_current(), &t);
	return t;
}

/* Returns the counts of the calling thread. */
static inline struct tally mine(void)
{
	struct tally own = { 0 }, ended = { 0 };

	if (!waymark_tally_owner(waymark_slot_current(), &own, &ended)) {
		_exit(4);
	}
	return own;
}

static inline struct tally of_ended(void)
{
	struct tally own = { 0 }, ended = { 0 };
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next_ever(&index));) {
		waymark_tally_owner(s, &own, &ended);
	}
	waymark_stats_add_unplaced(waymark_process_current(), &ended);
	return ended;
}

static inline struct tally of_pair(void)
{
	struct tally t;

	waymark_counts_get(PAIR_ID, &t);
	return t;
}

static inline void begin(void)
{
	begin_pairs("trace", RECORDER_BLOCK, UINT64_C(8) << 20);
	waymark_sink_simple.set_file("simple", false, NULL);
}

static inline void run_it(void (*body)(void))
{
	char said[1024];

	assert_int_equal(system("rm -rf trace simple*"), 0);
	int status = run_and_listen(body, said, sizeof(said));

	if (status) {
		fail_msg("%#x: %s", (unsigned int)status, said);
	}
}

#define THREADS 8u

static inline void in_threads(unsigned int count, void *(*what)(void *))
{
	pthread_t t[THREADS];

	for (uintptr_t i = 0; i < count; i++) {
		pthread_create(&t[i], NULL, what, (void *)i);
	}
	for (uintptr_t i = 0; i < count; i++) {
		pthread_join(t[i], NULL);
	}
}

/* Bodies of threads that record, with both recorders or with one, and check the counts. */
static uint64_t per_thread;

static inline void *record_both(void *who)
{
	for (uint64_t i = 0; i < per_thread; i++) {
		trace_ctf((uintptr_t)who, i);
		if (i % 16 == 0) {
			trace_pair((uintptr_t)who, i);
		}
	}
	struct tally own = mine();

	expect_tally("a thread's", &own, per_thread + per_thread / 16, 0);
	return NULL;
}

static inline void *record_many(void *who)
{
	for (uint64_t i = 0; i < per_thread; i++) {
		trace_ctf((uintptr_t)who, i);
	}
	struct tally own = mine();

	expect("a thread's", own.recorded + own.lost, per_thread);
	expect("a thread's bytes", own.bytes, own.recorded * PAIR_BYTES);
	return NULL;
}

#endif
