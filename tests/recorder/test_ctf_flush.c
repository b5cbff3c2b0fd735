/* SPDX-License-Identifier: MIT */
/*
 * A flush and a snapshot while a thread is inside an event: its earlier events are in
 * the file when the call returns, or the call returns an error.
 *
 * The consumer visits all threads repeatedly, and the thread may continue between any
 * two visits. waymark_slot_next() is wrapped to let it continue at each of them.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctf_pairs.h"
#include "rt/record/process.h"
#include "rt/ctf/control.h"
#include "rt/sink/sink.h"

#define BEFORE 100u
#define LOOKS 8u
#define LOOKS_LATE 100u /* about 40 ms */
#define MEMORY (UINT64_C(1) << 20) /* bytes */
#define MORE_THAN_FIT (MEMORY / 16) /* events, of at least 24 bytes */

struct slot *__real_waymark_slot_next(uint32_t *index);
struct slot *__wrap_waymark_slot_next(uint32_t *index);

static unsigned int go_on_at; /* index of the look; 0: never */
static unsigned int looks;
static uint32_t stands, may_go_on, has_gone_on; /* stored with release */

static void await(const uint32_t *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) {
		usleep(100);
	}
}

static void let_go_on(void)
{
	__atomic_store_n(&may_go_on, 1, __ATOMIC_RELEASE);
	await(&has_gone_on);
}

struct slot *__wrap_waymark_slot_next(uint32_t *index)
{
	if (go_on_at && *index == 0 && ++looks == go_on_at) {
		let_go_on();
	}
	return __real_waymark_slot_next(index);
}

static void *stay_in_event(void *unused)
{
	struct waymark_record r;
	uint64_t pair[2] = { 0, BEFORE };

	for (uint64_t i = 0; i < BEFORE; i++) {
		trace_ctf(0, i);
	}
	if (!waymark_record_begin(&r, WAYMARK_RECORDER_CTF, &event_pair, 2 * (8 + 8))) {
		_exit(2);
	}
	__atomic_store_n(&stands, 1, __ATOMIC_RELEASE);
	await(&may_go_on);
	waymark_record_value(&r, &pair[0], sizeof(pair[0]));
	waymark_record_value(&r, &pair[1], sizeof(pair[1]));
	waymark_record_end(&r);
	trace_ctf(0, BEFORE + 1);
	__atomic_store_n(&has_gone_on, 1, __ATOMIC_RELEASE);
	return unused;
}

static void begin(enum recorder_policy policy)
{
	pthread_t t;

	begin_pairs("trace", policy, MEMORY);
	waymark_process()->writer = WRITER_REFUSED; /* so that only this test visits the threads */
	pthread_create(&t, NULL, stay_in_event, NULL);
	pthread_detach(t); /* has_gone_on tells more than its end would */
	await(&stands);
}

static unsigned int at;

static void flush_and_vanish(void)
{
	begin(RECORDER_DISCARD);
	go_on_at = at;
	_exit(waymark_recorder_flush() == 0 && has_gone_on ? 0 : 3);
}

static void a_flush_has_what_came_before_whenever_the_thread_goes_on(void **state)
{
	(void)state;
	for (at = 1; at <= LOOKS; at++) {
		struct pairs p;

		assert_int_equal(system("rm -rf trace"), 0);
		assert_int_equal(run(flush_and_vanish), 0);
		read_pairs(&p, "trace");
		if (check_each_once(&p, 0) < BEFORE) {
			fail_msg("at look %u: %zu events", at, p.count);
		}
		pairs_free(&p);
	}
}

/* Memory is full all the time: new events overwrite old ones. */
static void *record_on(void *unused)
{
	for (uint64_t i = 0;; i++) {
		trace_ctf(1, i);
	}
	return unused;
}

static void snapshot_of_slow_thread(void)
{
	struct waymark_recorder_stats stats;
	struct waymark_error error;
	pthread_t t;

	begin(RECORDER_OVERWRITE);
	pthread_create(&t, NULL, record_on, NULL);
	go_on_at = LOOKS_LATE + at;
	if (waymark_ctf_snapshot("snapshot", &error) < 0 || !has_gone_on) {
		fprintf(stderr, "%s\n", error.text);
		_exit(3);
	}
	/* The thread continues and gets memory; the number of lost events depends on the load. */
	for (unsigned int ms = 0; ms < 10000; ms++) {
		waymark_recorder_get_stats(&stats);
		if (stats.lost == 0 || stats.recorded > MORE_THAN_FIT) {
			_exit(0);
		}
		sleep_ms(1);
	}
	_exit(4);
}

static void a_snapshot_waits_for_a_thread_without_a_processor(void **state)
{
	(void)state;
	for (at = 1; at <= LOOKS; at++) {
		struct pairs p;

		assert_int_equal(system("rm -rf trace snapshot"), 0);
		assert_int_equal(run(snapshot_of_slow_thread), 0);
		read_pairs(&p, "snapshot");
		if (check_none_twice(&p, 0) < BEFORE) {
			fail_msg("at look %u: %" PRIu64 " events", at, check_none_twice(&p, 0));
		}
		pairs_free(&p);
	}
}

static void snapshots_of_stuck_thread(void)
{
	struct waymark_error error;

	begin(RECORDER_OVERWRITE);
	if (waymark_ctf_snapshot("snapshot", &error) == 0 ||
		!strstr(error.text, "not complete: a thread is still inside an event")) {
		_exit(3);
	}
	let_go_on();
	_exit(waymark_ctf_snapshot("rest", &error) == 0 ? 0 : 4);
}

static void a_snapshot_without_a_stuck_threads_events_says_so(void **state)
{
	struct pairs p;

	(void)state;
	assert_int_equal(system("rm -rf trace snapshot rest"), 0);
	assert_int_equal(run(snapshots_of_stuck_thread), 0);
	read_pairs(&p, "snapshot");
	assert_int_equal(p.count, 0);
	pairs_free(&p);
	read_pairs(&p, "rest");
	assert_int_equal(check_each_once(&p, 0), BEFORE + 2);
	pairs_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flush_has_what_came_before_whenever_the_thread_goes_on),
		cmocka_unit_test(a_snapshot_waits_for_a_thread_without_a_processor),
		cmocka_unit_test(a_snapshot_without_a_stuck_threads_events_says_so),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
