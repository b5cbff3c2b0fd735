/* SPDX-License-Identifier: MIT */
/*
 * Making the memory of a jail: in a file without a name, which is linked at the end. A named file
 * is tried only if the system has no unnamed ones; any other failure is reported immediately, with
 * its own errno.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "rt/record/jail.h"

static int why_no_nameless; /* errno of open(2) with O_TMPFILE; 0: it works */
static bool without_proc;
static unsigned int named; /* files that were opened with a name */

int __real_waymark_open(const char *path, int flags, unsigned int mode);
int __wrap_waymark_open(const char *path, int flags, unsigned int mode);
bool __real_waymark_buffer_give_name(int fd, const char *path);
bool __wrap_waymark_buffer_give_name(int fd, const char *path);

int __wrap_waymark_open(const char *path, int flags, unsigned int mode)
{
	named += !!(flags & O_CREAT);
	if ((flags & O_TMPFILE) == O_TMPFILE && why_no_nameless) {
		errno = why_no_nameless;
		return -1;
	}
	return __real_waymark_open(path, flags, mode);
}

bool __wrap_waymark_buffer_give_name(int fd, const char *path)
{
	if (without_proc) {
		errno = ENOENT;
		return false;
	}
	return __real_waymark_buffer_give_name(fd, path);
}

#define COUNT 2
#define FAILED 100

/* Runs in a child, which exits with FAILED plus the errno, or with the number of named files. */
static void make(void)
{
	const struct jail_wish wish = { .count = COUNT, .text_bytes = 4096, .base = "/t.ctf" };

	waymark_recorder_set_buffer(RECORDER_BUFFER_MIN, NULL);
	int why = waymark_jail_make(&wish);

	for (int i = 0; !why && i < COUNT; i++) { /* removes all buffers */
		struct buffer *a = waymark_jail_claim(waymark_process(), false);

		if (!a) {
			_exit(FAILED - 1);
		}
		waymark_buffer_unlink(a);
	}
	if (why && named) {
		_exit(FAILED - 3); /* a named file was tried in vain */
	}
	_exit(why ? FAILED + why : (int)named);
}

static void make_where_files_are_short(void)
{
	const struct rlimit none = { 4096, 4096 };

	if (setrlimit(RLIMIT_FSIZE, &none)) {
		_exit(FAILED - 2);
	}
	make();
}

static int made(void (*body)(void))
{
	int status = run(body);

	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void files_have_no_name_until_they_are_whole(void **state)
{
	(void)state;
	assert_int_equal(made(make), 0);
}

static void a_system_without_such_files_gets_named_ones(void **state)
{
	static const int whys[] = { EOPNOTSUPP, EISDIR, ENOENT };

	(void)state;
	for (size_t i = 0; i < sizeof(whys) / sizeof(whys[0]); i++) {
		why_no_nameless = whys[i];
		assert_int_equal(made(make), COUNT);
	}
	why_no_nameless = 0;
}

static void without_proc_files_are_named(void **state)
{
	(void)state;
	without_proc = true;
	assert_int_equal(made(make), COUNT);
	without_proc = false;
}

static void other_errors_are_reported_and_nothing_else_is_tried(void **state)
{
	static const int whys[] = { EACCES, EMFILE, ENOSPC, EROFS };

	(void)state;
	for (size_t i = 0; i < sizeof(whys) / sizeof(whys[0]); i++) {
		why_no_nameless = whys[i];
		assert_int_equal(made(make), FAILED + whys[i]);
	}
	why_no_nameless = 0;
}

static void memory_that_is_not_there_is_asked_for_once(void **state)
{
	(void)state;
	assert_int_equal(made(make_where_files_are_short), FAILED + EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_have_no_name_until_they_are_whole),
		cmocka_unit_test(a_system_without_such_files_gets_named_ones),
		cmocka_unit_test(without_proc_files_are_named),
		cmocka_unit_test(other_errors_are_reported_and_nothing_else_is_tried),
		cmocka_unit_test(memory_that_is_not_there_is_asked_for_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
