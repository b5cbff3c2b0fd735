/* SPDX-License-Identifier: MIT */
/* Assigns the kernel's events to the scopes of hand-made records, to the nanosecond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/kernel.h"
#include "scope_events.h"

#define PID 10

enum { READ, READ_END_, COPY, COPY_END, CLASSES };

static struct event_class classes[] = {
	{ .name = "read", .index = READ, .event = &begin_event },
	{ .name = "read_end", .index = READ_END_, .event = &end_event },
	{ .name = "copy", .index = COPY, .event = &begin_event },
	{ .name = "copy_end", .index = COPY_END, .event = &end_event },
};

struct test {
	struct class_table table;
	struct stacks stacks;
	struct kernel kernel;
	uint64_t bad_line;
	uint32_t pid;
	bool is_open;
};

static int setup(void **state)
{
	static struct test t;

	t = (struct test){ .pid = PID };
	for (size_t i = 0; i < CLASSES; i++) {
		vec_push(&t.table.all, &classes[i]);
	}
	stacks_init(&t.stacks, &t.table, &(struct stacks_options){ .by = STACKS_BY_NAME });
	*state = &t;
	return 0;
}

static int teardown(void **state)
{
	struct test *t = *state;
	struct read_error error;

	if (t->is_open) {
		kernel_text_close(&t->kernel.text, &error);
		kernel_fini(&t->kernel);
	}
	stacks_fini(&t->stacks);
	vec_fini(&t->table.all);
	return 0;
}

static void on_bad(void *data, uint64_t number, const char *line)
{
	struct test *t = data;

	(void)line;
	t->bad_line = number;
}

/* Sets the kernel's trace for the rest of the test. */
static void capture(struct test *t, const char *text)
{
	struct kernel_text k = { .on_bad = on_bad, .data = t };

	k.file = fmemopen((void *)text, strlen(text), "r");
	assert_non_null(k.file);
	kernel_init(&t->kernel, &t->stacks, &k);
	t->is_open = true;
}

/* Records the begin or end of a scope; `ns` counts from the first second. */
static void record(struct test *t, int class, uint32_t tid, uint64_t ns)
{
	const struct value values[] = { { .number = (uint64_t)SYNC }, { .number = tid } };
	const struct record rec = {
		.pid = t->pid, .tid = tid, .ns = 1000000000 + ns, .class = &classes[class]
	};

	stacks_see(&t->stacks, rec.ns);
	assert_true(pairs_wants(&t->stacks.pairs, &rec));
	kernel_add(&t->kernel, &rec, values);
}

static void finish(struct test *t)
{
	kernel_end(&t->kernel);
	stacks_end(&t->stacks);
}

static const char *name_of(const struct test *t, const struct stack_frame *f)
{
	return f->kind == STACK_SCOPE ? t->stacks.pairs.names.items[f->id] : f->name;
}

/* Returns the frame at `a;b;c`; its parents start at the root, whose name is "". */
static const struct stack_frame *frame_at(const struct test *t, const char *path)
{
	vec_foreach (struct stack_frame *, f, &t->stacks.frames) {
		char text[256] = "";
		char longer[600];

		for (const struct stack_frame *at = f; at->kind != STACK_ROOT;
			at = &t->stacks.frames.items[at->parent]) {
			snprintf(longer, sizeof(longer), "%s%s%s", name_of(t, at), *text ? ";" : "",
				text);
			snprintf(text, sizeof(text), "%.255s", longer);
		}
		if (strcmp(text, path) == 0) {
			return f;
		}
	}
	return NULL;
}

static void assert_frame(const struct test *t, const char *path, uint64_t self, uint64_t count)
{
	const struct stack_frame *f = frame_at(t, path);

	print_message("%s\n", path);
	assert_non_null(f);
	assert_int_equal(f->self_ns, self);
	assert_int_equal(f->count, count);
}

