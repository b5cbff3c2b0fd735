/* SPDX-License-Identifier: MIT */
/*
 * The counts of events that are lost, overwritten or recorded by a forked child, and
 * which events these were.
 */
#include <sys/wait.h>

#include "tallies.h"

static void count_losses(void)
{
	begin_pairs("trace", RECORDER_DISCARD, RECORDER_BUFFER_MIN);
	waymark_counts_switch(true);
	in_threads(THREADS, record_many);
	waymark_recorder_flush();
	struct tally all = total(), event = of_pair();

	expect("some are lost", all.lost > 0, 1);
	expect("in all", all.recorded + all.lost, THREADS * per_thread);
	expect_tally("of the event", &event, all.recorded, all.lost);
}

static void recorded_and_lost_make_all(void **state)
{
	(void)state;
	per_thread = 1000000;
	run_it(count_losses);
	struct pairs p;

	read_pairs(&p, "trace");
	assert_int_equal(p.count + p.lost, THREADS * per_thread);
	pairs_free(&p);
}

static void lose_early(void)
{
	begin();
	for (int i = 0; i < 3; i++) {
		waymark_stats_lose_early(); /* there was no memory for a slot */
	}
	trace_ctf(1, 1);
	struct tally all = total(), ended = of_ended();

	expect_tally("in all", &all, 1, 3);
	expect_tally("without a slot", &ended, 0, 3);
}

static void what_threads_without_memory_lost_is_in_the_sum(void **state)
{
	(void)state;
	run_it(lose_early);
}

static void overwrite(void)
{
	begin_pairs("trace", RECORDER_OVERWRITE, UINT64_C(4) << 20);
	waymark_counts_switch(true);
	per_thread = 1000000;
	in_threads(2, record_many);
	waymark_recorder_snapshot();
	waymark_recorder_flush();
	struct tally all = total(), event = of_pair();

	expect("in all", all.recorded + all.lost, 2 * per_thread);
	expect_tally("of the event", &event, all.recorded, all.lost);
}

static void what_was_overwritten_was_recorded(void **state)
{
	(void)state;
	run_it(overwrite);
}

static void switch_counting(void)
{
	begin();
	per_thread = 160;
	in_threads(1, record_both);
	waymark_recorder_flush();
	struct tally event = of_pair();

	expect_tally("while it is off", &event, 0, 0);
	waymark_counts_switch(true);
	in_threads(1, record_both);
	waymark_recorder_flush();
	event = of_pair();
	expect_tally("since", &event, 170, 0);
	waymark_counts_switch(false);
	in_threads(1, record_both);
	waymark_recorder_flush();
	event = of_pair();
	expect_tally("not since it is off", &event, 170, 0);
}

static void events_are_counted_while_that_is_on(void **state)
{
	(void)state;
	run_it(switch_counting);
}

static void end_well(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	expect("the child", (uint64_t)status, 0);
}

static void count_in_child(uint64_t events)
{
	struct tally all = total();

	expect_tally("the child's begin", &all, 0, 0);
	all = of_pair();
	expect_tally("the child's begin", &all, 0, 0);
	for (uint64_t i = 0; i < events; i++) {
		trace_ctf(3, i);
	}
	all = mine();
	expect_tally("the child's", &all, events, 0);
	waymark_recorder_flush();
	all = of_pair();
	expect_tally("the child's event", &all, events, 0);
}

/* Forks in the middle of an event, as a handler may. */
static void fork_inside(void)
{
	struct waymark_record r;
	uint64_t zero = 0;

	if (!waymark_record_begin(&r, WAYMARK_RECORDER_CTF, &event_pair, 32)) {
		_exit(5);
	}
	pid_t child = fork();
	waymark_record_value(&r, &zero, sizeof(zero));
	waymark_record_value(&r, &zero, sizeof(zero));
	waymark_record_end(&r);
	if (child == 0) {
		count_in_child(20);
		exit(0);
	}
	end_well(child);
}

static void forks(void)
{
	begin();
	waymark_counts_switch(true);
	for (uint64_t i = 0; i < 10; i++) {
		trace_ctf(1, i);
	}
	waymark_recorder_flush();
	pid_t child = fork();

	if (child == 0) {
		count_in_child(10000);
		exit(0);
	}
	end_well(child);
	fork_inside();
	struct tally own = mine();

	expect_tally("the parent's", &own, 11, 0);
}

static void a_child_counts_from_0(void **state)
{
	(void)state;
	run_it(forks);
}

/* The trace belongs to the parent, which reports the losses at its end. */
static void exit_from_vfork(void)
{
	begin_pairs("vforked", RECORDER_DISCARD, RECORDER_BUFFER_MIN);
	waymark_process()->writer = WRITER_REFUSED;
	while (total().lost == 0) {
		trace_ctf(1, 1);
	}
	pid_t child = vfork();

	if (child == 0) {
		exit(0);
	}
	end_well(child);
	_exit(0);
}

static void a_vforked_child_that_exits_says_nothing(void **state)
{
	char said[1000];

	(void)state;
	if (!vfork_shares_memory()) {
		skip();
	}
	assert_int_equal(run_and_listen(exit_from_vfork, said, sizeof(said)), 0);
	assert_string_equal(said, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_and_lost_make_all),
		cmocka_unit_test(what_threads_without_memory_lost_is_in_the_sum),
		cmocka_unit_test(what_was_overwritten_was_recorded),
		cmocka_unit_test(events_are_counted_while_that_is_on),
		cmocka_unit_test(a_child_counts_from_0),
		cmocka_unit_test(a_vforked_child_that_exits_says_nothing),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
