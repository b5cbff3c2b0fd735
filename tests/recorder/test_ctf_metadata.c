/* SPDX-License-Identifier: MIT */
/*
 * The metadata of a native trace: every event, of any form, is declared once, even while others
 * read the file, and readers can compute times.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ctf_support.h"
#include "rt/record/clock.h"

#define THREADS 8

static struct ctf_trace trace;
static struct ctf_files files;
static pthread_barrier_t start;

/* Returns the metadata; the caller frees it. */
static char *metadata_of(const struct ctf_trace *t)
{
	char path[PATH_MAX + 16];
	char *text = NULL;
	size_t size = 0;

	snprintf(path, sizeof(path), "%s/metadata", t->path);
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_true(getdelim(&text, &size, '\0', f) > 0);
	fclose(f);
	return text;
}

static unsigned int occurrences(const char *text, const char *what)
{
	unsigned int n = 0;

	for (; (text = strstr(text, what)); text++) {
		n++;
	}
	return n;
}

static void *declare_all(void *arg)
{
	pthread_barrier_wait(&start);
	while (__atomic_load_n(&trace.declared, __ATOMIC_RELAXED) < 2001) {
		if (!waymark_ctf_declare(&trace)) {
			return arg;
		}
	}
	return NULL;
}

static void every_event_is_declared_once(void **state)
{
	static char names[2000][16];
	pthread_t threads[THREADS];
	char *text;

	(void)state;
	begin_trace(&trace, &files, make_config("declared.ctf", 0, 0));
	pthread_barrier_init(&start, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, declare_all, &trace);
	}
	pthread_barrier_wait(&start);
	for (int i = 0; i < 2000; i++) {
		snprintf(names[i], sizeof(names[i]), "event_%d_", i);
		add_event(names[i], "\"\"", NULL, 0);
		sched_yield();
	}
	for (int i = 0; i < THREADS; i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(trace.declared, 2001);
	text = metadata_of(&trace);
	assert_int_equal(occurrences(text, "\nevent { id = "), 2001);
	for (int i = 0; i < 2000; i++) {
		char line[40];

		snprintf(line, sizeof(line), "name = \"event_%d_\"", i);
		assert_int_equal(occurrences(text, line), 1);
	}
	free(text);
	assert_int_equal(count_events(trace.path, NULL), 0);
	reset_events();
}

static void a_full_disk_takes_declarations_whole_or_not(void **state)
{
	static char longest[40000];
	long size;

	(void)state;
	mkdir("small", 0700);
	if (mount("none", "small", "tmpfs", 0, "size=64k")) {
		skip_because(SKIP_MOUNT);
	}
	memset(longest, 'x', sizeof(longest) - 1);
	assert_int_equal(system("head -c 40000 /dev/zero > small/ballast"), 0);
	begin_trace(&trace, &files, make_config("small/trace.ctf", 0, 0));
	size = size_in(&trace, "metadata");
	add_event("long", longest, NULL, 0);
	bool declared = waymark_ctf_declare(&trace);
	int why = errno;
	long size_after = size_in(&trace, "metadata");
	struct buffer_clock now = waymark_clock_read();
	bool refined = waymark_ctf_refine(&trace, &now);
	unsigned int left = entries_of(trace.path);

	unlink("small/ballast");
	bool later = waymark_ctf_declare(&trace);
	unsigned long events = count_events(trace.path, NULL);
	long size_at_last = size_in(&trace, "metadata");

	umount2("small", MNT_DETACH);
	assert_true(!declared && why == ENOSPC && size_after == size);
	assert_true(!refined && left == 2);
	assert_true(later && size_at_last > size + 39999 && events == 0);
	reset_events();
}

static void no_event_is_written_before_its_declaration(void **state)
{
	struct source s = { .trace = &trace, .stream = 1 };

	(void)state;
	begin_trace(&trace, &files, make_config("undeclared.ctf", 0, 0));
	assert_int_equal(rename("undeclared.ctf/metadata", "metadata-elsewhere"), 0);
	assert_int_equal(write_packets(&files, &s, 2, 3), 2); /* all is declared up to here */
	add_event("late", "\"\"", NULL, 0);
	assert_int_equal(write_packets(&files, &s, 2, 3), 0);
	assert_int_equal(files.error, ENOENT);
	assert_int_equal(rename("metadata-elsewhere", "undeclared.ctf/metadata"), 0);
	assert_int_equal(write_packets(&files, &s, 2, 3), 2);
	assert_int_equal(files.error, 0);
	assert_int_equal(count_events(trace.path, NULL), 12);
	reset_events();
}

static const struct waymark_entry_arg keyword_args[] = {
	{ "event", "char", WAYMARK_CHAR, 1 },
	{ "struct_", "bool", WAYMARK_UNSIGNED, 1 },
	{ "align", "void *", WAYMARK_POINTER, sizeof(void *) },
	{ "string", "const char *", WAYMARK_STRING, 0 },
	{ "string_length", "int16_t", WAYMARK_SIGNED, 2 },
	{ "integer", "const char *", WAYMARK_STRING, 0 },
};

