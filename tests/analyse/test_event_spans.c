/* SPDX-License-Identifier: MIT */
/* The time from one event to another on a thread, and its parts, to the nanosecond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/kernel.h"
#include "analyse/stacks.h"
#include "base/memory.h"
#include "scope_events.h"

#define PID 10

/* A vCPU exits, devices act, and it enters again; `halt` ends one exit and begins another. */
enum { EXIT, ENTER, HALT, DEVICE, READ, READ_END_, CLASSES };

static struct arg number_args[] = {
	{ .name = "number", .type = { .class = TYPE_INTEGER, .size64 = 8 } },
};
static struct event number_event = { .args = number_args, .arg_count = 1 };
static struct event_class classes[] = {
	{ .name = "exit", .index = EXIT, .event = &number_event },
	{ .name = "enter", .index = ENTER, .event = &number_event },
	{ .name = "halt", .index = HALT, .event = &number_event },
	{ .name = "device", .index = DEVICE, .event = &number_event },
	{ .name = "read", .index = READ, .event = &begin_event },
	{ .name = "read_end", .index = READ_END_, .event = &end_event },
};

struct test {
	struct class_table table;
	struct event_spans spans;
	struct stacks stacks;
};

static char *text_of(const struct arg *arg, const struct value *value)
{
	char text[32];

	(void)arg;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value->number);
	return xstrdup(text);
}

static int setup(void **state)
{
	static struct test t;
	static const char *const events[] = { "/^(exit|halt)$/", "/^(enter|halt)$/", "device" };
	char why[100];

	t = (struct test){ .spans = { .text = text_of, .per = { "number" }, .per_count = 1 } };
	for (size_t i = 0; i < CLASSES; i++) {
		vec_push(&t.table.all, &classes[i]);
	}
	for (size_t side = 0; side < EVENT_SIDES; side++) {
		assert_true(
			name_pattern_read(&t.spans.events[side], events[side], why, sizeof(why)));
	}
	stacks_init(&t.stacks, &t.table,
		&(struct stacks_options){ .by = STACKS_BY_NAME, .events = &t.spans });
	*state = &t;
	return 0;
}

static int teardown(void **state)
{
	struct test *t = *state;

	stacks_fini(&t->stacks);
	event_spans_fini(&t->spans);
	for (size_t side = 0; side < EVENT_SIDES; side++) {
		name_pattern_fini(&t->spans.events[side]);
	}
	vec_fini(&t->table.all);
	return 0;
}

/* Adds an event of a thread, with its number or the number of its scope. */
static void add(struct test *t, int class, uint32_t tid, uint64_t number, uint64_t ns)
{
	const struct value values[] = { { .number = number }, { .number = tid } };
	const struct record rec = { .pid = PID, .tid = tid, .ns = ns, .class = &classes[class] };

	stacks_see(&t->stacks, ns);
	assert_true(stacks_wants(&t->stacks, &rec));
	stacks_add(&t->stacks, &rec, values);
}

static void lose(struct test *t, uint32_t tid, uint64_t ns)
{
	const struct record gap = { .kind = RECORD_GAP, .pid = PID, .tid = tid, .ns = ns };

	stacks_add(&t->stacks, &gap, NULL);
}

/* Returns the frame of a name below the frame of another, or below the root. */
static const struct stack_frame *frame_of(const struct test *t, const char *in, const char *name)
{
	vec_foreach (const struct stack_frame *, f, &t->stacks.frames) {
		const struct stack_frame *parent = &t->stacks.frames.items[f->parent];
		bool is_in =
			in ? parent->kind == STACK_SCOPE &&
					strcmp(t->stacks.pairs.names.items[parent->id], in) == 0
			   : parent->kind == STACK_ROOT;

		if (f->kind == STACK_SCOPE && is_in &&
			strcmp(t->stacks.pairs.names.items[f->id], name) == 0) {
			return f;
		}
	}
	return NULL;
}

static void assert_frame(
	const struct test *t, const char *in, const char *name, uint64_t self, uint64_t count)
{
	const struct stack_frame *f = frame_of(t, in, name);

	print_message("%s in %s\n", name, in ? in : "nothing");
	assert_non_null(f);
	assert_int_equal(f->self_ns, self);
	assert_int_equal(f->count, count);
}

static void assert_unpaired(const struct test *t, struct unpaired wanted)
{
	assert_memory_equal(&t->stacks.unpaired, &wanted, sizeof(wanted));
}

