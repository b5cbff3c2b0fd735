/* SPDX-License-Identifier: MIT */
/*
 * Events in signal handlers that interrupt other events at any instruction of recording, including
 * the packet switch: no event is lost, torn or out of order.
 */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../common/step.h"
#include "support.h"
#include "rt/sink/sink.h"

#define HANDLED_MIN 1000u /* a busy machine has few timers in half a second */

static __thread volatile uint64_t handled; /* counted in the handler, at any instruction */
static __thread uint64_t handler_who;

static void record_in_handler(int sig)
{
	(void)sig;
	for (unsigned int i = 0; i < (handled % 97 == 0 ? 3000u : 1u + handled % 3); i++) {
		trace_pair(handler_who, handled++);
	}
}

static timer_t start_timer(int sig, long ns)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sig };
	struct itimerspec every = { { 0, ns }, { 0, ns } };
	timer_t timer;

	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &every, NULL);
	return timer;
}

static uint64_t made[3][2];

static void *record_under_timers(void *number)
{
	uintptr_t n = (uintptr_t)number;
	uint64_t i = 0;

	handler_who = 10 + n;
	timer_t timer = start_timer(SIGRTMIN, 100000);

	uint64_t begin = now_ns();
	uint64_t end = begin + amount(1, 20) * UINT64_C(500000000);
	uint64_t patience = begin + UINT64_C(60000000000);

	while (now_ns() < end || (handled <= HANDLED_MIN && now_ns() < patience)) {
		for (unsigned int k = 0; k < 500; k++) {
			trace_pair(n, i++);
		}
		usleep(50); /* lets the writer run */
	}
	timer_delete(timer);
	made[n][0] = i;
	made[n][1] = handled;
	return NULL;
}

static void hammer(void)
{
	struct sigaction act = { .sa_handler = record_in_handler };
	pthread_t t[2];
	FILE *f;

	waymark_recorder_set_buffer(UINT64_C(1) << 30, NULL);
	sigaction(SIGRTMIN, &act, NULL);
	waymark_sink_simple.set_file("hammer", false, NULL);
	for (uintptr_t i = 1; i <= 2; i++) {
		pthread_create(&t[i - 1], NULL, record_under_timers, (void *)i);
	}
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	f = fopen("made", "w");
	fprintf(f, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", made[1][0], made[1][1],
		made[2][0], made[2][1]);
	fclose(f);
}

static void timers_at_10_khz_lose_nothing(void **state)
{
	struct trace t;
	FILE *f;

	(void)state;
	assert_int_equal(run(hammer), 0);
	f = fopen("made", "r");
	assert_int_equal(fscanf(f, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &made[1][0],
				 &made[1][1], &made[2][0], &made[2][1]),
		4);
	fclose(f);
	read_trace(&t, "hammer", 0);
	assert_int_equal(t.missing, 0);
	for (uint64_t n = 1; n <= 2; n++) {
		assert_true(made[n][1] > HANDLED_MIN);
		assert_int_equal(check_order(&t, n), made[n][0]);
		assert_int_equal(check_order(&t, 10 + n), made[n][1]);
	}
	trace_free(&t);
}

#if defined(__x86_64__) && !UNDER_TSAN

#define PACKET_EVENTS ((65536 - 88) / 24)

static volatile long step, steps;
static volatile unsigned int burst;
static uint64_t in_handler;

static void trap(int sig)
{
	(void)sig;
	if (steps++ == step) {
		for (unsigned int i = 0; i < burst; i++) {
			trace_pair(2, in_handler++);
		}
	}
}

static void stepped_pair(uint64_t i)
{
	steps = 0;
	BEGIN_STEPS();
	trace_pair(1, i);
	END_STEPS();
}

/* The packet's free room when the stepped event comes, and the number of events in its handler. */
static unsigned int room_left, handler_events, stride;

/*
 * Records one event for each of its instructions, or each `stride`th, with a handler there; the
 * packet has room for `room_left` events at that moment.
 */
static void step_through(void)
{
	struct sigaction act = { .sa_handler = trap };
	struct waymark_cursor *c;
	uint64_t i = 0;

	sigaction(SIGTRAP, &act, NULL);
	waymark_sink_simple.set_file("stepped", false, NULL);
	trace_pair(1, i++);
	c = waymark_cursors[WAYMARK_RECORDER_SIMPLE];
	burst = handler_events;
	for (step = 0; step < 100000; step += stride) {
		while (c->limit != NULL && c->limit - c->pos >= 48 + 24 * (ptrdiff_t)room_left) {
			trace_pair(1, i++);
		}
		stepped_pair(i++);
		if (steps <= step) {
			break;
		}
		if (step % 64 < stride) {
			waymark_recorder_flush();
		}
	}
	FILE *f = fopen("made", "w");
	struct waymark_recorder_stats stats;

	waymark_recorder_get_stats(&stats);
	fprintf(f, "%lu %lu %ld\n", i, in_handler, (long)step);
	if (stats.recorded != i + in_handler || stats.bytes != 24 * stats.recorded) {
		fprintf(stderr, "%lu events of %lu bytes are counted, not %lu\n", stats.recorded,
			stats.bytes, i + in_handler);
		_exit(2);
	}
	fclose(f);
}

