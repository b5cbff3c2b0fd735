/* SPDX-License-Identifier: MIT */
/*
 * Many threads with the native recorder: more than there are sub-buffers, and thousands of short
 * ones. The numbers of streams and sub-buffers follow the number of threads that live at one time;
 * an idle thread's open packet does not keep others from recording.
 */
#include <ftw.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctf_pairs.h"
#include "rt/record/process.h"

#define PACKETS 14u /* in a buffer of 1 MiB */
#define FILL_ONE 2700u /* events for a packet of 64 KiB */
#define CROWD 40u
#define EXIT_LOST 2
#define TRIES 5

static enum recorder_policy policy;
static uint64_t buffer;
static unsigned int at_once;
static unsigned int rounds;
static uint64_t per_thread;

static void end_without_losses(void)
{
	struct waymark_recorder_stats stats;

	waymark_recorder_get_stats(&stats);
	if (stats.lost) {
		fprintf(stderr, "%" PRIu64 " events found no room\n", stats.lost);
		_exit(EXIT_LOST);
	}
}

/*
 * A busy machine may stop the writer for longer than events can wait: then a flight recorder may
 * lose some, but not each time.
 */
static int run_undisturbed(void (*body)(void))
{
	int status = EXIT_LOST << 8;

	for (int i = 0; i < TRIES && status == EXIT_LOST << 8; i++) {
		assert_int_equal(system("rm -rf trace"), 0);
		status = run(body);
		if (policy != RECORDER_OVERWRITE) {
			break;
		}
	}
	return status;
}

static void run_and_read(struct pairs *p, void (*body)(void))
{
	int status = run_undisturbed(body);

	if (status) {
		fail_msg("the program ended with %#x", (unsigned int)status);
	}
	read_pairs(p, "trace");
}

static void *record(void *who)
{
	for (uint64_t i = 0; i < per_thread; i++) {
		trace_ctf((uintptr_t)who, i);
	}
	return NULL;
}

static void in_threads(void)
{
	pthread_t t[CROWD];
	uintptr_t who = 0;

	begin_pairs("trace", policy, buffer);
	for (unsigned int round = 0; round < rounds; round++) {
		for (unsigned int k = 0; k < at_once; k++) {
			pthread_create(&t[k], NULL, record, (void *)who++);
		}
		for (unsigned int k = 0; k < at_once; k++) {
			pthread_join(t[k], NULL);
		}
	}
}

static void record_in_short_threads(void)
{
	in_threads();
	end_without_losses();
}

/*
 * Joined threads may still run for a moment, so there may be two more streams than simultaneous
 * threads.
 */
static void check_short_threads(void)
{
	struct pairs p;

	run_and_read(&p, record_in_short_threads);
	assert_int_equal(p.count, rounds * at_once * per_thread);
	assert_int_equal(p.lost, 0);
	for (uint64_t who = 0; who < rounds * at_once; who += 97) {
		assert_int_equal(check_each_once(&p, who), per_thread);
	}
	if (p.streams > at_once + 2) {
		fail_msg("%" PRIu64 " streams of %u threads at once", p.streams, at_once);
	}
	pairs_free(&p);
}

static void short_threads_share_their_streams(void **state)
{
	(void)state;
	buffer = UINT64_C(16) << 20;
	policy = RECORDER_BLOCK;
	per_thread = 3;
	rounds = amount(10000, 50000);
	at_once = 1;
	check_short_threads();
	rounds = amount(1000, 5000);
	at_once = 8;
	check_short_threads();
}

static pthread_barrier_t barrier;