static void parts_have_all_time_of_a_span(void **state)
{
	struct test *t = *state;

	add(t, EXIT, 1, 2, 100);
	add(t, DEVICE, 1, 7, 110);
	add(t, DEVICE, 1, 8, 130);
	add(t, DEVICE, 1, 7, 160);
	add(t, ENTER, 1, 0, 200);
	add(t, EXIT, 1, 2, 1000);
	add(t, ENTER, 1, 0, 1005);
	add(t, DEVICE, 1, 9, 1010);
	add(t, EXIT, 1, 3, 2000);
	add(t, DEVICE, 1, 7, 2001);
	add(t, ENTER, 1, 0, 2002);
	stacks_end(&t->stacks);
	assert_frame(t, NULL, "exit 2", 5, 2);
	assert_frame(t, "exit 2", "device 7", 30 + 40, 2);
	assert_frame(t, "exit 2", "device 8", 30, 1);
	assert_frame(t, NULL, "exit 3", 0, 1);
	assert_frame(t, "exit 3", "device 7", 2, 1);
	assert_null(frame_of(t, NULL, "device 9"));
	assert_unpaired(t, (struct unpaired){ 0 });
}

static void threads_are_apart(void **state)
{
	struct test *t = *state;

	add(t, EXIT, 1, 2, 100);
	add(t, EXIT, 2, 2, 110);
	add(t, DEVICE, 2, 7, 120);
	add(t, ENTER, 1, 0, 130);
	add(t, DEVICE, 1, 8, 140);
	add(t, ENTER, 2, 0, 150);
	add(t, ENTER, 1, 0, 160);
	stacks_end(&t->stacks);
	assert_frame(t, NULL, "exit 2", 30, 2);
	assert_frame(t, "exit 2", "device 7", 40, 1);
	assert_null(frame_of(t, "exit 2", "device 8"));
	assert_unpaired(t, (struct unpaired){ .unbegun = 1 });
}

static void an_event_ends_one_span_and_begins_the_next(void **state)
{
	struct test *t = *state;

	add(t, HALT, 1, 1, 100);
	add(t, HALT, 1, 2, 150);
	add(t, DEVICE, 1, 7, 160);
	add(t, ENTER, 1, 0, 170);
	stacks_end(&t->stacks);
	assert_frame(t, NULL, "halt 1", 50, 1);
	assert_frame(t, NULL, "halt 2", 0, 1);
	assert_frame(t, "halt 2", "device 7", 20, 1);
	assert_unpaired(t, (struct unpaired){ .unbegun = 1 }); /* by the first `halt` */
}

static void what_began_twice_is_dropped(void **state)
{
	struct test *t = *state;

	add(t, EXIT, 1, 1, 100);
	add(t, DEVICE, 1, 7, 110);
	add(t, EXIT, 1, 2, 150);
	add(t, ENTER, 1, 0, 170);
	stacks_end(&t->stacks);
	assert_frame(t, NULL, "exit 2", 20, 1);
	assert_frame(t, NULL, "exit 1", 0, 0);
	assert_frame(t, "exit 1", "device 7", 0, 0);
	assert_unpaired(t, (struct unpaired){ .begun_twice = 1 });
}

static void no_span_is_guessed_across_lost_events(void **state)
{
	struct test *t = *state;

	add(t, EXIT, 1, 1, 100);
	add(t, DEVICE, 1, 7, 110);
	lose(t, 1, 115);
	add(t, DEVICE, 1, 8, 120);
	add(t, ENTER, 1, 0, 130);
	add(t, EXIT, 1, 2, 200);
	lose(t, 1, 210);
	add(t, EXIT, 1, 3, 220);
	lose(t, 2, 225);
	add(t, ENTER, 1, 0, 230);
	lose(t, 1, 240);
	add(t, ENTER, 1, 0, 250);
	stacks_end(&t->stacks);
	assert_frame(t, NULL, "exit 1", 0, 0);
	assert_frame(t, "exit 1", "device 7", 0, 0);
	assert_null(frame_of(t, "exit 1", "device 8"));
	assert_frame(t, NULL, "exit 2", 0, 0);
	assert_frame(t, NULL, "exit 3", 10, 1);
	assert_unpaired(t, (struct unpaired){ .end_lost = 2, .begin_lost = 2 });
}

static void scopes_and_spans_contain_each_other(void **state)
{
	struct test *t = *state;

	add(t, READ, 1, SYNC, 100);
	add(t, EXIT, 1, 1, 110);
	add(t, DEVICE, 1, 7, 120);
	add(t, READ, 1, SYNC + 1, 130);
	add(t, DEVICE, 1, 8, 140); /* in the scope, whose time it is */
	add(t, READ_END_, 1, SYNC + 1, 150);
	add(t, ENTER, 1, 0, 165);
	add(t, READ_END_, 1, SYNC, 200);
	stacks_end(&t->stacks);
	assert_frame(t, NULL, "read", 45, 1);
	assert_frame(t, "read", "exit 1", 0, 1);
	assert_frame(t, "exit 1", "device 7", 35, 1);
	assert_frame(t, "device 7", "read", 20, 1);
	assert_null(frame_of(t, "exit 1", "device 8"));
	assert_unpaired(t, (struct unpaired){ 0 });
}

