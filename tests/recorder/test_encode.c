/* SPDX-License-Identifier: MIT */
/* The output of the sink `simple`: bytes, names, times, and the file it writes. */
#include <inttypes.h>
#include <limits.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "rt/record/process.h"
#include "rt/record/cursor.h"
#include "rt/sink/sink.h"

static void record_mixed(void)
{
	set_simple_file("mixed");
	trace_mixed("hello", NULL);
	trace_none();
	trace_mixed("", "\xff\n");
}

static void every_type_has_its_bytes(void **state)
{
	static const uint32_t hello = 5;
	static const uint32_t two = 2;
	static const uint64_t head[] = { (uint64_t)-8, 0xffff };
	static const uint64_t tail[] = { (uint64_t)-16, 1, 0xff, (uint64_t)-32, UINT32_MAX,
		(uint64_t)-64, 0x1234 };
	struct trace t;
	pid_t pid;

	(void)state;
	assert_int_equal(run_with_pid(record_mixed, &pid), 0);
	read_trace(&t, "mixed", 0);
	assert_int_equal(t.events, 3);
	const struct decoded *d = t.records;

	assert_string_equal(d->name, "mixed");
	assert_int_equal(d->pid, pid);
	assert_int_equal(d->length, 16 + 4 + 5 + 56 + 4);
	assert_memory_equal(d->args, head, 16);
	assert_memory_equal(d->args + 16, &hello, 4);
	assert_memory_equal(d->args + 20, "hello", 5);
	assert_memory_equal(d->args + 25, tail, 56);
	assert_memory_equal(d->args + 81, "\0\0\0\0", 4);
	assert_string_equal(d[1].name, "none");
	assert_int_equal(d[1].length, 0);
	assert_memory_equal(d[2].args + 16, "\0\0\0\0", 4);
	assert_memory_equal(d[2].args + 20 + 56, &two, 4);
	assert_memory_equal(d[2].args + 24 + 56, "\xff\n", 2);
	trace_free(&t);
}

static void record_long_strings(void)
{
	static char s[20000];

	set_simple_file("long");
	memset(s, 'x', sizeof(s) - 1);
	for (unsigned int i = 0; i < 300; i++) {
		trace_text(i, s + i * 66);
	}
}

static void strings_are_whole_and_cut_ones_are_marked(void **state)
{
	struct trace t;

	(void)state;
	assert_int_equal(run(record_long_strings), 0);
	read_trace(&t, "long", 0);
	assert_int_equal(t.events, 300);
	for (unsigned int i = 0; i < 300; i++) {
		uint32_t length = 19999 - i * 66;
		uint32_t found;

		memcpy(&found, t.records[i].args + 8, 4);
		assert_int_equal(trace_arg(&t.records[i], 0), i);
		assert_int_equal(found, length <= 16384 ? length : 16383);
		if (length > 16384) {
			assert_memory_equal(t.records[i].args + 12 + 16380, "...", 3);
		}
	}
	trace_free(&t);
}

static uint64_t begun, ended;

