/* SPDX-License-Identifier: MIT */
/*
 * Events in signal handlers that interrupt events of the native recorder at any instruction: the
 * first event of a thread, the packet switch, after the writer took a packet, when a packet finds
 * no memory. With each policy of full=, an event is in the trace once, or is counted in its place.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../common/step.h"
#include "ctf_pairs.h"
#include "format/packet.h"
#include "rt/record/process.h"

#define HAMMERED 2
#define EARLY 20
#define HANDLED_ENOUGH 1000

static enum recorder_policy policy;
static uint64_t buffer;

static void forget_trace(void)
{
	assert_int_equal(system("rm -rf trace"), 0);
}

/* Stores numbers for the parent. */
static void leave(const uint64_t *numbers, size_t count)
{
	FILE *f = fopen("made", "wb");

	fwrite(numbers, sizeof(*numbers), count, f);
	fclose(f);
}

static void fetch(uint64_t *numbers, size_t count)
{
	FILE *f = fopen("made", "rb");

	assert_non_null(f);
	assert_int_equal(fread(numbers, sizeof(*numbers), count, f), count);
	fclose(f);
}

static __thread volatile uint64_t handled;
static __thread uint64_t handler_who;

static void record_in_handler(int sig)
{
	(void)sig;
	for (unsigned int i = 0; i < (handled % 97 == 0 ? 3000u : 1u + handled % 3); i++) {
		trace_ctf(handler_who, handled++);
	}
}

static timer_t start_timer(long ns)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN };
	struct itimerspec every = { { 0, ns }, { 0, ns } };
	timer_t timer;

	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &every, NULL);
	return timer;
}

static uint64_t made[HAMMERED][2];
static long timer_ns;

static void *record_under_timers(void *number)
{
	uintptr_t n = (uintptr_t)number;
	uint64_t end = now_ns() + amount(1, 20) * UINT64_C(400000000);
	uint64_t i = 0;

	handler_who = 10 + n;
	timer_t timer = start_timer(timer_ns);

	/* On a busy machine few signals arrive in that time. */
	while (now_ns() < end || handled <= HANDLED_ENOUGH) {
		for (unsigned int k = 0; k < 5000; k++) {
			trace_ctf(n, i++);
		}
	}
	timer_delete(timer);
	usleep(1000); /* pending signals are delivered now, also under TSan */
	made[n][0] = i;
	made[n][1] = handled;
	return NULL;
}

static void hammer(void)
{
	struct sigaction act = { .sa_handler = record_in_handler, .sa_flags = SA_RESTART };
	pthread_t t[HAMMERED];

	begin_pairs("trace", policy, buffer);
	if (UNDER_TSAN) {
		trace_ctf(EARLY, 0); /* TSan handles no thread created in a handler */
	}
	sigaction(SIGRTMIN, &act, NULL);
	for (uintptr_t i = 0; i < HAMMERED; i++) {
		pthread_create(&t[i], NULL, record_under_timers, (void *)i);
	}
	for (uintptr_t i = 0; i < HAMMERED; i++) {
		pthread_join(t[i], NULL);
	}
	leave(&made[0][0], (size_t)2 * HAMMERED);
}

static void check_hammered(bool may_lose)
{
	uint64_t (*check)(const struct pairs *, uint64_t) =
		may_lose ? check_none_twice : check_each_once;
	char said[1024];
	struct pairs p;
	uint64_t all = UNDER_TSAN;

	forget_trace();
	assert_int_equal(run_and_listen(hammer, said, sizeof(said)), 0);
	fetch(&made[0][0], (size_t)2 * HAMMERED);
	read_pairs(&p, "trace");
	uint64_t found = check(&p, EARLY);

	for (uint64_t n = 0; n < HAMMERED; n++) {
		assert_true(made[n][1] > HANDLED_ENOUGH);
		found += check(&p, n) + check(&p, 10 + n);
		all += made[n][0] + made[n][1];
	}
	assert_int_equal(found, p.count);
	assert_int_equal(found + p.lost, all);
	if (!may_lose) {
		assert_int_equal(p.lost, 0);
		assert_string_equal(said, "");
	}
	pairs_free(&p);
}

static void under_timers_what_is_discarded_is_counted(void **state)
{
	(void)state;
	policy = RECORDER_DISCARD;
	buffer = UINT64_C(4) << 20;
	timer_ns = 100000;
	check_hammered(true);
	timer_ns = 20000;
	check_hammered(true);
}

static void under_timers_what_is_overwritten_is_counted(void **state)
{
	(void)state;
	policy = RECORDER_OVERWRITE;
	buffer = UINT64_C(4) << 20;
	timer_ns = 100000;
	check_hammered(true);
	timer_ns = 20000;
	check_hammered(true);
}

static void under_timers_nothing_is_lost_where_events_wait(void **state)
{
	(void)state;
	policy = RECORDER_BLOCK;
	buffer = UINT64_C(4) << 20;
	timer_ns = 100000;
	check_hammered(false);
	timer_ns = 20000;
	check_hammered(false);
}

#if defined(__x86_64__) && !UNDER_SANITIZER

static volatile long step, steps;
static uint64_t in_handler;

static void trap(int sig)
{
	(void)sig;
	if (steps++ == step) {
		trace_ctf(2, in_handler++);
	}
}

static void stepped_pair(uint64_t i)
{
	steps = 0;
	BEGIN_STEPS();
	trace_ctf(1, i);
	END_STEPS();
}

