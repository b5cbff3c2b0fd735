/* SPDX-License-Identifier: MIT */
/*
 * The recorder's use of the program's stack. Handlers have 8 KiB, of which the kernel needs a
 * part; threads may have PTHREAD_STACK_MIN. The test fills stacks with a pattern and counts the
 * changed bytes. The limits are those that docs/reliability.md promises.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctf_pairs.h"
#include "rt/record/process.h"
#include "rt/record/stats.h"
#include "rt/sink/sink.h"

#define KIB 1024u
#define FIRST_EVENT (4 * KIB)
#define PTHREAD_CREATE (4 * KIB) /* extra stack for the C library's function, not in handlers */
#ifdef __s390x__
#define FRAMES KIB /* each has 160 bytes for registers */
#else
#define FRAMES 0
#endif
#define LATER_EVENT (2 * KIB + FRAMES)
#define FLUSH (4 * KIB + FRAMES)

/* Stack of a measured thread; arm64's C library makes none with less than 128 KiB. */
#define PAINTED (256 * KIB)
#define PAINT 0x5au

/* Stack that the measuring itself uses below its frame. */
#define OWN 256u

#define HANDLER_STACK (8 * KIB)
#define EVENTS 100000

static void (*measured)(void);
static size_t used;

/* The loops call no function: memset() might use the stack itself. */
static __attribute__((noinline)) void paint(volatile unsigned char *from, unsigned char *to)
{
	while (from < to) {
		*from++ = PAINT;
	}
}

static __attribute__((noinline)) size_t unpainted(volatile unsigned char *from, unsigned char *to)
{
	while (from < to && *from == PAINT) {
		from++;
	}
	return (size_t)(to - from);
}

static void *measure(void *bottom)
{
	unsigned char *frame = __builtin_frame_address(0);

	paint(bottom, frame - OWN);
	measured();
	used = unpainted(bottom, frame);
	return NULL;
}

/* Returns the stack bytes that `body` uses in a separate thread. */
static size_t stack_of(void (*body)(void))
{
	void *stack = mmap(NULL, PAINTED, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	measured = body;
	pthread_attr_init(&attr);
	if (stack == MAP_FAILED || pthread_attr_setstack(&attr, stack, PAINTED) ||
		pthread_create(&thread, &attr, measure, stack)) {
		_exit(10);
	}
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	return used;
}

/* Ends the child if more was used. */
static void expect(const char *what, size_t bytes, size_t limit)
{
	printf("%s: %zu bytes of stack, of %zu\n", what, bytes, limit);
	fflush(stdout);
	if (bytes > limit) {
		fprintf(stderr, "%s takes %zu bytes of stack, more than %zu\n", what, bytes, limit);
		_exit(11);
	}
}

static void one_ctf(void)
{
	trace_ctf(1, 0);
}

static void one_simple(void)
{
	trace_pair(1, 0);
}

static void many_ctf(void)
{
	for (uint64_t i = 0; i < EVENTS; i++) {
		trace_ctf(2, i);
	}
}

static void many_simple(void)
{
	for (uint64_t i = 0; i < EVENTS; i++) {
		trace_pair(2, i);
	}
}

static void flush(void)
{
	if (waymark_recorder_flush()) {
		_exit(12);
	}
}

static void measure_ctf(void)
{
	waymark_sink_ctf.set_file("measured.ctf", false, NULL);
	expect("first event, writer started", stack_of(one_ctf), FIRST_EVENT + PTHREAD_CREATE);
	expect("first event of a thread", stack_of(one_ctf), LATER_EVENT);
	expect("packet switch", stack_of(many_ctf), LATER_EVENT);
	expect("flush", stack_of(flush), FLUSH);
}

static void measure_simple(void)
{
	waymark_sink_simple.set_file("measured.simple", false, NULL);
	expect("simple: first event, writer started", stack_of(one_simple),
		FIRST_EVENT + PTHREAD_CREATE);
	expect("simple: packet switch", stack_of(many_simple), LATER_EVENT);
	expect("simple: flush", stack_of(flush), FLUSH);
}

/* As in a handler, where no thread can be started. */
static void measure_first(void)
{
	waymark_process()->writer = WRITER_REFUSED;
	waymark_sink_ctf.set_file("first.ctf", false, NULL);
	waymark_sink_simple.set_file("first.simple", false, NULL);
	expect("first event", stack_of(one_ctf), FIRST_EVENT);
	expect("simple: first event", stack_of(one_simple), FIRST_EVENT);
}

static void measure_default_names(void)
{
	waymark_process()->writer = WRITER_REFUSED;
	expect("first event, default name", stack_of(one_ctf), FIRST_EVENT);
	expect("simple: first event, default name", stack_of(one_simple), FIRST_EVENT);
}

static void measure_overwrite(void)
{
	waymark_process()->writer = WRITER_REFUSED; /* so that the thread itself evicts */
	waymark_recorder_set_buffer(RECORDER_BUFFER_MIN, NULL);
	waymark_recorder_set_policy(RECORDER_OVERWRITE, NULL);
	waymark_sink_ctf.set_file("overwrite.ctf", false, NULL);
	trace_ctf(1, 0);
	expect("the oldest packet makes room", stack_of(many_ctf), LATER_EVENT);
}

static void measure_block(void)
{
	waymark_recorder_set_buffer(RECORDER_BUFFER_MIN, NULL);
	waymark_recorder_set_policy(RECORDER_BLOCK, NULL);
	waymark_sink_ctf.set_file("block.ctf", false, NULL);
	trace_ctf(1, 0);
	expect("waiting for room", stack_of(many_ctf), LATER_EVENT);
}

/* As at a crash, and in a fork's child: without a writer. */
static void measure_without_writer(void)
{
	waymark_process()->writer = WRITER_REFUSED;
	waymark_sink_ctf.set_file("alone.ctf", false, NULL);
	waymark_sink_simple.set_file("alone.simple", false, NULL);
	many_ctf();
	many_simple();
	expect("flush without a writer", stack_of(flush), FLUSH);
	waymark_sink_ctf.set_file("another.ctf", false, NULL);
	many_ctf();
	expect("flush into another trace", stack_of(flush), FLUSH);
}

/* The thread prints a waiting message when it begins the next packet. */
static void measure_notice(void)
{
	waymark_sink_ctf.set_file("notice.ctf", false, NULL);
	trace_ctf(1, 0);
	waymark_notice(waymark_process(), "%s: %d", "a printed notice", 1);
	expect("a printed notice", stack_of(many_ctf), LATER_EVENT);
}

static void check(void (*body)(void))
{
	if (UNDER_SANITIZER) {
		skip_because(SKIP_SANITIZER);
	}
	assert_int_equal(system("rm -rf *.ctf *.simple trace-*"), 0);
	assert_int_equal(run(body), 0);
}

static void events_take_little_stack(void **state)
{
	(void)state;
	check(measure_first);
	check(measure_ctf);
	check(measure_simple);
	check(measure_default_names);
}

static void a_full_buffer_takes_little_stack(void **state)
{
	(void)state;
	check(measure_overwrite);
	check(measure_block);
}

static void flushes_take_little_stack(void **state)
{
	(void)state;
	check(measure_without_writer);
}

static void a_notice_takes_little_stack(void **state)
{
	(void)state;
	check(measure_notice);
}

/* Returns a stack of `bytes` after an inaccessible page. */
static void *guarded(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(
		NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p, page, PROT_NONE)) {
		_exit(10);
	}
	return p + page;
}

