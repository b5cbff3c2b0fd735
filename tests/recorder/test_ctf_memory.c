/* SPDX-License-Identifier: MIT */
/*
 * The recorder makes resident only the memory that it uses: for many threads with few events, and
 * in programs that lock their memory. It loses no event to a limit of locked memory.
 */
#include <inttypes.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctf_pairs.h"
#include "rt/record/process.h"
#include "rt/sink/sink.h"

#define EVENTS 1000
#define MIB UINT64_C(1048576)

/* Well above the memory of a few threads, well below the buffer's 256 MiB. */
#define FEW (UINT64_C(24) * MIB)

/* Returns the bytes of a row of /proc/self/status, which counts KiB. */
static uint64_t status_of(const char *row)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	uint64_t bytes = 0;

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, row, strlen(row)) == 0) {
			bytes = strtoull(line + strlen(row), NULL, 10) * 1024;
		}
	}
	fclose(f);
	return bytes;
}

static void record(uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		trace_ctf(1, i);
		trace_pair(1, i);
	}
}

static void name_files(void)
{
	if (waymark_sink_ctf.set_file("locked.ctf", false, NULL) ||
		waymark_sink_simple.set_file("locked.simple", false, NULL)) {
		_exit(1);
	}
}

static void end(uint64_t resident_before)
{
	uint64_t resident = status_of("VmRSS:");

	if (resident > resident_before + FEW) {
		fprintf(stderr, "%" PRIu64 " KiB became resident\n",
			(resident - resident_before) / 1024);
		_exit(2);
	}
	exit(waymark_recorder_flush() ? 3 : 0);
}

/* Runs a child and reads its traces; skips the test if memory cannot be locked. */
static void check(void (*body)(void))
{
	struct pairs p;
	struct trace t;

	if (UNDER_SANITIZER) {
		skip_because(SKIP_SANITIZER);
	}
	if (UNDER_EMULATOR) {
		skip_because("what the emulator itself has resident is counted as the program's");
	}
	assert_int_equal(system("rm -rf locked.*"), 0);
	int status = run(body);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		skip_because("memory cannot be locked here");
	}
	assert_int_equal(status, 0);
	read_pairs(&p, "locked.ctf");
	assert_int_equal(check_each_once(&p, 1), EVENTS);
	pairs_free(&p);
	read_trace(&t, "locked.simple", 0);
	assert_int_equal(check_order(&t, 1), EVENTS);
	trace_free(&t);
}

static void lock_memory(int what)
{
	if (mlockall(what)) {
		_exit(77);
	}
}

static void lock_then_record(void)
{
	name_files();
	lock_memory(MCL_CURRENT | MCL_FUTURE);
	uint64_t before = status_of("VmRSS:");

	record(0, EVENTS);
	end(before);
}

static void locked_memory_is_what_is_used(void **state)
{
	(void)state;
	check(lock_then_record);
}

static void record_then_lock(void)
{
	name_files();
	record(0, EVENTS / 2);
	uint64_t before = status_of("VmRSS:");

	lock_memory(MCL_CURRENT | MCL_FUTURE);
	record(EVENTS / 2, EVENTS);
	end(before);
}

static void memory_that_is_locked_later_is_what_is_used(void **state)
{
	(void)state;
	check(record_then_lock);
}

/* Runs as an ordinary user, because the limit of locked memory applies only then. */
static void record_within_a_limit(void)
{
	struct rlimit limit = { 6 * MIB, 6 * MIB };

	if (setrlimit(RLIMIT_MEMLOCK, &limit) ||
		(getuid() == 0 && setresuid(65534, 65534, 65534))) {
		_exit(77);
	}
	name_files();
	lock_memory(MCL_FUTURE);
	uint64_t before = status_of("VmRSS:");

	record(0, EVENTS);
	const struct buffer *a =
		recorder_buffer(&waymark_process()->recorders[WAYMARK_RECORDER_CTF]);

	if (!a || !a->is_file || a->file.bytes < 16 * MIB) {
		fprintf(stderr, "the buffer has %lu bytes\n", a ? (unsigned long)a->file.bytes : 0);
		_exit(4);
	}
	end(before);
}

static void a_limit_of_locked_memory_makes_no_buffer_smaller(void **state)
{
	(void)state;
	assert_int_equal(chmod(".", 0777), 0);
	check(record_within_a_limit);
}

#define QUIET_THREADS 500u
#define QUIET_EVENTS 100u
#define QUIET_MOST (2 * waymark_buffer_first_bytes()) /* bytes a thread */

static pthread_barrier_t turn;

static void *record_little(void *who)
{
	pthread_barrier_wait(&turn); /* the thread has begun: its stack is resident */
	pthread_barrier_wait(&turn);
	for (uint64_t i = 0; i < QUIET_EVENTS; i++) {
		trace_ctf((uintptr_t)who, i);
	}
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	return NULL;
}

static void record_in_quiet_threads(void)
{
	pthread_t t[QUIET_THREADS];
	pthread_attr_t small;

	if (waymark_sink_ctf.set_file("quiet.ctf", false, NULL)) {
		_exit(1);
	}
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	pthread_barrier_init(&turn, NULL, QUIET_THREADS + 1);
	for (uintptr_t i = 0; i < QUIET_THREADS; i++) {
		if (pthread_create(&t[i], &small, record_little, (void *)i)) {
			_exit(1);
		}
	}
	pthread_barrier_wait(&turn);
	uint64_t before = status_of("VmRSS:");

	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	uint64_t grown = status_of("VmRSS:") - before;

	pthread_barrier_wait(&turn);
	for (unsigned int i = 0; i < QUIET_THREADS; i++) {
		pthread_join(t[i], NULL);
	}
	if (grown > QUIET_THREADS * (uint64_t)QUIET_MOST) {
		fprintf(stderr, "%u threads take %" PRIu64 " KiB\n", QUIET_THREADS, grown / 1024);
		_exit(2);
	}
	exit(waymark_recorder_flush() ? 3 : 0);
}

static void many_threads_with_few_events_take_a_few_pages_each(void **state)
{
	struct pairs p;

	(void)state;
	if (UNDER_SANITIZER) {
		skip_because(SKIP_SANITIZER);
	}
	if (UNDER_EMULATOR) {
		skip_because("what the emulator itself has resident is counted as the program's");
	}
	assert_int_equal(run(record_in_quiet_threads), 0);
	read_pairs(&p, "quiet.ctf");
	for (uint64_t who = 0; who < QUIET_THREADS; who++) {
		assert_int_equal(check_each_once(&p, who), QUIET_EVENTS);
	}
	pairs_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locked_memory_is_what_is_used),
		cmocka_unit_test(memory_that_is_locked_later_is_what_is_used),
		cmocka_unit_test(a_limit_of_locked_memory_makes_no_buffer_smaller),
		cmocka_unit_test(many_threads_with_few_events_take_a_few_pages_each),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