static void a_scope_before_the_first_part_keeps_its_time(void **state)
{
	struct test *t = *state;

	add(t, EXIT, 1, 1, 100);
	add(t, READ, 1, SYNC, 110);
	add(t, READ_END_, 1, SYNC, 140);
	add(t, DEVICE, 1, 7, 150);
	add(t, ENTER, 1, 0, 170);
	stacks_end(&t->stacks);
	assert_frame(t, NULL, "exit 1", 0, 1);
	assert_frame(t, "exit 1", "read", 30, 1);
	assert_frame(t, "exit 1", "device 7", 40, 1);
}

static void unfinished_spans_count_if_wanted(void **state)
{
	struct test *t = *state;

	t->stacks.options.with_unfinished = true;
	add(t, EXIT, 1, 1, 100);
	add(t, DEVICE, 1, 7, 110);
	add(t, EXIT, 2, 3, 120);
	add(t, DEVICE, 1, 8, 150);
	stacks_end(&t->stacks);
	assert_frame(t, NULL, "exit 1", 0, 1);
	assert_frame(t, "exit 1", "device 7", 50, 1);
	assert_frame(t, "exit 1", "device 8", 0, 1);
	assert_frame(t, NULL, "exit 3", 30, 1);
	assert_unpaired(t, (struct unpaired){ .unfinished = 2 });
}

static void records_without_a_thread_are_left_out(void **state)
{
	struct test *t = *state;

	add(t, EXIT, 0, 1, 100);
	add(t, ENTER, 0, 0, 200);
	stacks_end(&t->stacks);
	assert_true(t->spans.lacks_threads);
	assert_int_equal(t->stacks.frames.count, 1);
	assert_unpaired(t, (struct unpaired){ 0 });
}

static void the_kernels_events_lie_in_parts(void **state)
{
	static const char capture[] = "# tracer: nop\n"
				      "a-1 [0] ..... 0.000120: sys_read(fd: 3)\n"
				      "a-1 [0] ..... 0.000150: sys_read -> 0x0\n"
				      "a-1 [0] ..... 0.000250: sys_write(fd: 3)\n"
				      "a-1 [0] ..... 0.000290: sys_write -> 0x0\n";
	struct test *t = *state;
	struct kernel kernel;
	struct kernel_text text = { .file = fmemopen((void *)capture, strlen(capture), "r") };
	struct read_error error;
	static const struct {
		int class;
		uint64_t ns;
	} records[] = { { EXIT, 100000 }, { DEVICE, 200000 }, { ENTER, 300000 } };

	assert_non_null(text.file);
	kernel_init(&kernel, &t->stacks, &text);
	for (size_t i = 0; i < 3; i++) {
		const struct value values[] = { { .number = i } };
		const struct record rec = { .pid = PID,
			.tid = 1,
			.ns = records[i].ns,
			.class = &classes[records[i].class] };

		kernel_add(&kernel, &rec, values);
	}
	kernel_end(&kernel);
	stacks_end(&t->stacks);
	assert_frame(t, NULL, "exit 0", 0, 1);
	assert_frame(t, "exit 0", "device 1", 200000 - 30000 - 40000, 1);
	assert_int_equal(kernel.within, 2);
	assert_int_equal(kernel.at_odds + kernel.unended, 0);
	assert_true(kernel_text_close(&kernel.text, &error));
	kernel_fini(&kernel);
}

static void too_many_names_are_an_error(void **state)
{
	struct test *t = *state;

	for (uint64_t i = 0; i <= EVENT_SPANS_NAMES_MAX; i++) {
		assert_string_equal(t->spans.error, "");
		add(t, EXIT, 1, i, 2 * i);
		add(t, ENTER, 1, 0, 2 * i + 1);
	}
	assert_string_equal(t->spans.error, "--per makes more than 100000 names, too many to draw");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(parts_have_all_time_of_a_span, setup, teardown),
		cmocka_unit_test_setup_teardown(threads_are_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(
			an_event_ends_one_span_and_begins_the_next, setup, teardown),
		cmocka_unit_test_setup_teardown(what_began_twice_is_dropped, setup, teardown),
		cmocka_unit_test_setup_teardown(
			no_span_is_guessed_across_lost_events, setup, teardown),
		cmocka_unit_test_setup_teardown(
			scopes_and_spans_contain_each_other, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_scope_before_the_first_part_keeps_its_time, setup, teardown),
		cmocka_unit_test_setup_teardown(unfinished_spans_count_if_wanted, setup, teardown),
		cmocka_unit_test_setup_teardown(
			records_without_a_thread_are_left_out, setup, teardown),
		cmocka_unit_test_setup_teardown(the_kernels_events_lie_in_parts, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_names_are_an_error, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
