/* SPDX-License-Identifier: MIT */
/*
 * Files that accept no data. Checks that QEMU's faults 4 (a full disk cuts a record without an
 * error) and 5 (a file that cannot be opened is ignored without an error) are absent.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "rt/host/error.h"
#include "rt/sink/sink.h"

/* Checks that gaps count exactly the events that are missing between their neighbours. */
static void check_gaps(const struct trace *t, uint64_t total)
{
	uint64_t next = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct decoded *d = &t->records[i];

		if (d->name) {
			assert_int_equal(trace_arg(d, 1), next);
			next++;
		} else {
			next += d->missing;
		}
	}
	assert_int_equal(next, total);
}

#define BEFORE 20000u
#define AFTER 1000u

static void fill_and_free_the_disk(void)
{
	set_simple_file("small/trace");
	record_pairs(0, BEFORE);
	if (waymark_recorder_flush() == 0 || errno != ENOSPC) {
		exit(1);
	}
	unlink("small/ballast");
	record_pairs(BEFORE, BEFORE + AFTER);
	if (waymark_recorder_flush()) {
		exit(2);
	}
}

static void fault_4_a_full_disk_is_reported_and_survived(void **state)
{
	static char block[4096];
	char said[4096];
	struct trace t;

	(void)state;
	mkdir("small", 0700);
	if (mount("none", "small", "tmpfs", 0, "size=1m")) {
		skip_because(SKIP_MOUNT);
	}
	int fd = open("small/ballast", O_CREAT | O_WRONLY, 0600);

	for (unsigned int i = 0; i < 200; i++) {
		assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	}
	close(fd);
	int status = run_and_listen(fill_and_free_the_disk, said, sizeof(said));

	if (status == 0) {
		read_trace(&t, "small/trace", 0);
		check_gaps(&t, BEFORE + AFTER);
	}
	umount2("small", MNT_DETACH);
	assert_int_equal(status, 0);
	assert_true(t.missing > 0);
	assert_true(t.events > AFTER);
	assert_non_null(strstr(said, "No space left on device"));
	assert_non_null(strstr(said, "not written"));
	assert_ptr_equal(strstr(strstr(said, "No space") + 1, "No space"), NULL);
	trace_free(&t);
}

static void fill_the_disk(void)
{
	set_simple_file("small/trace");
	for (uint64_t i = 0; i < BEFORE; i += 1000) {
		record_pairs(i, i + 1000);
		waymark_recorder_flush(); /* each flush updates the count at the end */
	}
}

static void a_disk_that_stays_full_ends_the_trace_with_the_gap(void **state)
{
	char said[4096];
	struct trace t;

	(void)state;
	mkdir("small", 0700);
	if (mount("none", "small", "tmpfs", 0, "size=256k")) {
		skip_because(SKIP_MOUNT);
	}
	int status = run_and_listen(fill_the_disk, said, sizeof(said));

	if (status == 0) {
		read_trace(&t, "small/trace", 0);
		check_gaps(&t, BEFORE);
	}
	umount2("small", MNT_DETACH);
	assert_int_equal(status, 0);
	assert_true(t.missing > 0);
	assert_true(t.events > 5000);
	trace_free(&t);
}

static void record_slowly_on_a_full_disk(void)
{
	set_simple_file("small/slow");
	for (uint64_t i = 0; i < 800; i++) {
		record_pairs(i, i + 1);
		waymark_recorder_flush(); /* the disk may be full at any byte of a batch */
	}
}

static void a_disk_full_at_any_byte_has_the_gap_at_its_end(void **state)
{
	static char block[4096];
	char said[4096];
	struct trace t;

	(void)state;
	mkdir("small", 0700);
	for (int used = 0; used < 5; used++) {
		if (mount("none", "small", "tmpfs", 0, "size=32k")) {
			skip_because(SKIP_MOUNT);
		}
		int fd = open("small/ballast", O_CREAT | O_WRONLY, 0600);

		for (int i = 0; i < used; i++) {
			assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
		}
		close(fd);
		int status = run_and_listen(record_slowly_on_a_full_disk, said, sizeof(said));

		read_trace(&t, "small/slow", 0);
		umount2("small", MNT_DETACH);
		assert_int_equal(status, 0);
		check_gaps(&t, 800);
		assert_true(t.missing > 0);
		trace_free(&t);
	}
}

static void record_to_a_full_device(void)
{
	struct waymark_recorder_stats stats;

	set_simple_file("/dev/full");
	record_pairs(0, 1000);
	if (waymark_recorder_flush() == 0 || errno != ENOSPC) {
		exit(1);
	}
	waymark_recorder_get_stats(&stats);
	if (stats.error != ENOSPC || stats.failed != WAYMARK_RECORDER_SIMPLE) {
		exit(3);
	}
	exit(stats.recorded == 1000 && stats.unwritten == 1000 && stats.lost == 0 ? 0 : 2);
}

