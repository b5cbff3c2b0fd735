/* SPDX-License-Identifier: MIT */
/*
 * When the native trace is written: full=overwrite waits for the API or a signal;
 * a flush reports what it could not write; a process never removes its own trace.
 */
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <waymark/control.h>

#include "child.h"
#include "events.h"
#include "folder.h"
#include "unit.h"

EVENT(probe, WAYMARK_CTF, 1)
EVENT_LIST(&waymark_event_probe)

#define PATIENCE_MS 60000

/* Returns the total bytes of all streams of a trace. */
static long written_into(const char *trace)
{
	char pattern[320];
	glob_t found;
	long sum = 0;

	snprintf(pattern, sizeof(pattern), "%s/%s/stream-*", folder, trace);
	if (glob(pattern, 0, NULL, &found) != 0) {
		return 0;
	}
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct stat st;

		sum += stat(found.gl_pathv[i], &st) == 0 ? (long)st.st_size : 0;
	}
	globfree(&found);
	return sum;
}

static long written(void)
{
	return written_into("t");
}

static bool grows_beyond(long before)
{
	for (int ms = 0; ms < PATIENCE_MS; ms++) {
		if (written() > before) {
			return true;
		}
		usleep(1000);
	}
	return false;
}

static int configure(const char *more)
{
	char option[320];
	struct waymark_error error;

	snprintf(option, sizeof(option), "probe,file=%s/t,replace=on%s", folder, more);
	if (waymark_configure(option, &error) < 0) {
		fprintf(stderr, "%s\n", error.text);
		return -1;
	}
	return 0;
}

/* Longer than any wait of the writer except for a request. */
static void record_and_wait(int value)
{
	trace_probe(value);
	usleep(400000);
}

static int by_api(void)
{
	CHECK(configure(",full=overwrite,flush=1") == 0, 1);
	record_and_wait(1);
	CHECK(written() == 0, 2);
	CHECK(waymark_snapshot(NULL) == 0, 3);
	long first = written();

	CHECK(first > 0, 4);
	record_and_wait(2);
	CHECK(written() == first, 5);
	CHECK(waymark_snapshot(NULL) == 0, 6);
	CHECK(written() > first, 7);
	return 0;
}

static int by_signal(void)
{
	CHECK(configure(",full=overwrite,snapshot=USR2") == 0, 1);
	record_and_wait(1);
	CHECK(written() == 0, 2);
	raise(SIGUSR2);
	CHECK(grows_beyond(0), 3);
	long first = written();

	record_and_wait(2);
	CHECK(written() == first, 4);
	raise(SIGUSR2);
	CHECK(grows_beyond(first), 5);
	return 0;
}

static int by_flush(void)
{
	CHECK(configure("") == 0, 1);
	trace_probe(1);
	CHECK(waymark_snapshot(NULL) == 0, 2);
	CHECK(written() > 0, 3);
	return 0;
}

/* The open trace, under its given name or another one. */
static int replace_own(void)
{
	char option[320];
	struct waymark_error error;

	CHECK(configure("") == 0, 1);
	trace_probe(1);
	snprintf(option, sizeof(option), "file=%s/./t", folder);
	CHECK(waymark_configure(option, &error) < 0, 2);
	CHECK(strstr(error.text, "not replaced: this process is writing to it"), 3);
	CHECK(waymark_set_output("ctf", option + 5, NULL) < 0, 4);
	trace_probe(2);
	CHECK(waymark_flush(NULL) == 0, 5);
	CHECK(written() > 0, 6);
	return 0;
}

static int flush_what_cannot_be_written(void)
{
	struct rlimit small = { 4096, 4096 };
	struct waymark_error error;

	signal(SIGXFSZ, SIG_IGN);
	CHECK(configure("") == 0, 1);
	setrlimit(RLIMIT_FSIZE, &small);
	for (int i = 0; i < 20000; i++) {
		trace_probe(i);
	}
	CHECK(waymark_flush(&error) < 0, 2);
	CHECK(strstr(error.text, "some events could not be written: "), 3);
	CHECK(waymark_snapshot(NULL) < 0, 4);
	return 0;
}