static void what_happens_in_a_scope_is_a_frame_of_it(void **state)
{
	struct test *t = *state;

	capture(t, "# tracer: nop\n"
		   "a-1 [0] ..... 1.000050: sys_before(fd: 3)\n"
		   "a-1 [0] ..... 1.000060: sys_before -> 0x0\n"
		   "a-1 [0] ..... 1.000200: sys_write(fd: 3)\n"
		   "a-1 [0] d..2. 1.000300: sched_switch: prev_comm=a prev_pid=1 prev_prio=1 "
		   "prev_state=S ==> next_comm=b next_pid=2 next_prio=1\n"
		   "b-2 [0] d.h2. 1.000400: irq_handler_entry: irq=1 name=disk\n"
		   "b-2 [0] d.h2. 1.000410: irq_handler_exit: irq=1 ret=handled\n"
		   "b-2 [0] d..2. 1.000500: sched_switch: prev_comm=b prev_pid=2 prev_prio=1 "
		   "prev_state=R ==> next_comm=a next_pid=1 next_prio=1\n"
		   "a-1 [0] ..... 1.000600: sys_write -> 0x0\n"
		   "a-1 [0] ..... 1.000950: sys_behind(fd: 3)\n"
		   "a-1 [0] ..... 1.000960: sys_behind -> 0x0\n");
	record(t, READ, 1, 100000);
	record(t, READ_END_, 1, 900000);
	finish(t);
	assert_frame(t, "read", 400000, 1);
	assert_frame(t, "read;sys_write", 200000, 1);
	assert_frame(t, "read;sys_write;off-CPU", 200000, 1);
	assert_int_equal(t->stacks.frames.count, 4);
	assert_int_equal(t->kernel.within, 2);
	assert_int_equal(t->kernel.at_odds + t->kernel.unended, 0);
}

/*
 * Microseconds are rounded, so an event of a thread with scopes may seem to be half a microsecond
 * earlier or later than it was.
 */
static void rounding_moves_nothing_into_another_scope(void **state)
{
	struct test *t = *state;

	capture(t,
		/* begins with the scope, which began 300 ns earlier */
		"a-1 [0] ..... 1.000100: sys_first(fd: 3)\n"
		"a-1 [0] ..... 1.000150: sys_first -> 0x0\n"
		/* ends 300 ns before the inner scope begins */
		"a-1 [0] ..... 1.000180: sys_second(fd: 3)\n"
		"a-1 [0] ..... 1.000201: sys_second -> 0x0\n"
		/* ends with the scope */
		"a-1 [0] ..... 1.000290: sys_third(fd: 3)\n"
		"a-1 [0] ..... 1.000301: sys_third -> 0x0\n"
		/* begins 300 ns after the end of the outer scope */
		"a-1 [0] ..... 1.000400: sys_fourth(fd: 3)\n"
		"a-1 [0] ..... 1.000450: sys_fourth -> 0x0\n");
	record(t, COPY, 1, 10000);
	record(t, COPY_END, 1, 20000);
	record(t, READ, 1, 100200);
	record(t, COPY, 1, 200700);
	record(t, COPY_END, 1, 300700);
	record(t, READ_END_, 1, 400200);
	finish(t);
	assert_frame(t, "read;sys_first", 49800, 1);
	assert_frame(t, "read;sys_second", 20700, 1);
	assert_frame(t, "read;copy;sys_third", 10700, 1);
	assert_frame(t, "read;copy", 89300, 1);
	assert_frame(t, "read", 300000 - 100000 - 49800 - 20700, 1);
	assert_int_equal(t->kernel.within, 3);
	assert_int_equal(t->kernel.at_odds + t->kernel.unended, 0);
}

static void the_recording_process_is_not_in_the_kernel(void **state)
{
	struct test *t = *state;

	capture(t, "a-1 [0] ..... 1.000200: sys_read(fd: 3)\n"
		   "a-1 [0] ..... 1.000800: sys_read -> 0x0\n");
	record(t, READ, 1, 100000);
	record(t, COPY, 1, 500000);
	record(t, COPY_END, 1, 600000);
	record(t, READ_END_, 1, 900000);
	finish(t);
	assert_int_equal(t->kernel.at_odds, 1);
	assert_int_equal(t->kernel.records, 3);
	assert_frame(t, "read", 700000, 1);
	assert_frame(t, "read;copy", 100000, 1);
	assert_frame(t, "read;sys_read", 0, 0);
}

static void what_lost_its_end_takes_no_time(void **state)
{
	struct test *t = *state;

	capture(t, "a-1 [0] ..... 1.000200: sys_read(fd: 3)\n"
		   "CPU:0 [LOST 12 EVENTS]\n"
		   "a-1 [0] ..... 1.000300: sys_write(fd: 3)\n"
		   "a-1 [0] ..... 1.000310: sys_write -> 0x0\n"
		   "a-1 [0] ..... 1.000400: sys_poll(fd: 3)\n"
		   "CPU:0 [LOST 1 EVENTS]\n");
	record(t, READ, 1, 100000);
	record(t, READ_END_, 1, 900000);
	finish(t);
	assert_frame(t, "read;sys_write", 10000, 1);
	assert_frame(t, "read", 790000, 1);
	assert_int_equal(t->kernel.losses, 2);
	assert_int_equal(t->kernel.unended, 2);
	assert_int_equal(t->kernel.at_odds, 0);
}

