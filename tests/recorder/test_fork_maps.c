/* SPDX-License-Identifier: MIT */
/*
 * A fork handler of the program may map memory in the child before the recorder's handler runs.
 * The kernel does not pass the recorder's memory on, so the new mapping may get its addresses:
 * the recorder must not unmap it.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "rt/record/process.h"
#include "rt/sink/sink.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define SIZE 65536
#define MARK 0x5a

static struct buffer *parents; /* the parent's memory; NULL: outside of a test */
static unsigned char *mapped;

/* Runs before the library's own handler, which is registered later. */
static void map_in_child(void)
{
	if (parents) {
		mapped = mmap(parents, SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	}
	/* Old kernels and qemu-user 7.2 ignore MAP_FIXED_NOREPLACE. */
	if (mapped != (unsigned char *)parents) {
		mapped = NULL;
	}
	if (mapped) {
		mapped[0] = mapped[SIZE - 1] = MARK;
	}
}

/* The file's place among the linked objects puts this constructor before the library's. */
__attribute__((constructor(101))) static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, map_in_child);
}

static void fork_one(void)
{
	waymark_sink_simple.set_file("forks", false, NULL);
	trace_pair(1, 0);
	parents = recorder_buffer(&waymark_process()->recorders[WAYMARK_RECORDER_SIMPLE]);
	pid_t pid = fork_calmly();

	if (pid == 0) {
		/*
		 * If the kernel passes the memory on, `mapped` is NULL, because its address was in
		 * use.
		 */
		if (mapped && (mapped[0] != MARK || mapped[SIZE - 1] != MARK)) {
			_exit(1);
		}
		for (uint64_t i = 0; i < 5; i++) {
			trace_pair((uint64_t)getpid() + 1000, i);
		}
		exit(mapped ? 0 : 2);
	}
	int status = -1;

	waitpid(pid, &status, 0);
	trace_pair(1, 1);
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
}

static void what_the_child_has_mapped_stays(void **state)
{
	const char *kernel = getenv("WAYMARK_TEST_ADVICE");
	bool passed_on = IN_EMULATOR || (kernel && strcmp(kernel, "refused") != 0);
	struct trace t;

	(void)state;
	int status = run(fork_one);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), passed_on ? 2 : 0);
	assert_int_equal(check_children(5, 0), 1);
	read_trace(&t, "forks", 0);
	assert_int_equal(check_order(&t, 1), 2);
	trace_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_child_has_mapped_stays),
	};

	if (UNDER_TSAN) {
		puts("skipped: ThreadSanitizer remembers accesses to pages that fork has wiped");
		return 77;
	}
	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