static void record_slowly(void)
{
	set_simple_file("slow");
	for (unsigned int i = 0; i < 20; i++) {
		trace_pair(now_ns(), i);
		sleep_ms(17);
	}
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void times_are_those_of_the_monotonic_clock(void **state)
{
	struct trace t;
	uint64_t late[20];

	(void)state;
	begun = now_ns();
	assert_int_equal(run(record_slowly), 0);
	ended = now_ns();
	read_trace(&t, "slow", 0);
	assert_int_equal(t.events, 20);
	assert_int_equal(t.backwards, 0);
	for (size_t i = 0; i < t.count; i++) {
		uint64_t truth = trace_arg(&t.records[i], 0);
		uint64_t ns = t.records[i].ns;

		assert_in_range(ns, begun, ended);
		assert_true(ns + 20000 > truth);
		late[i] = ns > truth ? ns - truth : 0;
	}
	qsort(late, 20, sizeof(late[0]), ascending);
	assert_in_range(late[10], 0, 100000); /* slower events waited for a processor */
	trace_free(&t);
}

static void record_default(void)
{
	trace_pair(0, 0);
}

static void record_over_an_old_file(void)
{
	char name[64];

	snprintf(name, sizeof(name), "trace-%d", getpid());
	close(open(name, O_CREAT | O_WRONLY, 0600));
	trace_pair(0, 0);
}

static void the_default_file_never_overwrites(void **state)
{
	char name[64];
	struct trace t;
	pid_t pid;

	(void)state;
	assert_int_equal(run_with_pid(record_default, &pid), 0);
	read_trace(&t, "trace-", pid);
	assert_int_equal(t.events, 1);
	trace_free(&t);
	assert_int_equal(run_with_pid(record_over_an_old_file, &pid), 0);
	snprintf(name, sizeof(name), "trace-%d", pid);
	assert_int_equal(file_size(name), 0);
	strcat(name, ".1");
	read_trace(&t, name, 0);
	assert_int_equal(t.events, 1);
	trace_free(&t);
}

static void name_and_record_nothing(void)
{
	set_simple_file("empty");
}

static void a_named_file_is_there_at_once_and_emptied(void **state)
{
	struct trace t;
	int fd = open("empty", O_CREAT | O_WRONLY, 0600);

	(void)state;
	assert_int_equal(write(fd, "old stuff that is longer than a header", 38), 38);
	close(fd);
	assert_int_equal(run(name_and_record_nothing), 0);
	read_trace(&t, "empty", 0);
	assert_int_equal(t.count, 0);
	trace_free(&t);
}

static void record_nothing_at_all(void)
{
	waymark_recorder_flush();
}

static void a_program_that_records_nothing_leaves_nothing(void **state)
{
	char name[64];
	pid_t pid;

	(void)state;
	assert_int_equal(run_with_pid(record_nothing_at_all, &pid), 0);
	snprintf(name, sizeof(name), "trace-%d", pid);
	assert_int_equal(access(name, F_OK), -1);
}

static void switch_files(void)
{
	struct waymark_error error;
	bool was_on;

	set_simple_file("one");
	trace_pair(1, 0);
	set_simple_file("two");
	trace_pair(2, 0);
	waymark_sink_simple.set_on(false, &was_on, &error);
	if (!was_on) {
		_exit(1);
	}
	trace_pair(2, 100);
	waymark_sink_simple.set_on(true, &was_on, &error);
	if (was_on) {
		_exit(2);
	}
	trace_pair(2, 1);
}

static void files_change_between_two_events(void **state)
{
	struct trace t;

	(void)state;
	assert_int_equal(run(switch_files), 0);
	read_trace(&t, "one", 0);
	assert_int_equal(t.events, 1);
	assert_int_equal(check_order(&t, 1), 1);
	trace_free(&t);
	read_trace(&t, "two", 0);
	assert_int_equal(t.events, 2);
	assert_int_equal(check_order(&t, 2), 2);
	trace_free(&t);
}

static void rotate(void)
{
	struct waymark_error error;

	set_simple_file("rotated");
	trace_pair(1, 0);
	waymark_sink_simple.set_on(false, NULL, &error);
	rename("rotated", "rotated.old");
	waymark_sink_simple.set_on(true, NULL, &error);
	trace_pair(1, 0);
}

static void a_file_that_was_moved_away_is_begun_again(void **state)
{
	struct trace t;

	(void)state;
	assert_int_equal(run(rotate), 0);
	read_trace(&t, "rotated.old", 0);
	assert_int_equal(check_order(&t, 1), 1);
	trace_free(&t);
	read_trace(&t, "rotated", 0);
	assert_int_equal(check_order(&t, 1), 1);
	trace_free(&t);
}

static void say_status(void)
{
	struct waymark_error error;
	FILE *f = fopen("status", "w");
	struct waymark_output output = { 0 };

	set_simple_file("status-test");
	waymark_sink_simple.describe(&output);
	fprintf(f, "%s %d %d\n", output.path, output.on, output.begun);
	waymark_sink_simple.set_on(false, NULL, &error);
	waymark_sink_simple.describe(&output);
	fprintf(f, "%s %d %d\n", output.path, output.on, output.begun);
	fclose(f);
	unlink("status-test");
}

static void the_status_names_the_file(void **state)
{
	char here[PATH_MAX];
	char text[3 * PATH_MAX] = "";
	char wanted[3 * PATH_MAX];
	FILE *f;

	(void)state;
	assert_int_equal(run(say_status), 0);
	f = fopen("status", "r");
	assert_true(fread(text, 1, sizeof(text) - 1, f) > 0);
	fclose(f);
	assert_non_null(getcwd(here, sizeof(here)));
	snprintf(wanted, sizeof(wanted), "%s/status-test 1 1\n%s/status-test 0 1\n", here, here);
	assert_string_equal(text, wanted);
}

/* Returns the context switches of the thread `waymark`, which show whether it wakes up. */
static unsigned long writer_switches(void)
{
	char line[256];
	unsigned long n = 0;
	FILE *f = popen("for t in /proc/$PPID/task/*; do grep -q '^waymark$' $t/comm && "
			"grep -h '^voluntary' $t/status; done",
		"r");

	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "voluntary_ctxt_switches: %lu", &n);
	}
	pclose(f);
	return n;
}