static void check_stepped(long instructions)
{
	uint64_t in_main, of_handler;
	long stepped;
	struct trace t;
	FILE *f;

	assert_int_equal(run(step_through), 0);
	f = fopen("made", "r");
	assert_int_equal(fscanf(f, "%lu %lu %ld", &in_main, &of_handler, &stepped), 3);
	fclose(f);
	read_trace(&t, "stepped", 0);
	assert_int_equal(t.missing, 0);
	assert_int_equal(check_order(&t, 1), in_main);
	assert_int_equal(check_order(&t, 2), of_handler);
	assert_true(stepped >= instructions);
	trace_free(&t);
}

static void a_handler_at_every_instruction_of_an_event_loses_nothing(void **state)
{
	(void)state;
	room_left = 1000;
	stride = 1;
	handler_events = 1;
	check_stepped(20);
	handler_events = PACKET_EVENTS + 5; /* the handler switches packets itself */
	check_stepped(20);
}

static void a_handler_at_every_instruction_of_the_packet_switch_loses_nothing(void **state)
{
	(void)state;
	room_left = 0;
	stride = amount(7, 1);
	handler_events = 1;
	check_stepped(100);
	handler_events = amount(50, PACKET_EVENTS + 5);
	check_stepped(100);
}

#else

static void a_handler_at_every_instruction_of_an_event_loses_nothing(void **state)
{
	(void)state;
	skip_because(SKIP_STEPS);
}

static void a_handler_at_every_instruction_of_the_packet_switch_loses_nothing(void **state)
{
	(void)state;
	skip_because(SKIP_STEPS);
}

#endif

static volatile int depth; /* raise() is declared to call nothing here: others are stored late */
static const int nest[] = { SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF };

/* qemu-user 7.2 reads the signal mask of a handler on riscv64 from a wrong place. */
static void unblock_nest(void)
{
	sigset_t all;

	sigemptyset(&all);
	for (size_t i = 0; i < sizeof(nest) / sizeof(nest[0]); i++) {
		sigaddset(&all, nest[i]);
	}
	sigprocmask(SIG_UNBLOCK, &all, NULL);
}

/* An event interrupted in its middle by the next signal's handler, recursively. */
static void nested_event(int sig)
{
	struct waymark_record r;
	uint64_t who = 20, i = (uint64_t)depth++;

	(void)sig;
	if (UNDER_EMULATOR) {
		unblock_nest();
	}
	bool accepted = waymark_record_begin(&r, WAYMARK_RECORDER_SIMPLE, &event_pair, 32);

	if (i < 5) {
		raise(nest[i]);
	}
	if (accepted) {
		waymark_record_value(&r, &who, sizeof(who));
		waymark_record_value(&r, &i, sizeof(i));
		waymark_record_end(&r);
	}
}

static void nest_deeply(void)
{
	struct waymark_recorder_stats stats;

	for (size_t i = 0; i < sizeof(nest) / sizeof(nest[0]); i++) {
		signal(nest[i], nested_event);
	}
	waymark_sink_simple.set_file("nested", false, NULL);
	nested_event(0);
	waymark_recorder_get_stats(&stats);
	if (stats.lost != 2) {
		fprintf(stderr, "%" PRIu64 " events lost of %d\n", stats.lost, depth);
		exit(1);
	}
}

static void handlers_nest_four_deep_and_more_are_counted(void **state)
{
	char said[1024];
	struct trace t;

	(void)state;
	if (UNDER_TSAN) {
		skip_because(SKIP_TSAN);
	}
	int status = run_and_listen(nest_deeply, said, sizeof(said));

	if (status) {
		fail_msg("status 0x%x: %s", status, said);
	}
	read_trace(&t, "nested", 0);
	assert_int_equal(check_order(&t, 20), 4); /* the outermost began first */
	assert_int_equal(t.missing, 2);
	assert_non_null(strstr(said, "2 events lost"));
	trace_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timers_at_10_khz_lose_nothing),
		cmocka_unit_test(a_handler_at_every_instruction_of_an_event_loses_nothing),
		cmocka_unit_test(a_handler_at_every_instruction_of_the_packet_switch_loses_nothing),
		cmocka_unit_test(handlers_nest_four_deep_and_more_are_counted),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