/* Holds a packet, and records nothing more. */
static void *record_and_stay(void *who)
{
	trace_ctf((uintptr_t)who, 0);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void record_among_idle_threads(void)
{
	pthread_t t[CROWD];

	begin_pairs("trace", policy, buffer);
	pthread_barrier_init(&barrier, NULL, CROWD + 1);
	for (uintptr_t k = 0; k < CROWD; k++) {
		pthread_create(&t[k], NULL, record_and_stay, (void *)k);
	}
	pthread_barrier_wait(&barrier);
	record((void *)(uintptr_t)CROWD);
	waymark_recorder_flush();
	pthread_barrier_wait(&barrier);
	for (unsigned int k = 0; k < CROWD; k++) {
		pthread_join(t[k], NULL);
	}
	end_without_losses();
}

static void the_flight_recorder_takes_the_packets_of_idle_threads(void **state)
{
	struct pairs p;

	(void)state;
	buffer = UINT64_C(1) << 20;
	policy = RECORDER_OVERWRITE;
	for (per_thread = 10; per_thread <= 4000000; per_thread *= 400000) {
		run_and_read(&p, record_among_idle_threads);
		uint64_t found = 0;

		for (size_t k = 0; k < p.count; k++) {
			found += p.items[k].who == CROWD;
		}
		/* Half of the memory, or all events. */
		if (found != per_thread && found * 24 < buffer / 2) {
			fail_msg("%" PRIu64 " of the last %" PRIu64 " events", found, per_thread);
		}
		assert_int_equal(p.count + p.lost, per_thread + CROWD);
		pairs_free(&p);
	}
}

static void a_crowd_overwrites_and_loses_nothing_else(void **state)
{
	struct pairs p;

	(void)state;
	buffer = UINT64_C(1) << 20;
	policy = RECORDER_OVERWRITE;
	per_thread = amount(20000, 500000);
	rounds = 1;
	at_once = CROWD;
	run_and_read(&p, record_in_short_threads);
	assert_int_equal(p.count + p.lost, per_thread * CROWD);
	for (uint64_t who = 0; who < CROWD; who++) {
		check_none_twice(&p, who);
	}
	pairs_free(&p);
}

/* Records an almost full packet, then more events than fit. */
static void *fill_one_and_go_on(void *who)
{
	uint64_t i = 0;

	for (; i < FILL_ONE; i++) {
		trace_ctf((uintptr_t)who, i);
	}
	pthread_barrier_wait(&barrier);
	for (; i < per_thread; i++) {
		trace_ctf((uintptr_t)who, i);
	}
	return NULL;
}

/*
 * Threads have filled all memory with their first packets and need a second one, before the writer
 * has seen any. Each holds memory that the others need, and must free it.
 */
static void fill_all_memory_unseen(void)
{
	pthread_t t[PACKETS];

	begin_pairs("trace", policy, buffer);
	pthread_barrier_init(&barrier, NULL, PACKETS + 1);
	while (!waymark_drain_trylock(waymark_process())) {
		usleep(100);
	}
	for (uintptr_t who = 0; who < PACKETS; who++) {
		pthread_create(&t[who], NULL, fill_one_and_go_on, (void *)who);
	}
	pthread_barrier_wait(&barrier);
	usleep(20000);
	waymark_drain_unlock(waymark_process());
	for (unsigned int k = 0; k < PACKETS; k++) {
		pthread_join(t[k], NULL);
	}
	end_without_losses();
}

static void threads_that_hold_all_packets_hand_them_over(void **state)
{
	struct pairs p;

	(void)state;
	buffer = UINT64_C(1) << 20;
	policy = RECORDER_OVERWRITE;
	per_thread = 10000;
	for (unsigned int i = 0; i < 8; i++) {
		run_and_read(&p, fill_all_memory_unseen);
		assert_int_equal(p.count + p.lost, per_thread * PACKETS);
		pairs_free(&p);
	}
}

static void a_crowd_is_discarded_where_it_is_counted(void **state)
{
	struct pairs p;

	(void)state;
	buffer = UINT64_C(1) << 20;
	policy = RECORDER_DISCARD;
	per_thread = amount(20000, 500000);
	rounds = 1;
	at_once = CROWD;
	run_and_read(&p, in_threads);
	assert_int_equal(p.count + p.lost, per_thread * CROWD);
	pairs_free(&p);
}

static uint64_t disk_bytes;

static int add_blocks(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)path;
	(void)type;
	(void)where;
	disk_bytes += (uint64_t)st->st_blocks * 512;
	return 0;
}

/* All bytes of the trace count: the index, the metadata, the directories. */
static void a_thread_with_one_event_takes_at_most_256_bytes_of_the_disk(void **state)
{
	struct pairs p;

	(void)state;
	policy = RECORDER_BLOCK;
	buffer = UINT64_C(16) << 20;
	at_once = 4;
	rounds = 500;
	per_thread = 1;
	disk_bytes = 0;
	run_and_read(&p, in_threads);
	assert_int_equal(p.count, rounds * at_once);
	assert_int_equal(nftw("trace", add_blocks, 8, FTW_PHYS), 0);
	print_message("%" PRIu64 " bytes a thread\n", disk_bytes / (rounds * at_once));
	assert_true(disk_bytes <= UINT64_C(256) * rounds * at_once);
	free(p.items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_threads_share_their_streams),
		cmocka_unit_test(a_thread_with_one_event_takes_at_most_256_bytes_of_the_disk),
		cmocka_unit_test(the_flight_recorder_takes_the_packets_of_idle_threads),
		cmocka_unit_test(a_crowd_overwrites_and_loses_nothing_else),
		cmocka_unit_test(threads_that_hold_all_packets_hand_them_over),
		cmocka_unit_test(a_crowd_is_discarded_where_it_is_counted),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
