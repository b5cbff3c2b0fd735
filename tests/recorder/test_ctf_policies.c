/* SPDX-License-Identifier: MIT */
/*
 * The full= policies of the native recorder, for events that find no memory: they are
 * lost and counted at their place, they overwrite the oldest ones, or they wait.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctf_pairs.h"
#include "rt/record/process.h"

#define THREADS_MAX 32u

static enum recorder_policy policy;
static uint64_t buffer;
static unsigned int threads;
static uint64_t per_thread;

static void *record_many(void *who)
{
	for (uint64_t i = 0; i < per_thread; i++) {
		trace_ctf((uintptr_t)who, i);
	}
	return NULL;
}

static void in_threads(void *(*what)(void *))
{
	pthread_t t[THREADS_MAX];

	for (uintptr_t i = 0; i < threads; i++) {
		pthread_create(&t[i], NULL, what, (void *)i);
	}
	for (uintptr_t i = 0; i < threads; i++) {
		pthread_join(t[i], NULL);
	}
}

static void record(void)
{
	begin_pairs("trace", policy, buffer);
	in_threads(record_many);
}

/* Records in a child and reads its trace. */
static void record_and_read(struct pairs *p, void (*body)(void))
{
	char said[1024];

	assert_int_equal(system("rm -rf trace"), 0);
	assert_int_equal(run_and_listen(body, said, sizeof(said)), 0);
	if (policy == RECORDER_BLOCK && *said) {
		fail_msg("it said: %s", said);
	}
	read_pairs(p, "trace");
}

static void what_is_discarded_is_counted_where_it_is_missing(void **state)
{
	struct pairs p;
	uint64_t found = 0;

	(void)state;
	policy = RECORDER_DISCARD;
	buffer = UINT64_C(1) << 20;
	threads = 2;
	per_thread = amount(2000000, 20000000);
	record_and_read(&p, record);
	for (uint64_t who = 0; who < threads; who++) {
		assert_true(check_gaps(&p, who) <= per_thread);
		found += check_none_twice(&p, who);
	}
	assert_int_equal(found + p.lost, threads * per_thread);
	pairs_free(&p);
}

/* From the first recorded event to the last fired one, no event is missing. */
static void check_newest(const struct pairs *p, uint64_t who)
{
	uint64_t first = UINT64_MAX;
	uint64_t count = 0;

	for (size_t k = 0; k < p->count; k++) {
		if (p->items[k].who == who) {
			first = first == UINT64_MAX ? p->items[k].i : first;
			count++;
		}
	}
	if (count) { /* otherwise it finished long before the others */
		assert_int_equal(check_gaps(p, who), per_thread);
		assert_int_equal(count, per_thread - first);
	}
}

static void the_flight_recorder_keeps_the_newest_events(void **state)
{
	struct pairs p;

	(void)state;
	policy = RECORDER_OVERWRITE;
	per_thread = amount(10000000, 100000000);
	for (threads = 1; threads <= 4; threads++) {
		for (buffer = UINT64_C(8) << 20; buffer <= UINT64_C(32) << 20; buffer *= 4) {
			record_and_read(&p, record);
			for (uint64_t who = 0; who < threads; who++) {
				check_newest(&p, who);
			}
			assert_int_equal(p.count + p.lost, threads * per_thread);
			/* An eighth is kept free, and open packets are not full. */
			if (p.count * 24 < buffer / 2) {
				fail_msg("%zu bytes of %" PRIu64 " kept", p.count * 24, buffer);
			}
			pairs_free(&p);
		}
	}
}

static void nothing_is_lost_where_events_wait(void **state)
{
	struct pairs p;

	(void)state;
	policy = RECORDER_BLOCK;
	buffer = UINT64_C(1) << 20;
	threads = 4;
	per_thread = amount(1000000, 20000000);
	record_and_read(&p, record);
	for (uint64_t who = 0; who < threads; who++) {
		assert_int_equal(check_each_once(&p, who), per_thread);
	}
	assert_int_equal(p.lost, 0);
	pairs_free(&p);
}

/* Each thread fills a packet, so that no sub-buffer is free for the next one. */
static void more_threads_than_subbufs_record_on(void **state)
{
	struct pairs p;

	(void)state;
	policy = RECORDER_BLOCK;
	buffer = UINT64_C(1) << 20;
	threads = THREADS_MAX;
	per_thread = amount(20000, 200000);
	record_and_read(&p, record);
	for (uint64_t who = 0; who < threads; who++) {
		assert_int_equal(check_each_once(&p, who), per_thread);
	}
	assert_int_equal(p.lost, 0);
	pairs_free(&p);
}

static uint32_t arrived;

/* Holds a packet with one event until all threads have one. */
static void *record_one(void *who)
{
	trace_ctf((uintptr_t)who, 0);
	__atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < threads) {
		sleep_ms(1);
	}
	return NULL;
}

static void record_one_each(void)
{
	uint64_t from = now_ns();

	begin_pairs("trace", policy, buffer);
	in_threads(record_one);
	if (now_ns() - from > UINT64_C(2000000000)) {
		_exit(1); /* well before flush= closes quiet packets */
	}
}

static void more_threads_than_packets_wait_for_no_quiet_one(void **state)
{
	struct pairs p;

	(void)state;
	policy = RECORDER_BLOCK;
	buffer = UINT64_C(1) << 20;
	threads = THREADS_MAX;
	record_and_read(&p, record_one_each);
	assert_int_equal(p.count, threads);
	pairs_free(&p);
}

/* Without a writer, an event that would wait is lost and counted. */
static void record_without_writer(void)
{
	waymark_process()->writer = WRITER_REFUSED;
	record();
}

static void who_has_no_writer_does_not_wait_for_ever(void **state)
{
	char said[1024];
	struct pairs p;

	(void)state;
	policy = RECORDER_BLOCK;
	buffer = UINT64_C(1) << 20;
	threads = 2;
	per_thread = 100000;
	assert_int_equal(system("rm -rf trace"), 0);
	assert_int_equal(run_and_listen(record_without_writer, said, sizeof(said)), 0);
	assert_non_null(strstr(said, "events lost"));
	read_pairs(&p, "trace");
	assert_int_equal(p.count + p.lost, threads * per_thread);
	assert_true(p.lost > 0);
	pairs_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_discarded_is_counted_where_it_is_missing),
		cmocka_unit_test(the_flight_recorder_keeps_the_newest_events),
		cmocka_unit_test(nothing_is_lost_where_events_wait),
		cmocka_unit_test(more_threads_than_subbufs_record_on),
		cmocka_unit_test(more_threads_than_packets_wait_for_no_quiet_one),
		cmocka_unit_test(who_has_no_writer_does_not_wait_for_ever),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
