/* SPDX-License-Identifier: MIT */
/* Threads request traces of one name at the same time: each receives the name of its own trace. */
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <waymark/control.h>

#include "child.h"
#include "events.h"
#include "folder.h"
#include "unit.h"

EVENT(probe, WAYMARK_CTF, 1)
EVENT_LIST(&waymark_event_probe)

#define SKIP 77

static pthread_barrier_t both;

/* Returns `path` if this thread's snapshot was made, else NULL. */
static void *take_one(void *path)
{
	struct waymark_error error;

	pthread_barrier_wait(&both);
	bool ok = waymark_snapshot_to(path, &error) == 0;

	if (!ok && !strstr(error.text, "exists already; remove it") &&
		!strstr(error.text, "the name is taken now: the snapshot is ")) {
		fprintf(stderr, "%s\n", error.text);
		abort();
	}
	return ok ? path : NULL;
}

/* Two threads request snapshots of one name: one succeeds, the other one gets an error. */
static int of_one_name(void)
{
	struct waymark_error error;

	CHECK(waymark_configure("probe,full=overwrite", &error) == 0, 1);
	pthread_barrier_init(&both, NULL, 2);
	for (int i = 0; i < 50; i++) {
		char path[64];
		pthread_t other;
		void *his;

		snprintf(path, sizeof(path), "same-%d/", i);
		trace_probe(i);
		CHECK(pthread_create(&other, NULL, take_one, path) == 0, 2);
		bool mine = take_one(path);

		CHECK(pthread_join(other, &his) == 0 && mine != (his != NULL), 3);
	}
	return 0;
}

/* Returns `path` if the trace was made, else NULL. */
static void *name_one(void *path)
{
	pthread_barrier_wait(&both);
	return waymark_set_output("ctf", path, NULL) == 0 ? path : NULL;
}

/* Two threads request traces of one name: if both get one, the changed name is reported. */
static int traces_of_one_name(void)
{
	glob_t others;

	CHECK(freopen("said", "w", stderr), 1);
	CHECK(waymark_configure("probe", NULL) == 0, 1);
	pthread_barrier_init(&both, NULL, 2);
	for (int i = 0; i < 200; i++) {
		char path[64];
		pthread_t other;
		void *his;

		snprintf(path, sizeof(path), "both-%d", i);
		trace_probe(i);
		CHECK(pthread_create(&other, NULL, name_one, path) == 0, 2);
		bool mine = name_one(path);

		CHECK(pthread_join(other, &his) == 0 && (mine || his), 3);
	}
	if (glob("both-*.[0-9]*", 0, NULL, &others) != 0) {
		return SKIP; /* one thread was too late each time and was refused */
	}
	globfree(&others);
	CHECK(system("grep -q 'the trace is .*/both-[0-9]*[.][0-9]*: the requested name is taken' "
		     "said") == 0,
		4);
	return 0;
}

static void two_snapshots_have_not_one_name(void **state)
{
	(void)state;
	assert_int_equal(run(of_one_name), 0);
}

static void two_traces_of_one_name_are_reported(void **state)
{
	int status = run(traces_of_one_name);

	(void)state;
	if (status == SKIP) {
		print_message("skipped: no two calls met\n");
		skip();
	}
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_snapshots_have_not_one_name),
		cmocka_unit_test(two_traces_of_one_name_are_reported),
	};

	return cmocka_run_group_tests_name("one name", tests, enter_folder, leave_folder);
}
