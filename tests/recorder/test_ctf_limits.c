/* SPDX-License-Identifier: MIT */
/*
 * Snapshots of the flight recorder, trace file rotation, a change of the directory while events
 * are recorded, the time that an event stays in memory, and files that take nothing.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ctf_pairs.h"
#include "format/packet.h"
#include "rt/record/process.h"
#include "rt/ctf/control.h"
#include "rt/sink/sink.h"

#define THREADS 2u

static uint64_t counts[THREADS];
static unsigned int burst = 100; /* events between two pauses of a thread */
static uint32_t stop;
static pthread_barrier_t stopped;

static void fail_unless(bool ok)
{
	if (!ok) {
		_exit(1);
	}
}

static void set_file(const char *name)
{
	fail_unless(waymark_sink_ctf.set_file(name, false, NULL) == 0);
}

/* Records one more event after the stop, so that threads that had to wait also have a new event. */
static void *record_until_stopped(void *who)
{
	uintptr_t n = (uintptr_t)who;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		for (unsigned int k = 0; k < burst; k++) {
			trace_ctf(n, __atomic_fetch_add(&counts[n], 1, __ATOMIC_RELAXED));
		}
		usleep(20);
	}
	pthread_barrier_wait(&stopped);
	trace_ctf(n, __atomic_fetch_add(&counts[n], 1, __ATOMIC_RELAXED));
	return NULL;
}

static pthread_t running[THREADS];

static void start_threads(void)
{
	pthread_barrier_init(&stopped, NULL, THREADS);
	for (uintptr_t i = 0; i < THREADS; i++) {
		pthread_create(&running[i], NULL, record_until_stopped, (void *)i);
	}
}

/* Waits until each thread has recorded that number of further events. */
static void wait_for_events(uint64_t more)
{
	for (unsigned int i = 0; i < THREADS; i++) {
		uint64_t wanted = __atomic_load_n(&counts[i], __ATOMIC_RELAXED) + more;

		while (__atomic_load_n(&counts[i], __ATOMIC_RELAXED) < wanted) {
			sleep_ms(1);
		}
	}
}

static void leave_counts(void)
{
	FILE *f = fopen("made", "wb");

	fwrite(counts, sizeof(counts), 1, f);
	fclose(f);
}

static void stop_threads(void)
{
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(running[i], NULL);
	}
	leave_counts();
}

static void fetch_counts(void)
{
	FILE *f = fopen("made", "rb");

	assert_non_null(f);
	assert_int_equal(fread(counts, sizeof(counts), 1, f), 1);
	fclose(f);
}

static void run_afresh(void (*body)(void), char *said, size_t size)
{
	memset(counts, 0, sizeof(counts));
	assert_int_equal(system("rm -rf trace other"), 0);
	assert_int_equal(run_and_listen(body, said, size), 0);
}

static void run_quietly(void (*body)(void))
{
	char said[1024];

	run_afresh(body, said, sizeof(said));
	assert_string_equal(said, "");
}

/* Changes the directory while threads record. */
static void move_on(void)
{
	set_file("trace");
	start_threads();
	wait_for_events(1000);
	set_file("other");
	wait_for_events(1000);
	stop_threads();
}

static void another_directory_gets_what_comes_next(void **state)
{
	struct pairs all, p;

	(void)state;
	run_quietly(move_on);
	fetch_counts();
	read_pairs(&all, "trace");
	read_pairs(&p, "other");
	assert_true(all.count > 0 && p.count > 0);
	assert_int_equal(all.count + p.count, counts[0] + counts[1]);
	for (uint64_t who = 0; who < THREADS; who++) {
		uint64_t before = check_each_once(&all, who);

		for (size_t k = 0; k < p.count; k++) {
			if (p.items[k].who == who) {
				assert_int_equal(p.items[k].i, before++);
			}
		}
		assert_int_equal(before, counts[who]);
	}
	pairs_free(&all);
	pairs_free(&p);
}

