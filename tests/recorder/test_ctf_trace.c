/* SPDX-License-Identifier: MIT */
/*
 * The directory of a native trace appears complete or not at all, and replaces
 * nothing, even if several processes make one at the same time.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctf_support.h"

#define THREADS 8

static struct ctf_trace trace;
static struct ctf_files files;
static char wanted[PATH_MAX];

static const char *base_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

static void a_trace_has_no_name_until_it_is_whole(void **state)
{
	struct ctf_config *config = make_config("place/trace.ctf", 0, 0);

	(void)state;
	assert_int_equal(mkdir("place", 0700), 0);
	memset(&trace, 0, sizeof(trace));
	assert_true(waymark_ctf_begin(&trace, config, NULL));
	assert_int_equal(strncmp(base_name(trace.path), ".waymark-", 9), 0);
	assert_int_equal(strlen(base_name(trace.path)), 9 + 32);
	assert_int_equal(trace.uuid[6] >> 4, 4);
	assert_int_equal(trace.uuid[8] >> 6, 2);
	assert_int_equal(entries_of("place"), 1);
	assert_true(size_in(&trace, "metadata") > 1000);
	waymark_ctf_name(&trace, wanted);
	assert_string_equal(trace.path, config->path);
	assert_int_equal(entries_of("place"), 1);
	assert_int_equal(count_events(trace.path, NULL), 0);
}

static void an_abandoned_trace_leaves_nothing(void **state)
{
	struct ctf_config *config = make_config("left/trace.ctf", 0, 0);

	(void)state;
	assert_int_equal(mkdir("left", 0700), 0);
	assert_true(waymark_ctf_begin(&trace, config, NULL));
	waymark_ctf_abandon(&trace);
	assert_int_equal(entries_of("left"), 0);
}

static void nothing_is_ever_replaced(void **state)
{
	struct ctf_config *config = make_config("names/mine/", 0, 0);
	char expected[64];

	(void)state;
	assert_int_equal(system("mkdir -p names/mine"), 0); /* empty, but not made by Waymark */
	for (int i = 0; i < 4; i++) {
		begin_trace(&trace, &files, config);
		snprintf(expected, sizeof(expected), i ? "mine.%d.%d" : "mine.%d", getpid(), i);
		assert_string_equal(base_name(trace.path), expected);
	}
	assert_int_equal(entries_of("names"), 5);
	assert_int_equal(entries_of("names/mine"), 0);
}

static void the_default_is_named_by_the_process(void **state)
{
	struct ctf_config *config = make_config("", 0, 0);
	char expected[64];

	(void)state;
	assert_true(mkdir("default", 0700) == 0 && chdir("default") == 0);
	for (int i = 0; i < 3; i++) {
		memset(&trace, 0, sizeof(trace));
		assert_true(waymark_ctf_begin(&trace, i ? config : NULL, NULL));
		assert_int_equal(chdir("/"), 0); /* the trace stays where it began */
		waymark_ctf_name(&trace, wanted);
		snprintf(expected, sizeof(expected), i ? "trace-%d.ctf.%d" : "trace-%d.ctf",
			getpid(), i);
		assert_string_equal(base_name(trace.path), expected);
		*strrchr(trace.path, '/') = '\0';
		assert_int_equal(chdir(trace.path), 0);
	}
	assert_int_equal(entries_of("."), 3);
	assert_int_equal(chdir(".."), 0);
}

static void name_without_renameat2(void)
{
	struct ctf_config *config = make_config("old/trace", 0, 0);

	forbid_call(SYS_renameat2, 0, EINVAL);
	if (mkdir("old", 0700) || mkdir("old/trace", 0700)) { /* empty, but not Waymark's */
		exit(1);
	}
	begin_trace(&trace, &files, config);
	begin_trace(&trace, &files, config);
	exit(entries_of("old") == 3 && entries_of("old/trace") == 0 &&
				strcmp(strrchr(trace.path, '.'), ".1") == 0
			? 0
			: 1);
}

static void file_systems_that_cannot_refuse_replace_nothing_either(void **state)
{
	(void)state;
	int status = run(name_without_renameat2);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		skip_because(SKIP_SECCOMP);
	}
	assert_int_equal(status, 0);
	assert_int_equal(count_events("old/trace.*.1", NULL), 0);
}

static struct ctf_trace racing[THREADS];
static const struct ctf_config *racing_config;
static pthread_barrier_t start;

static void *begin_and_name(void *arg)
{
	struct ctf_trace *t = &racing[(uintptr_t)arg];

	pthread_barrier_wait(&start);
	if (waymark_ctf_begin(t, racing_config, NULL)) {
		static __thread char name[PATH_MAX];

		waymark_ctf_name(t, name);
	}
	return NULL;
}

static void each_of_racing_begins_has_its_own(void **state)
{
	pthread_t threads[THREADS];

	(void)state;
	assert_int_equal(mkdir("race", 0700), 0);
	pthread_barrier_init(&start, NULL, THREADS);
	racing_config = make_config("race/trace.ctf", 0, 0);
	for (uintptr_t i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, begin_and_name, (void *)i);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
	assert_int_equal(entries_of("race"), THREADS);
	for (int i = 0; i < THREADS; i++) {
		assert_true(size_in(&racing[i], "metadata") > 1000);
		for (int j = 0; j < i; j++) {
			assert_string_not_equal(racing[i].path, racing[j].path);
			assert_memory_not_equal(racing[i].uuid, racing[j].uuid, 16);
		}
	}
}

static void begin_where_nothing_may_be_made(void)
{
	struct ctf_config *config = make_config("closed/trace", 0, 0);

	if (setuid(65534)) {
		exit(77);
	}
	exit(!waymark_ctf_begin(&trace, config, NULL) && errno == EACCES && !trace.path[0] ? 0 : 1);
}

static void begin_where_nothing_is(void)
{
	if (mkdir("gone", 0700) || chdir("gone") || rmdir("../gone")) {
		exit(1);
	}
	exit(!waymark_ctf_begin(&trace, NULL, NULL) && errno == ENOENT ? 0 : 2);
}

/* No byte of metadata fits; the directory must be removed. */
static void begin_beyond_the_limit(void)
{
	struct rlimit limit = { 100, 100 };
	struct ctf_config *config = make_config("short/trace", 0, 0);

	mkdir("short", 0700);
	setrlimit(RLIMIT_FSIZE, &limit);
	exit(!waymark_ctf_begin(&trace, config, NULL) && errno == EFBIG && entries_of("short") == 0
			? 0
			: 1);
}

static void what_cannot_begin_says_so_and_leaves_nothing(void **state)
{
	(void)state;
	assert_int_equal(mkdir("closed", 0755), 0);
	assert_int_equal(chmod(".", 0755), 0);
	int status = run(begin_where_nothing_may_be_made);

	if (!(WIFEXITED(status) && WEXITSTATUS(status) == 77)) {
		assert_int_equal(status, 0);
	}
	assert_int_equal(run(begin_where_nothing_is), 0);
	assert_int_equal(run(begin_beyond_the_limit), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_has_no_name_until_it_is_whole),
		cmocka_unit_test(an_abandoned_trace_leaves_nothing),
		cmocka_unit_test(nothing_is_ever_replaced),
		cmocka_unit_test(the_default_is_named_by_the_process),
		cmocka_unit_test(file_systems_that_cannot_refuse_replace_nothing_either),
		cmocka_unit_test(each_of_racing_begins_has_its_own),
		cmocka_unit_test(what_cannot_begin_says_so_and_leaves_nothing),
	};

	return run_judged(tests);
}
