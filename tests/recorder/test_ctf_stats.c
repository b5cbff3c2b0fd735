/* SPDX-License-Identifier: MIT */
/*
 * The counts of recorded events per thread are exact: while threads start and end, in signal
 * handlers, and when a count wraps.
 */
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "tallies.h"

static void count_threads(void)
{
	begin();
	waymark_counts_switch(true);
	per_thread = 16 * UINT64_C(10000);
	in_threads(THREADS, record_both);
	uint64_t events = THREADS * (per_thread + per_thread / 16);
	struct tally all = total();

	expect_tally("in all", &all, events, 0);
	all = of_ended();
	expect_tally("of those that have ended", &all, events, 0);
	waymark_recorder_flush();
	all = of_pair();
	expect_tally("of the event", &all, events, 0);
}

static void each_thread_and_event_is_counted_exactly(void **state)
{
	(void)state;
	run_it(count_threads);
}

/* Threads run one after the other, so they have the same slot. */
static void *record_some(void *who)
{
	uint64_t events = 1 + (uintptr_t)who % 7;

	for (uint64_t i = 0; i < events; i++) {
		trace_ctf((uintptr_t)who, i);
	}
	struct tally own = mine();

	expect_tally("a thread's", &own, events, 0);
	return (void *)(uintptr_t)events;
}

static void reuse_slots(void)
{
	uint64_t sum = 0;

	begin();
	trace_ctf(1, 1);
	for (uintptr_t i = 0; i < 1000; i++) {
		pthread_t t;
		void *events;

		pthread_create(&t, NULL, record_some, (void *)i);
		pthread_join(t, &events);
		sum += (uintptr_t)events;
		struct tally ended = of_ended();

		expect_tally("of those that have ended", &ended, sum, 0);
	}
	struct tally own = mine();

	expect_tally("the first thread's", &own, 1, 0);
}

static void who_takes_over_a_slot_begins_at_0(void **state)
{
	(void)state;
	run_it(reuse_slots);
}

static uint64_t handled;

static void record_in_handler(int sig)
{
	(void)sig;
	for (int i = 0; i < 3; i++) {
		trace_ctf(2, handled++);
	}
}

static void count_handlers(void)
{
	struct itimerval often = { { 0, 100 }, { 0, 100 } };
	struct sigaction act = { .sa_handler = record_in_handler, .sa_flags = SA_RESTART };
	uint64_t i = 0;

	begin();
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < 1000) { /* however long that takes on a busy machine */
		for (int k = 0; k < 500; k++) {
			trace_ctf(1, i++);
		}
	}
	memset(&often, 0, sizeof(often));
	setitimer(ITIMER_REAL, &often, NULL);
	struct tally own = mine();

	expect_tally("with handlers", &own, i + handled, 0);
}

static void events_of_handlers_are_counted_exactly(void **state)
{
	(void)state;
	run_it(count_handlers);
}

static void *leave_inside(void *who)
{
	struct waymark_record r;

	trace_ctf((uintptr_t)who, 0);
	waymark_record_begin(&r, WAYMARK_RECORDER_CTF, &event_pair, 32);
	pthread_exit(NULL);
}

static void leave(void)
{
	begin();
	in_threads(THREADS, leave_inside);
	struct tally ended = of_ended();

	expect_tally("of those that jumped out", &ended, THREADS, 0);
	waymark_recorder_flush();
	sleep_ms(300);
	waymark_recorder_flush();
	per_thread = 160;
	in_threads(THREADS, record_both);
	ended = of_ended();
	expect_tally("with those after them", &ended, THREADS * (1 + 170), 0);
}

static void an_event_that_is_left_in_the_middle_is_none(void **state)
{
	(void)state;
	run_it(leave);
}