/* Losses that the first directory reports are not counted again in the second. */
static void lose_and_move_on(void)
{
	waymark_recorder_set_buffer(UINT64_C(1) << 20, NULL);
	set_file("trace");
	struct process *p = waymark_process();

	/*
	 * The lock prevents draining, because an emulator records more slowly than a disk writes.
	 * It must be taken before the first event: that starts the writer, which holds the lock
	 * while it runs.
	 */
	fail_unless(waymark_drain_trylock(p));
	trace_ctf(0, counts[0]++);
	while (!p->recorders[WAYMARK_RECORDER_CTF].lost) {
		trace_ctf(0, counts[0]++);
	}
	waymark_drain_unlock(p);
	waymark_recorder_flush();
	trace_ctf(0, counts[0]++);
	waymark_recorder_flush();
	set_file("other");
	for (unsigned int i = 0; i < 100; i++) {
		trace_ctf(0, counts[0]++);
	}
	leave_counts();
}

static void a_loss_is_reported_in_one_directory_only(void **state)
{
	struct pairs all, p;
	char said[1024];

	(void)state;
	run_afresh(lose_and_move_on, said, sizeof(said));
	fetch_counts();
	read_pairs(&all, "trace");
	read_pairs(&p, "other");
	assert_true(all.lost > 0);
	assert_int_equal(p.count, 100);
	assert_int_equal(all.count + all.lost + p.count + p.lost, counts[0]);
	pairs_free(&all);
	pairs_free(&p);
}

/* Waits until the writer, which holds this lock while it works, has done the request. */
static void wait_for_snapshot(void)
{
	struct process *p = waymark_process();
	bool has_finished = false;

	while (!has_finished) {
		sleep_ms(2);
		if (waymark_drain_trylock(p)) {
			has_finished = p->snapshots_seen ==
				       __atomic_load_n(&p->snapshots, __ATOMIC_RELAXED);
			waymark_drain_unlock(p);
		}
	}
}

static void take_snapshots(void)
{
	waymark_recorder_set_buffer(UINT64_C(8) << 20, NULL);
	waymark_recorder_set_policy(RECORDER_OVERWRITE, NULL);
	set_file("trace");
	for (unsigned int n = 1; n <= 3; n++) {
		for (unsigned int i = 0; i < 1000000; i++) {
			trace_ctf(0, counts[0]++);
		}
		waymark_recorder_snapshot();
		wait_for_snapshot();
		fail_unless(file_size("trace/stream-1") >= n * (UINT64_C(4) << 20));
	}
	waymark_buffer_unlink(recorder_buffer(&waymark_process()->recorders[WAYMARK_RECORDER_CTF]));
	_exit(0); /* without writing anything after the snapshots */
}

static void snapshots_append_the_newest_events(void **state)
{
	struct pairs p;
	uint64_t last = 0;

	(void)state;
	run_quietly(take_snapshots);
	read_pairs(&p, "trace");
	assert_int_equal(check_gaps(&p, 0), 3000000);
	for (size_t k = 0; k < p.count; k++) {
		if (p.items[k].lost) {
			assert_int_equal(last % 1000000, 0); /* up to each snapshot's last one */
		}
		last = p.items[k].i + 1;
	}
	pairs_free(&p);
}

static void fill_pieces(void)
{
	waymark_ctf_set_pieces(UINT64_C(2) << 20, 3, NULL);
	set_file("trace");
	waymark_recorder_set_policy(RECORDER_BLOCK, NULL);
	waymark_recorder_set_buffer(UINT64_C(8) << 20, NULL);
	burst = 10000;
	start_threads();
	wait_for_events(500000); /* per thread, more than all files hold */
	stop_threads();
}

static void old_pieces_go_and_the_rest_is_whole(void **state)
{
	struct pairs p;

	(void)state;
	run_quietly(fill_pieces);
	fetch_counts();
	assert_int_equal(system("test $(du -sm trace | cut -f 1) -le 10"), 0);
	read_pairs(&p, "trace");
	for (uint64_t who = 0; who < THREADS; who++) {
		uint64_t next = counts[who];

		for (size_t k = p.count; k-- > 0;) {
			if (p.items[k].who == who) {
				assert_int_equal(p.items[k].i, --next);
			}
		}
		assert_in_range(next, 1, counts[who] - 1);
	}
	pairs_free(&p);
}

/* Returns the number of the writer's voluntary context switches. */
static unsigned long wakeups(void)
{
	struct process *p = waymark_process();
	char path[64], line[128];
	unsigned long n = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%u/status",
		__atomic_load_n(&p->writer_tid, __ATOMIC_RELAXED));
	FILE *f = fopen(path, "r");

	fail_unless(f != NULL);
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "voluntary_ctxt_switches: %lu", &n);
	}
	fclose(f);
	return n;
}