#define EXIT_LATE 1

static void record_now_and_then(void)
{
	uint64_t slowest = 0;
	size_t size = 24;

	set_simple_file("quiet");
	for (unsigned int i = 0; i < 4; i++) {
		trace_pair(1, i);
		uint64_t ms = wait_for_size("quiet", size += 48);

		slowest = ms > slowest ? ms : slowest;
		sleep_ms(i == 2 ? 1400 : 30); /* deep asleep before the last one */
	}
	if (slowest > 1000) {
		fprintf(stderr, "an event took %" PRIu64 " ms to the file\n", slowest);
		_exit(EXIT_LATE);
	}
	sleep_ms(1500);
	unsigned long before = writer_switches();

	sleep_ms(1500);
	_exit(writer_switches() == before && before > 0 ? 0 : 2);
}

static void events_reach_the_file_soon_and_idling_costs_nothing(void **state)
{
	(void)state;
	int status = run(record_now_and_then);

	/* A busy machine may make it late once; needless wake-ups fail immediately. */
	for (int i = 0; i < 2 && status == EXIT_LATE << 8; i++) {
		unlink("quiet");
		status = run(record_now_and_then);
	}
	assert_int_equal(status, 0);
}

/* Ends the packet in the middle of the second event; the bytes behind are valid all the same. */
static void damage_the_packet(void)
{
	struct process *p = waymark_process();

	set_simple_file("damaged");
	while (!waymark_drain_trylock(p)) {
		sleep_ms(1);
	}
	record_pairs(0, 3);
	uint64_t *bits =
		waymark_slot_current()->cursors[WAYMARK_RECORDER_SIMPLE][0].hot.content_size;

	__atomic_store_n(bits, *bits - (24 + 20) * 8, __ATOMIC_RELEASE);
	waymark_drain_unlock(p);
}

static void events_behind_the_end_of_a_damaged_packet_are_a_gap(void **state)
{
	char said[1024];
	struct trace t;

	(void)state;
	assert_int_equal(run_and_listen(damage_the_packet, said, sizeof(said)), 0);
	read_trace(&t, "damaged", 0);
	assert_int_equal(t.events, 1);
	assert_int_equal(check_order(&t, 1), 1);
	assert_int_equal(t.missing, 1);
	trace_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_has_its_bytes),
		cmocka_unit_test(strings_are_whole_and_cut_ones_are_marked),
		cmocka_unit_test(events_behind_the_end_of_a_damaged_packet_are_a_gap),
		cmocka_unit_test(times_are_those_of_the_monotonic_clock),
		cmocka_unit_test(the_default_file_never_overwrites),
		cmocka_unit_test(a_named_file_is_there_at_once_and_emptied),
		cmocka_unit_test(a_program_that_records_nothing_leaves_nothing),
		cmocka_unit_test(files_change_between_two_events),
		cmocka_unit_test(a_file_that_was_moved_away_is_begun_again),
		cmocka_unit_test(the_status_names_the_file),
		cmocka_unit_test(events_reach_the_file_soon_and_idling_costs_nothing),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