static void every_text_is_only_text(void **state)
{
	static char longest[9000];
	const char *const formats[] = { "\"*/ event { id = 7; }; /*\"",
		"\"a\\nb \\\"quoted\\\" \\\\\"", "\"100 %% %\" PRIu64 \" ${id} %s\"",
		"\"\xc3\xa4 \\t \\\\*/\"", "", longest };
	const char *const names[] = { "event", "stream", "env", "typealias", "string", "variant" };
	struct source s = { &trace, 1, 0, 0 };
	char *text;

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	begin_trace(&trace, &files, make_config("texts.ctf", 0, 0));
	for (int i = 0; i < 6; i++) {
		add_event(names[i], formats[i], keyword_args, 6);
	}
	assert_true(waymark_ctf_declare(&trace));
	assert_int_equal(write_packets(&files, &s, 1, 10), 1);
	assert_int_equal(count_events(trace.path, NULL), 10);
	text = metadata_of(&trace);
	assert_int_equal(occurrences(text, "\nevent { id = "), 7);
	assert_non_null(strstr(text, longest));
	free(text);
	reset_events();
}

static bool stop;

static void *refine_often(void *arg)
{
	struct buffer_clock now;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		now = waymark_clock_read();
		if (!waymark_ctf_refine(&trace, &now)) {
			return arg;
		}
	}
	return NULL;
}

static void a_reader_finds_a_whole_text_while_it_is_refined(void **state)
{
	struct source s = { &trace, 1, 0, 0 };
	pthread_t thread;
	void *failed;

	(void)state;
	begin_trace(&trace, &files, make_config("refined.ctf", 0, 0));
	for (int i = 0; i < 50; i++) {
		add_event("another", "\"\"", NULL, 0);
	}
	assert_true(waymark_ctf_declare(&trace));
	assert_int_equal(write_packets(&files, &s, 1, 10), 1);
	stop = false;
	pthread_create(&thread, NULL, refine_often, &trace);
	for (int i = 0; i < 300; i++) {
		char *text = metadata_of(&trace);

		assert_int_equal(strncmp(text, "/* CTF 1.8 */", 13), 0);
		assert_int_equal(occurrences(text, "\nevent { id = "), 51);
		free(text);
	}
	for (int i = 0; i < 5; i++) {
		assert_int_equal(count_events(trace.path, NULL), 10);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, &failed);
	assert_null(failed);
	assert_int_equal(entries_of(trace.path), 3); /* metadata, index, stream-1 */
	reset_events();
}

static uint64_t realtime_ns(struct timespec *now)
{
	clock_gettime(CLOCK_REALTIME, now);
	return (uint64_t)now->tv_sec * UINT64_C(1000000000) + (uint64_t)now->tv_nsec;
}

/* Reads both clocks at the same moment: reads again if too much time passed between them. */
static void read_both(struct buffer_clock *clock, struct timespec *now)
{
	uint64_t before;

	do {
		before = realtime_ns(now);
		*clock = waymark_clock_read();
	} while (realtime_ns(now) - before > 20000);
}

/* Returns the error in ns of babeltrace2's time of an event that is recorded now. */
static double time_error(const char *name)
{
	struct packet_header *p;
	struct timespec now;
	struct buffer_clock clock;
	double seconds = 0;
	struct source s = { &trace, 1, 0, 0 };

	sleep_ms(50);
	read_both(&clock, &now);
	p = make_packet(&s, 1);
	p->timestamp_begin = p->timestamp_end = clock.ticks;
	*(uint64_t *)(p + 1) = clock.ticks << PACKET_ID_BITS | 1;
	assert_int_equal(waymark_ctf_write(&files, &p, 1, 0), 1);
	free(p);
	assert_int_equal(count_events(name, "line"), 1);
	FILE *f = fopen("line", "r");

	/* A double cannot hold seconds and nanoseconds, but it holds the difference exactly. */
	long whole;

	assert_int_equal(fscanf(f, "[%ld%lf]", &whole, &seconds), 2);
	fclose(f);
	return ((double)(whole - now.tv_sec) + seconds) * 1e9 - (double)now.tv_nsec;
}

static void readers_know_the_time(void **state)
{
	double error;

	(void)state;
	begin_trace(&trace, &files, make_config("time.ctf", 0, 0));
	error = time_error("time.ctf");
	print_message("off by %.0f ns 50 ms after the begin\n", error);
	assert_true(error > -1e6 && error < 1e6);
	begin_trace(&trace, &files, make_config("time2.ctf", 0, 0));
	sleep_ms(200);
	struct buffer_clock now = waymark_clock_read();

	assert_true(waymark_ctf_refine(&trace, &now));
	error = time_error("time2.ctf");
	print_message("off by %.0f ns when refined\n", error);
	assert_true(error > -1e5 && error < 1e5);
}

static void what_the_processor_says_of_its_clock_is_true(void **state)
{
	struct buffer_clock from = waymark_clock_read();
	uint64_t nominal = waymark_clock_nominal();

	(void)state;
	if (!nominal) {
		skip_because("the processor says nothing of its clock's rate");
	}
	sleep_ms(100);
	struct buffer_clock to = waymark_clock_read();
	double measured = (double)(to.ticks - from.ticks) * 1e9 /
			  (double)(to.monotonic_ns - from.monotonic_ns);

	print_message("says %.0f, measured %.0f\n", (double)nominal, measured);
	assert_true(measured / (double)nominal > 0.99 && measured / (double)nominal < 1.01);
	assert_true(waymark_clock_loaded().monotonic_ns < from.monotonic_ns);
	assert_true(waymark_clock_loaded().ticks < from.ticks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_is_declared_once),
		cmocka_unit_test(a_full_disk_takes_declarations_whole_or_not),
		cmocka_unit_test(no_event_is_written_before_its_declaration),
		cmocka_unit_test(every_text_is_only_text),
		cmocka_unit_test(a_reader_finds_a_whole_text_while_it_is_refined),
		cmocka_unit_test(readers_know_the_time),
		cmocka_unit_test(what_the_processor_says_of_its_clock_is_true),
	};

	return run_judged(tests);
}
