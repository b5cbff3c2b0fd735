/* SPDX-License-Identifier: MIT */
/*
 * The consumer's steps between two steps of a recording thread: the test itself makes the
 * consumer's calls, and lets the thread continue between them.
 */
#include <inttypes.h>
#include <endian.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/packet.h"
#include "rt/ctf/packets.h"
#include "rt/record/close.h"
#include "tallies.h"

#define MEMORY (UINT64_C(1) << 20) /* bytes */

static sem_t go_on, has_gone_on;
static uint64_t recorded;
static struct cursor *theirs;

static void record_some(void)
{
	for (int i = 0; i < 10; i++) {
		trace_ctf(0, recorded++);
	}
}

static void begin_next_packet(void)
{
	for (uint32_t was = theirs->subbuf; theirs->subbuf == was;) {
		record_some();
	}
}

static void *record_in_steps(void *unused)
{
	record_some();
	theirs = (struct cursor *)(void *)waymark_cursors[WAYMARK_RECORDER_CTF];
	sem_post(&has_gone_on);
	sem_wait(&go_on);
	begin_next_packet();
	sem_post(&has_gone_on);
	sem_wait(&go_on);
	record_some();
	return unused;
}

static void step(void)
{
	sem_post(&go_on);
	sem_wait(&has_gone_on);
}

static void expect_all_is_accounted_for(void)
{
	struct pairs p;

	read_pairs(&p, "trace");
	assert_int_equal(p.count + p.lost, recorded);
	pairs_free(&p);
}

/* Like full=overwrite, which first looks and then requests the packets that it has found. */
static void take_what_was_open(void)
{
	pthread_t t;

	begin_pairs("trace", RECORDER_OVERWRITE, MEMORY);
	sem_init(&go_on, 0, 0);
	sem_init(&has_gone_on, 0, 0);
	pthread_create(&t, NULL, record_in_steps, NULL);
	sem_wait(&has_gone_on);

	struct process *p = waymark_process_current();
	struct buffer *a = recorder_buffer(&p->recorders[WAYMARK_RECORDER_CTF]);

	while (!waymark_drain_trylock(p)) {
		usleep(100);
	}
	expect("it is open", waymark_ctf_cursor_idle_since(a, theirs) != UINT64_MAX, 1);
	step(); /* the thread continues after this look */
	waymark_close_begin(theirs, waymark_clock_ns());
	usleep(2 * CLOSE_SETTLE_NS / 1000);
	expect("it is taken", waymark_ctf_cursor_take(a, theirs), 0);
	waymark_ctf_cursor_evict(&p->recorders[WAYMARK_RECORDER_CTF], a->state, theirs);
	waymark_drain_unlock(p);
	sem_post(&go_on);
	pthread_join(t, NULL);
	waymark_recorder_snapshot();
	waymark_recorder_flush();
	expect_all_is_accounted_for();
}

static void a_packet_that_its_thread_has_closed_is_not_taken(void **state)
{
	(void)state;
	assert_int_equal(run(take_what_was_open), 0);
	assert_int_equal(system("rm -rf trace"), 0);
}

static void *lose_some(void *unused)
{
	const struct recorder *r = &waymark_process()->recorders[WAYMARK_RECORDER_CTF];

	while (__atomic_load_n(&r->lost, __ATOMIC_RELAXED) == 0) {
		record_some();
	}
	return unused;
}

static void *record_few(void *unused)
{
	record_some();
	return unused;
}

static void in_thread(void *(*what)(void *))
{
	pthread_t t;

	pthread_create(&t, NULL, what, NULL);
	pthread_join(t, NULL);
}

static rlim_t room; /* bytes that the stream's file may have at first; RLIM_INFINITY: any number */

static void tell_late(void)
{
	struct rlimit limit;

	begin_pairs("trace", RECORDER_DISCARD, MEMORY);
	waymark_process()->writer = WRITER_REFUSED; /* so that only this test drains */
	signal(SIGXFSZ, SIG_IGN);
	in_thread(lose_some);
	getrlimit(RLIMIT_FSIZE, &limit);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ .rlim_cur = room, .rlim_max = limit.rlim_max });
	expect("the loss is reported", waymark_recorder_flush() == 0, room == RLIM_INFINITY);
	setrlimit(RLIMIT_FSIZE, &limit);
	in_thread(record_few);
	expect("everything is reported", (uint64_t)waymark_recorder_flush(), 0);
	expect_all_is_accounted_for();
}

/* Returns the offset of the stream's second last packet. */
static rlim_t last_but_one(void)
{
	struct ctf_index_record r;
	struct stat st;
	int fd = open("trace/index/stream-1.idx", O_RDONLY);

	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(pread(fd, &r, sizeof(r), st.st_size - 2 * (off_t)sizeof(r)), sizeof(r));
	close(fd);
	return be64toh(r.offset);
}

/* The packet that reports a loss does not fit, and is written after the next thread's. */
static void a_loss_is_reported_at_its_time(void **state)
{
	(void)state;
	room = RLIM_INFINITY;
	assert_int_equal(run(tell_late), 0);
	room = last_but_one(); /* excludes the loss's packet and the next thread's */
	assert_int_equal(system("rm -rf trace"), 0);
	assert_int_equal(run(tell_late), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_packet_that_its_thread_has_closed_is_not_taken),
		cmocka_unit_test(a_loss_is_reported_at_its_time),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
