/* SPDX-License-Identifier: MIT */
/*
 * The stream files of a native trace and the program's descriptors: few may be open, and the
 * program may close them, or remove the files.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctf_support.h"

static struct ctf_trace trace;
static struct ctf_files files;

static void begin(const char *name)
{
	begin_trace(&trace, &files, make_config(name, 0, 0));
}

/* Writes a packet at an address that no disk accepts. */
static void a_disk_that_wants_other_memory_gets_it_through_the_cache(void **state)
{
	struct source s = { &trace, 1, 0, 0 };

	(void)state;
	begin("odd.ctf");
	struct packet_header *p = make_packet(&s, 2000);
	char *memory = malloc(65536 + 8);

	assert_non_null(memory);
	struct packet_header *odd =
		(struct packet_header *)(memory + 8 + (16 - (uintptr_t)memory % 16) % 16);

	memcpy(odd, p, 49152);
	int probe = open(".", O_TMPFILE | O_WRONLY | O_DIRECT, 0600);
	bool refused = probe >= 0 && pwrite(probe, odd, 4096, 0) < 0;

	assert_int_equal(waymark_ctf_write(&files, &odd, 1, 0), 1);
	assert_true(!refused || !files.open[0].direct);
	if (!refused) {
		print_message("this disk takes any memory: nothing had to be done otherwise\n");
	}
	close(probe);
	assert_int_equal(write_packets(&files, &s, 1, 2000), 1);
	assert_int_equal(count_events(trace.path, NULL), 4000);
	free(memory);
	free(p);
}

#ifdef SYS_fcntl64
#define SYS_FCNTL SYS_fcntl64
#else
#define SYS_FCNTL SYS_fcntl
#endif

static void write_without_direct(void)
{
	struct source s = { &trace, 1, 0, 0 };

	forbid_call(SYS_FCNTL, O_DIRECT, EINVAL); /* like file systems without O_DIRECT */
	begin("plain.ctf");
	exit(write_packets(&files, &s, 40, 2000) == 40 && !files.open[0].direct ? 0 : 1);
}

static void a_file_system_without_direct_writes_gets_plain_ones(void **state)
{
	(void)state;
	int status = run(write_without_direct);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		skip_because(SKIP_SECCOMP);
	}
	assert_int_equal(status, 0);
	assert_int_equal(count_events("plain.ctf", NULL), 80000);
}

static void write_many_streams(void)
{
	struct rlimit limit = { 20, 20 };
	struct source s[100];

	begin("many.ctf");
	for (uint64_t i = 0; i < 100; i++) {
		s[i] = (struct source){ &trace, i + 1, 0, 0 };
	}
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 100; i++) {
			if (write_packets(&files, &s[i], 2, 10) != 2) {
				exit(1);
			}
		}
		setrlimit(RLIMIT_NOFILE, &limit); /* after the first; it fits by halves, then not */
		limit.rlim_cur--;
	}
	for (int i = 0; i < 100; i++) {
		char name[64];

		snprintf(name, sizeof(name), "index/stream-%d.idx", i + 1);
		if (size_in(&trace, name) != 16 + 6 * 72) {
			exit(2);
		}
	}
	exit(0);
}

static void more_streams_than_descriptors_are_no_matter(void **state)
{
	(void)state;
	assert_int_equal(run(write_many_streams), 0);
	assert_int_equal(count_events("many.ctf", NULL), 6000);
}

static void the_programs_files_are_never_written_to(void **state)
{
	struct source s = { &trace, 1, 0, 0 };

	(void)state;
	begin("closed.ctf");
	assert_int_equal(write_packets(&files, &s, 2, 10), 2);
	int fd = files.open[0].fd;
	int index_fd = files.open[0].index_fd;
	int mine = open("mine", O_CREAT | O_RDWR, 0600);

	assert_int_equal(dup2(mine, fd), fd); /* as a program does that believes to own them */
	assert_int_equal(dup2(mine, index_fd), index_fd);
	assert_int_equal(write_packets(&files, &s, 2, 10), 2);
	assert_int_equal(fcntl(fd, F_GETFD) | fcntl(index_fd, F_GETFD), 0);
	assert_int_equal(file_size("mine"), 0);
	waymark_ctf_pause(&files);
	assert_int_equal(dup2(mine, fd), fd);
	close(fd);
	close(index_fd);
	close(mine);
	assert_int_equal(count_events(trace.path, NULL), 40);
}

static void a_trace_that_was_removed_is_an_error(void **state)
{
	struct source s = { &trace, 1, 0, 0 };

	(void)state;
	begin("removed.ctf");
	assert_int_equal(write_packets(&files, &s, 2, 10), 2);
	assert_int_equal(system("rm -r removed.ctf"), 0);
	assert_int_equal(write_packets(&files, &s, 2, 10), 0);
	assert_int_equal(files.error, ENOENT);
}

static void a_link_in_the_way_is_not_followed(void **state)
{
	char path[PATH_MAX];
	struct source s = { &trace, 1, 0, 0 };

	(void)state;
	begin("linked.ctf");
	in_trace(path, &trace, "stream-1");
	assert_int_equal(symlink("/dev/null", path), 0);
	assert_int_equal(write_packets(&files, &s, 2, 10), 0);
	assert_int_equal(files.error, ELOOP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_system_without_direct_writes_gets_plain_ones),
		cmocka_unit_test(a_disk_that_wants_other_memory_gets_it_through_the_cache),
		cmocka_unit_test(more_streams_than_descriptors_are_no_matter),
		cmocka_unit_test(the_programs_files_are_never_written_to),
		cmocka_unit_test(a_trace_that_was_removed_is_an_error),
		cmocka_unit_test(a_link_in_the_way_is_not_followed),
	};

	return run_judged(tests);
}