static void handler(int sig)
{
	(void)sig;
	trace_ctf(1, 0);
	trace_pair(1, 0);
}

static void name_small(void)
{
	waymark_sink_ctf.set_file("small.ctf", false, NULL);
	waymark_sink_simple.set_file("small.simple", false, NULL);
}

static void trace_on_a_small_stack(void)
{
	stack_t stack = { .ss_sp = guarded(HANDLER_STACK), .ss_size = HANDLER_STACK };
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	name_small();
	sigaction(SIGUSR1, &act, NULL);
	if (sigaltstack(&stack, NULL) || raise(SIGUSR1)) {
		_exit(10);
	}
}

static void check_small(void)
{
	struct pairs p;
	struct trace t;

	read_pairs(&p, "small.ctf");
	assert_int_equal(check_each_once(&p, 1), 1);
	pairs_free(&p);
	read_trace(&t, "small.simple", 0);
	assert_int_equal(check_order(&t, 1), 1);
	trace_free(&t);
}

static void the_first_event_fits_on_a_handlers_stack(void **state)
{
	(void)state;
	check(trace_on_a_small_stack);
	check_small();
}

static void *trace_both(void *unused)
{
	(void)unused;
	trace_ctf(1, 0);
	trace_pair(1, 0);
	return NULL;
}

static void trace_in_a_small_thread(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	name_small();
	pthread_attr_init(&attr);
	if (pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN) ||
		pthread_create(&thread, &attr, trace_both, NULL)) {
		_exit(10);
	}
	pthread_join(thread, NULL);
}

static void the_first_event_fits_into_the_smallest_thread(void **state)
{
	(void)state;
	check(trace_in_a_small_thread);
	check_small();
}

/*
 * Overflows the stack: only the alternate stack remains, and the writer must write, or the handler
 * itself if there is no writer.
 */
static __attribute__((noinline)) int overflow(volatile int *depth)
{
	volatile char bytes[4096];

	bytes[0] = (char)++*depth;
	return *depth < 1000000 ? bytes[0] + overflow(depth) + *depth : 0;
}

static bool is_alone;

static void crash_on_a_small_stack(void)
{
	stack_t stack = { .ss_sp = guarded(HANDLER_STACK), .ss_size = HANDLER_STACK };
	volatile int depth = 0;

	setrlimit(RLIMIT_STACK, &(struct rlimit){ 256 * KIB, RLIM_INFINITY });
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	if (is_alone) {
		waymark_process()->writer = WRITER_REFUSED;
	}
	name_small();
	sigaltstack(&stack, NULL);
	trace_both(NULL);
	overflow(&depth);
}

static void check_crash(bool alone)
{
	is_alone = alone;
	if (UNDER_SANITIZER || !faults_can_be_sent()) {
		skip_because(UNDER_SANITIZER ? SKIP_SANITIZER : SKIP_FAULT);
	}
	assert_int_equal(system("rm -rf *.ctf *.simple trace-*"), 0);
	int status = run(crash_on_a_small_stack);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	check_small();
}

static void a_crash_on_a_handlers_stack_loses_nothing(void **state)
{
	(void)state;
	check_crash(false);
	check_crash(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_take_little_stack),
		cmocka_unit_test(a_full_buffer_takes_little_stack),
		cmocka_unit_test(flushes_take_little_stack),
		cmocka_unit_test(a_notice_takes_little_stack),
		cmocka_unit_test(the_first_event_fits_on_a_handlers_stack),
		cmocka_unit_test(the_first_event_fits_into_the_smallest_thread),
		cmocka_unit_test(a_crash_on_a_handlers_stack_loses_nothing),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