/* Sets the count as if `before` events had been recorded. */
static void wrap(void)
{
	const uint64_t before = UINT32_MAX - 9;
	struct cursor *c;

	begin();
	trace_ctf(1, 0);
	c = (void *)waymark_cursors[WAYMARK_RECORDER_CTF];
	__atomic_store_n(&c->hot.count, (uint32_t)before, __ATOMIC_RELAXED);
	__atomic_store_n(&c->counted, before, __ATOMIC_RELAXED);
	uint64_t last = before;

	for (uint64_t i = 1; i <= 20000; i++) { /* the packet is switched, too */
		trace_ctf(1, i);
		struct tally own = mine();

		expect("across 2^32", own.recorded, last + 1);
		last = own.recorded;
	}
	expect("in all", mine().bytes, 20001 * PAIR_BYTES);
}

static void a_count_goes_on_beyond_32_bits(void **state)
{
	(void)state;
	run_it(wrap);
}

/*
 * The counts seen by a handler that interrupts the packet switch, or by another thread at that
 * time.
 */
static void look_inside(void)
{
	begin();
	for (uint64_t i = 0; i < 10; i++) {
		trace_ctf(1, i);
	}
	struct cursor *c = (void *)waymark_cursors[WAYMARK_RECORDER_CTF];
	struct tally own = mine();

	__atomic_fetch_add(&c->turn, 1, __ATOMIC_RELAXED);
	/* Of the packet that is still open. */
	__atomic_fetch_add(&c->bytes, 10 * PAIR_BYTES, __ATOMIC_RELAXED);
	own = mine();
	expect_tally("in the middle", &own, 10, 0);
	__atomic_fetch_sub(&c->bytes, 10 * PAIR_BYTES, __ATOMIC_RELAXED);
	__atomic_fetch_add(&c->turn, 1, __ATOMIC_RELAXED);
	trace_ctf(1, 10);
	own = mine();
	expect_tally("afterwards", &own, 11, 0);
}

static void a_look_in_the_middle_of_a_packet_switch_shows_no_half_of_it(void **state)
{
	(void)state;
	run_it(look_inside);
}

static uint32_t stop;

static void *watch(void *unused)
{
	struct tally all = { 0 }, ended = { 0 };

	(void)unused;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		struct tally now = total();
		struct tally of = of_ended();

		expect("recorded went back", now.recorded >= all.recorded, 1);
		expect("lost went back", now.lost >= all.lost, 1);
		expect("bytes went back", now.bytes >= all.bytes, 1);
		expect("recorded of the ended went back", of.recorded >= ended.recorded, 1);
		expect("lost of the ended went back", of.lost >= ended.lost, 1);
		expect("bytes of the ended went back", of.bytes >= ended.bytes, 1);
		all = now;
		ended = of;
	}
	return NULL;
}

static void *come_and_go(void *who)
{
	(void)who;
	for (int i = 0; i < 130; i++) {
		pthread_t t;

		pthread_create(&t, NULL, record_many, NULL);
		pthread_join(t, NULL);
	}
	return NULL;
}

static void look_meanwhile(void)
{
	pthread_t watcher;

	begin_pairs("trace", RECORDER_DISCARD, RECORDER_BUFFER_MIN);
	per_thread = 2000;
	pthread_create(&watcher, NULL, watch, NULL);
	in_threads(THREADS, come_and_go);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(watcher, NULL);
	struct tally all = total(), ended = of_ended();

	expect("in all", all.recorded + all.lost, THREADS * 130 * per_thread);
	expect("ended", ended.recorded, all.recorded);
	expect("ended", ended.lost, all.lost);
	expect("ended", ended.bytes, all.bytes);
}

static void no_number_goes_back_while_threads_come_and_go(void **state)
{
	(void)state;
	run_it(look_meanwhile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_and_event_is_counted_exactly),
		cmocka_unit_test(who_takes_over_a_slot_begins_at_0),
		cmocka_unit_test(events_of_handlers_are_counted_exactly),
		cmocka_unit_test(an_event_that_is_left_in_the_middle_is_none),
		cmocka_unit_test(a_count_goes_on_beyond_32_bits),
		cmocka_unit_test(a_look_in_the_middle_of_a_packet_switch_shows_no_half_of_it),
		cmocka_unit_test(no_number_goes_back_while_threads_come_and_go),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
