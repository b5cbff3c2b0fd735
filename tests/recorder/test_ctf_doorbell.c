/* SPDX-License-Identifier: MIT */
/*
 * A thread that fills packets at a steady pace does not wake the writer thread at each of them: the
 * writer finds them when its tick is over. waymark_doorbell() is wrapped to count its calls.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctf_pairs.h"
#include "rt/record/process.h"

#define STEPS 30u
#define STEP_EVENTS 40000u /* of 24 bytes: at least a packet of 256 KiB, less than 1 MiB */
#define RINGS_MOST 4u /* at the first event, and if this machine stops the writer for long */

void __real_waymark_doorbell(void);
void __wrap_waymark_doorbell(void);

static uint32_t rings;

void __wrap_waymark_doorbell(void)
{
	__atomic_fetch_add(&rings, 1, __ATOMIC_RELAXED);
	__real_waymark_doorbell();
}

/* Waits until only the open packet is in use, and the writer has made memory ready; at most 1 s. */
static void await_writer(const struct buffer *b)
{
	uint32_t more = buffer_class_units(BUFFER_LARGE) + 1;

	for (int i = 0; waymark_buffer_runs_low(b, more) && i < 1000; i++) {
		usleep(1000);
	}
}

static void record_steadily(void)
{
	begin_pairs("trace", RECORDER_DISCARD, UINT64_C(64) << 20);
	for (uint64_t i = 0; i < (uint64_t)STEPS * STEP_EVENTS; i++) {
		trace_ctf(0, i);
		if (i % STEP_EVENTS == 0) {
			await_writer(recorder_buffer(
				&waymark_process_current()->recorders[WAYMARK_RECORDER_CTF]));
		}
	}
	uint32_t rung = __atomic_load_n(&rings, __ATOMIC_RELAXED);

	if (rung > RINGS_MOST) {
		fprintf(stderr, "%u rings in %u steps\n", rung, STEPS);
		_exit(2);
	}
	exit(waymark_recorder_flush() ? 3 : 0);
}

static void full_packets_wake_no_writer(void **state)
{
	struct pairs p;

	(void)state;
	assert_int_equal(run(record_steadily), 0);
	read_pairs(&p, "trace");
	assert_int_equal(check_each_once(&p, 0), STEPS * STEP_EVENTS);
	assert_true(p.packets > STEPS / 2);
	pairs_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_packets_wake_no_writer),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