/* The former trace is removed: later events stay in memory. */
static int behind_a_snapshot(void)
{
	CHECK(mkdir("away", 0700) == 0, 1);
	CHECK(waymark_configure("probe,full=overwrite,file=away/usual", NULL) == 0, 2);
	trace_probe(1);
	CHECK(system("rm -r away") == 0, 3);
	CHECK(waymark_snapshot_to("alone", NULL) == 0, 4);
	long before = written_into("alone");

	CHECK(before > 0, 5);
	for (int i = 0; i < 100000; i++) {
		trace_probe(i);
	}
	waymark_flush(NULL);
	CHECK(written_into("alone") == before, 6);
	return 0;
}

/* Makes a trace that no process records into. */
static int record_there(void)
{
	CHECK(waymark_configure("probe,file=there", NULL) == 0, 1);
	trace_probe(1);
	return 0;
}

/* Without a free descriptor the old trace cannot be checked: an error. */
static int replace_with_few_descriptors(void)
{
	struct rlimit few = { 0, 1024 };
	struct waymark_error error;
	int failed = 0;

	CHECK(configure("") == 0, 1);
	for (few.rlim_cur = 3; few.rlim_cur < 32; few.rlim_cur++) {
		setrlimit(RLIMIT_NOFILE, &few);
		if (waymark_set_output("ctf", "there", &error) == 0) {
			return failed > 1 ? 0 : 2;
		}
		CHECK(strstr(error.text, "Too many open files"), 3);
		failed++;
	}
	return 4;
}

/* A trace without a readable uuid may belong to another process: it is not replaced. */
static int replace_damaged(void)
{
	struct waymark_error error;

	CHECK(configure("") == 0, 1);
	CHECK(system("echo '/* CTF 1.8 */' >there/metadata") == 0, 2);
	CHECK(waymark_set_output("ctf", "there", &error) < 0, 3);
	CHECK(strstr(error.text, "not replaced: its metadata cannot be read"), 4);
	return 0;
}

static int before_any_event(void)
{
	struct waymark_error error = { "not emptied" };

	CHECK(waymark_snapshot(&error) == 0, 1);
	CHECK(error.text[0] == '\0', 2);
	return 0;
}

static void a_call_writes_what_is_in_memory(void **state)
{
	(void)state;
	assert_int_equal(run(by_api), 0);
}

static void a_signal_writes_what_is_in_memory(void **state)
{
	(void)state;
	assert_int_equal(run(by_signal), 0);
}

static void with_other_policies_it_is_a_flush(void **state)
{
	(void)state;
	assert_int_equal(run(by_flush), 0);
	assert_int_equal(run(before_any_event), 0);
}

static void a_trace_that_is_written_is_not_replaced(void **state)
{
	(void)state;
	assert_int_equal(run(replace_own), 0);
}

static void what_cannot_be_looked_at_is_not_replaced(void **state)
{
	(void)state;
	assert_int_equal(run(record_there), 0);
	assert_int_equal(run(replace_with_few_descriptors), 0);
	assert_int_equal(run(record_there), 0);
	assert_int_equal(run(replace_damaged), 0);
}

static void a_snapshot_takes_nothing_that_comes_later(void **state)
{
	(void)state;
	assert_int_equal(run(behind_a_snapshot), 0);
}

static void a_flush_tells_what_could_not_be_written(void **state)
{
	(void)state;
	assert_int_equal(run(flush_what_cannot_be_written), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_writes_what_is_in_memory),
		cmocka_unit_test(a_signal_writes_what_is_in_memory),
		cmocka_unit_test(with_other_policies_it_is_a_flush),
		cmocka_unit_test(a_trace_that_is_written_is_not_replaced),
		cmocka_unit_test(what_cannot_be_looked_at_is_not_replaced),
		cmocka_unit_test(a_snapshot_takes_nothing_that_comes_later),
		cmocka_unit_test(a_flush_tells_what_could_not_be_written),
	};

	return cmocka_run_group_tests_name("snapshot", tests, enter_folder, leave_folder);
}