static void raw_and_named_system_calls_are_one(void **state)
{
	struct test *t = *state;

	capture(t, "a-1 [0] ..... 1.000200: sys_enter: NR 60000 (3)\n"
		   "a-1 [0] ..... 1.000201: sys_read(fd: 3)\n"
		   "a-1 [0] ..... 1.000300: sys_read -> 0x0\n"
		   "a-1 [0] ..... 1.000301: sys_exit: NR 60000 = 0\n");
	record(t, READ, 1, 100000);
	record(t, READ_END_, 1, 900000);
	finish(t);
	assert_frame(t, "read;system call 60000", 100000, 1);
	assert_int_equal(t->kernel.unended + t->kernel.at_odds, 0);
}

/* In containers, processes may not know their pids outside, so two threads may have one number. */
static void a_number_of_two_threads_is_reported(void **state)
{
	struct test *t = *state;

	capture(t, "a-1 [0] ..... 1.000200: sys_read(fd: 3)\n"
		   "a-1 [0] ..... 1.000300: sys_read -> 0x0\n");
	record(t, READ, 1, 100000);
	t->pid = PID + 1;
	record(t, COPY, 1, 150000);
	record(t, COPY_END, 1, 400000);
	t->pid = PID;
	record(t, READ_END_, 1, 900000);
	finish(t);
	assert_int_equal(t->kernel.shared, 1);
	assert_frame(t, "read;sys_read", 100000, 1);
	assert_frame(t, "copy", 250000, 1);
}

static void bad_lines_are_reported_by_their_numbers(void **state)
{
	struct test *t = *state;

	capture(t, "# tracer: nop\n"
		   "cpus=2\n"
		   "\n"
		   "##### CPU 1 buffer started ####\n"
		   "a-1 [0] ..... 1.000100: tracing_mark_write: two\n"
		   "lines\n"
		   "a-1 [0] ..... 1.000200: kernel_stack: <stack trace>\n"
		   " => do_syscall_64\n"
		   "a-1 [0] ..... 1.000300: sys_read(fd: 3)\n"
		   "bad line\n"
		   "a-1 [0] ..... 1.000400: sys_rea");
	record(t, READ, 1, 100000);
	finish(t);
	assert_int_equal(t->kernel.text.events, 4);
	assert_int_equal(t->kernel.text.bad, 1);
	assert_int_equal(t->bad_line, 10);
}

/* The rest of a long line is skipped, and memory does not grow. */
static void only_the_next_moments_are_in_memory(void **state)
{
	struct test *t = *state;
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);

	for (unsigned int i = 0; i < 100000; i++) {
		fprintf(file, "a-%u [0] ..... 1.%06u: sys_read(%s)\n", 1 + i / 2 % 2, i,
			i % 1000 ? "" : "a long line ");
		fprintf(file, "a-%u [0] ..... 1.%06u: sys_read -> 0x0\n", 1 + i / 2 % 2, i);
	}
	fclose(file);
	capture(t, text);
	record(t, READ, 1, 0);
	for (unsigned int i = 0; i < 1000; i++) {
		record(t, COPY, 2, i * 100000);
		record(t, COPY_END, 2, i * 100000 + 50000);
	}
	record(t, READ_END_, 1, 100000000);
	finish(t);
	assert_int_equal(t->kernel.text.bad, 0);
	assert_in_range(t->kernel.ahead.capacity, 1, 1024);
	assert_true(frame_at(t, "read;sys_read")->count > 49000);
	free(text);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_happens_in_a_scope_is_a_frame_of_it),
		CASE(rounding_moves_nothing_into_another_scope),
		CASE(the_recording_process_is_not_in_the_kernel),
		CASE(what_lost_its_end_takes_no_time),
		CASE(raw_and_named_system_calls_are_one),
		CASE(a_number_of_two_threads_is_reported),
		CASE(bad_lines_are_reported_by_their_numbers),
		CASE(only_the_next_moments_are_in_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