/* The state of the stream when the next stepped event begins. */
enum situation { IN_PACKET, AT_SWITCH, AFTER_TAKE, FIRST_OF_THREAD, NO_MEMORY };

static enum situation situation;
static unsigned int stride;
static struct process *process;
static uint64_t in_main;

static void fill_packet(void)
{
	struct waymark_cursor *c = waymark_cursors[WAYMARK_RECORDER_CTF];

	while (c->limit && c->limit - c->pos >= 48) {
		trace_ctf(1, in_main++);
	}
}

static uint64_t lost(void)
{
	return process->recorders[WAYMARK_RECORDER_CTF].lost;
}

static void prepare(void)
{
	switch (situation) {
	case AT_SWITCH:
		fill_packet();
		break;
	case AFTER_TAKE:
		trace_ctf(1, in_main++);
		waymark_recorder_flush();
		break;
	case NO_MEMORY:
		for (uint64_t before = lost(); lost() == before;) {
			trace_ctf(1, in_main++);
		}
		break;
	case IN_PACKET:
	case FIRST_OF_THREAD:
		break;
	}
}

static void *step_once(void *unused)
{
	prepare();
	stepped_pair(in_main++);
	return unused;
}

static void step_in_thread(void)
{
	pthread_t t;

	pthread_create(&t, NULL, step_once, NULL);
	pthread_join(t, NULL);
}

/* Records one event for each `stride`th instruction, with a handler at that instruction. */
static void step_through(void)
{
	struct sigaction act = { .sa_handler = trap };

	begin_pairs("trace", policy, buffer);
	sigaction(SIGTRAP, &act, NULL);
	process = waymark_process();
	if (situation == NO_MEMORY) {
		process->writer = WRITER_REFUSED; /* so that no packet is drained */
	}
	trace_ctf(1, in_main++);
	for (step = 0; step < 100000; step += stride) {
		if (situation == FIRST_OF_THREAD) {
			step_in_thread();
		} else {
			step_once(NULL);
		}
		if (steps <= step) {
			break;
		}
		if (situation != NO_MEMORY && step % 8 < stride) {
			waymark_recorder_flush();
		}
	}
	leave((uint64_t[]){ in_main, in_handler, (uint64_t)step }, 3);
}

static void check_stepped(enum situation s, uint64_t instructions)
{
	uint64_t numbers[3];
	char said[1024];
	struct pairs p;

	situation = s;
	forget_trace();
	assert_int_equal(run_and_listen(step_through, said, sizeof(said)), 0);
	fetch(numbers, 3);
	read_pairs(&p, "trace");
	assert_true(numbers[2] >= instructions);
	assert_int_equal(p.count + p.lost, numbers[0] + numbers[1]);
	if (s == NO_MEMORY) {
		assert_true(p.lost > 0);
		check_none_twice(&p, 1);
		check_none_twice(&p, 2);
	} else {
		assert_string_equal(said, "");
		assert_int_equal(check_each_once(&p, 1), numbers[0]);
		assert_int_equal(check_each_once(&p, 2), numbers[1]);
	}
	pairs_free(&p);
}

static void in_each_policy(enum situation s, uint64_t instructions)
{
	buffer = UINT64_C(16) << 20;
	for (policy = RECORDER_DISCARD; policy <= RECORDER_BLOCK; policy++) {
		check_stepped(s, instructions);
	}
}

static void a_handler_at_every_instruction_of_an_event(void **state)
{
	(void)state;
	stride = 1;
	in_each_policy(IN_PACKET, 20);
}

static void a_handler_at_every_instruction_of_the_packet_switch(void **state)
{
	(void)state;
	stride = amount(7, 1);
	in_each_policy(AT_SWITCH, 100);
}

static void a_handler_at_every_instruction_behind_a_packet_that_was_taken(void **state)
{
	(void)state;
	stride = amount(7, 1);
	in_each_policy(AFTER_TAKE, 100);
}

static void a_handler_at_every_instruction_of_a_threads_first_event(void **state)
{
	(void)state;
	stride = amount(7, 1);
	in_each_policy(FIRST_OF_THREAD, 200);
}

static void a_handler_at_every_instruction_of_an_event_that_finds_no_memory(void **state)
{
	(void)state;
	stride = amount(7, 1);
	buffer = UINT64_C(1) << 20;
	policy = RECORDER_DISCARD;
	check_stepped(NO_MEMORY, 100);
	policy = RECORDER_BLOCK;
	check_stepped(NO_MEMORY, 100);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(under_timers_what_is_discarded_is_counted),
		cmocka_unit_test(under_timers_what_is_overwritten_is_counted),
		cmocka_unit_test(under_timers_nothing_is_lost_where_events_wait),
#if defined(__x86_64__) && !UNDER_SANITIZER
		cmocka_unit_test(a_handler_at_every_instruction_of_an_event),
		cmocka_unit_test(a_handler_at_every_instruction_of_the_packet_switch),
		cmocka_unit_test(a_handler_at_every_instruction_behind_a_packet_that_was_taken),
		cmocka_unit_test(a_handler_at_every_instruction_of_a_threads_first_event),
		cmocka_unit_test(a_handler_at_every_instruction_of_an_event_that_finds_no_memory),
#endif
	};

	if (UNDER_SANITIZER) {
		printf("not stepped: a sanitizer's checks are too many instructions\n");
	}
	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