static void fault_4_nothing_written_is_nothing_hidden(void **state)
{
	char said[4096];

	(void)state;
	assert_int_equal(run_and_listen(record_to_a_full_device, said, sizeof(said)), 0);
	assert_non_null(strstr(said, "waymark: /dev/full: cannot write the trace: No space left"));
	assert_non_null(strstr(said, "1000 events lost"));
}

static void name_a_file_that_cannot_be(void)
{
	struct waymark_error error;

	if (waymark_sink_simple.set_file("/no/such/directory/trace", false, &error) != -1) {
		exit(1);
	}
	fprintf(stderr, "%s\n", error.text);
	record_pairs(0, 10); /* go to the former file, the default one */
}

static void record_where_nothing_can_be_created(void)
{
	if (mkdir("gone", 0700) || chdir("gone") || rmdir("../gone")) {
		exit(1);
	}
	record_pairs(0, 10);
}

static void fault_5_an_unopenable_file_is_an_error(void **state)
{
	char said[4096];

	(void)state;
	assert_int_equal(run_and_listen(name_a_file_that_cannot_be, said, sizeof(said)), 0);
	assert_string_equal(said, "/no/such/directory/trace: cannot open the trace file: "
				  "No such file or directory\n");
	assert_int_equal(
		run_and_listen(record_where_nothing_can_be_created, said, sizeof(said)), 0);
	assert_non_null(strstr(said, "cannot open the trace: No such file"));
	assert_non_null(strstr(said, "10 events lost"));
}

static void say_it_while_the_program_runs(void)
{
	struct waymark_recorder_stats stats;

	set_simple_file("/dev/full");
	record_pairs(0, 10);
	do {
		sleep_ms(10);
		waymark_recorder_get_stats(&stats);
	} while (!stats.unwritten);
	record_pairs(10, 11); /* prints the writer's error */
	_exit(0);
}

static void errors_are_said_while_the_program_runs(void **state)
{
	char said[4096];

	(void)state;
	assert_int_equal(run_and_listen(say_it_while_the_program_runs, said, sizeof(said)), 0);
	assert_non_null(strstr(said, "No space left"));
}

static void record_beyond_the_size_limit(void)
{
	struct rlimit limit = { 100000, 100000 };

	set_simple_file("limited");
	setrlimit(RLIMIT_FSIZE, &limit);
	record_pairs(0, 10000);
	if (waymark_recorder_flush() == 0 || errno != EFBIG) {
		exit(1);
	}
}

static void record_beyond_the_size_limit_without_a_writer(void)
{
	sigset_t one;

	/* In a handler with a blocked signal no writer starts, so the caller writes itself. */
	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	sigprocmask(SIG_BLOCK, &one, NULL);
	struct rlimit limit = { 20000, 20000 };

	set_simple_file("limited");
	setrlimit(RLIMIT_FSIZE, &limit);
	record_pairs(0, 1000);
	if (waymark_recorder_flush() == 0 || errno != EFBIG) {
		exit(1);
	}
}

static void a_size_limit_sends_no_signal(void **state)
{
	char said[4096];
	struct trace t;

	(void)state;
	assert_int_equal(run_and_listen(record_beyond_the_size_limit, said, sizeof(said)), 0);
	assert_non_null(strstr(said, "File too large"));
	read_trace(&t, "limited", 0);
	assert_in_range(t.size, 100000 - 48, 100000);
	assert_int_equal(check_order(&t, 1), t.events);
	trace_free(&t);
	assert_int_equal(
		run_and_listen(record_beyond_the_size_limit_without_a_writer, said, sizeof(said)),
		0);
	read_trace(&t, "limited", 0);
	assert_in_range(t.size, 20000 - 48, 20000);
	trace_free(&t);
}

/* The replacement for C libraries without an async-signal-safe function has glibc's texts. */
static void reasons_are_glibcs(void **state)
{
#define REASON(error, text) { error, text },
	static const struct {
		int error;
		const char *text;
	} reasons[] = {
#include "rt/host/reasons.def"
	};
#undef REASON
	char spare[REASON_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		assert_string_equal(waymark_reason(reasons[i].error, spare), reasons[i].text);
	}
	assert_string_equal(waymark_reason(54321, spare), "error 54321");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fault_4_a_full_disk_is_reported_and_survived),
		cmocka_unit_test(a_disk_that_stays_full_ends_the_trace_with_the_gap),
		cmocka_unit_test(a_disk_full_at_any_byte_has_the_gap_at_its_end),
		cmocka_unit_test(fault_4_nothing_written_is_nothing_hidden),
		cmocka_unit_test(fault_5_an_unopenable_file_is_an_error),
		cmocka_unit_test(errors_are_said_while_the_program_runs),
		cmocka_unit_test(a_size_limit_sends_no_signal),
		cmocka_unit_test(reasons_are_glibcs),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