/* Time in which the writer finds dead threads and frees memory. */
#define SETTLE_MS 8000

/* Bytes of a packet with one event in the file. */
#define ONE_PAIR (sizeof(struct packet_header) + 3 * sizeof(uint64_t))

/* Records one event, which is written after flush=; then there is no more activity. */
static void be_quiet(void)
{
	waymark_recorder_set_delay(UINT64_C(1000000000));
	set_file("trace");
	uint64_t since = now_ns();

	trace_ctf(0, 0);
	wait_for_size("trace/stream-1", 1);
	fail_unless(now_ns() - since > UINT64_C(600000000));
	fail_unless(file_size("trace/stream-1") == ONE_PAIR);
	sleep_ms(SETTLE_MS);
	unsigned long before = wakeups();

	fail_unless(before > 0);
	sleep_ms(3000);
	fail_unless(wakeups() == before);
	trace_ctf(0, 1);
	wait_for_size("trace/stream-1", 2 * ONE_PAIR);
	fail_unless(file_size("trace/stream-1") == 2 * ONE_PAIR);
}

static void a_quiet_threads_event_is_written_in_time_and_then_all_sleep(void **state)
{
	(void)state;
	run_quietly(be_quiet);
}

static void *end_inside_an_event(void *unused)
{
	struct waymark_record r;

	trace_ctf(0, 1);
	fail_unless(waymark_record_begin(&r, WAYMARK_RECORDER_CTF, &event_pair, 2 * (8 + 8)));
	syscall(SYS_exit, 0); /* runs no destructor of thread-specific data */
	return unused;
}

/* The writer finds the dead thread at one of its checks, frees its slot, and then sleeps. */
static void be_quiet_beside_a_dead_thread(void)
{
	pthread_t t;

	set_file("trace");
	trace_ctf(0, 0);
	pthread_create(&t, NULL, end_inside_an_event, NULL);
	pthread_join(t, NULL);
	sleep_ms(SETTLE_MS);
	unsigned long before = wakeups();

	sleep_ms(3000);
	fail_unless(wakeups() == before);
	uint32_t index = 0;
	int slots = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		slots += waymark_slot_is_owned(s);
	}
	fail_unless(slots == 1);
}

static void a_thread_that_died_inside_an_event_keeps_no_slot_and_lets_the_writer_sleep(void **state)
{
	(void)state;
	if (UNDER_SANITIZER) {
		skip_because("a sanitizer does not see the thread's end");
	}
	run_quietly(be_quiet_beside_a_dead_thread);
}

/* Not zero: the process ends slowly. Set before exit(). */
static unsigned int linger_ms;

/* Runs after the library's destructor. The file must not change then. */
__attribute__((destructor(101))) static void linger(void)
{
	struct stat before, after;

	if (linger_ms) {
		fail_unless(stat("trace/stream-1", &before) == 0);
		sleep_ms(linger_ms);
		fail_unless(stat("trace/stream-1", &after) == 0);
		fail_unless(memcmp(&before.st_mtim, &after.st_mtim, sizeof(after.st_mtim)) == 0);
	}
}

/* The limit also makes the buffer anonymous memory, which ends with the process. */
static void end_slowly_with_a_full_file(void)
{
	struct rlimit limit = { 1 << 20, 1 << 20 };

	setrlimit(RLIMIT_FSIZE, &limit);
	set_file("trace");
	for (uint64_t i = 0; i < 100000; i++) {
		trace_ctf(0, i);
	}
	linger_ms = 1000;
	exit(0);
}

/* A write that does not fit leaves a torn packet until it is cut off. */
static void what_was_reported_as_lost_is_not_tried_again(void **state)
{
	char said[1024];

	(void)state;
	run_afresh(end_slowly_with_a_full_file, said, sizeof(said));
	assert_non_null(strstr(said, "not written"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_directory_gets_what_comes_next),
		cmocka_unit_test(a_loss_is_reported_in_one_directory_only),
		cmocka_unit_test(snapshots_append_the_newest_events),
		cmocka_unit_test(old_pieces_go_and_the_rest_is_whole),
		cmocka_unit_test(a_quiet_threads_event_is_written_in_time_and_then_all_sleep),
		cmocka_unit_test(
			a_thread_that_died_inside_an_event_keeps_no_slot_and_lets_the_writer_sleep),
		cmocka_unit_test(what_was_reported_as_lost_is_not_tried_again),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
