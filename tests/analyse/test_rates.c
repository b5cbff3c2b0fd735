/* SPDX-License-Identifier: MIT */
/*
 * Rates of records made by hand: windows, rows by event, thread and category, their order, parts
 * and filter, losses, the latencies of scopes and lives, and the values of a field.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/rate_rows.h"
#include "scope_events.h"

#define PID 10
#define SECOND INT64_C(1000000000)

/* A life with a number as its key, and one with a text. */
static struct arg key_args[] = {
	{ .name = "req", .type = { .class = TYPE_INTEGER, .size64 = 4 }, .is_key = true }
};
static struct arg text_args[] = {
	{ .name = "name", .type = { .class = TYPE_STRING, .size64 = 8 }, .is_key = true }
};
static struct event submit_event = {
	.args = key_args, .arg_count = 1, .life = "io", .life_part = LIFE_BEGIN
};
static struct event done_event = {
	.args = key_args, .arg_count = 1, .life = "io", .life_part = LIFE_END
};
static struct event open_event = {
	.args = text_args, .arg_count = 1, .life = "file", .life_part = LIFE_BEGIN
};
static struct event close_event = {
	.args = text_args, .arg_count = 1, .life = "file", .life_part = LIFE_END
};

enum { SUBMIT, DONE, OPEN, CLOSE, DISK_READ, DISK_WRITE, SCOPE, SCOPE_END, CLASSES };

static struct event_class classes[] = {
	{ .name = "submit", .index = SUBMIT, .event = &submit_event },
	{ .name = "done", .index = DONE, .event = &done_event },
	{ .name = "open", .index = OPEN, .event = &open_event },
	{ .name = "close", .index = CLOSE, .event = &close_event },
	{ .name = "disk:read", .index = DISK_READ },
	{ .name = "disk:write", .index = DISK_WRITE },
	{ .name = "span", .index = SCOPE, .event = &begin_event },
	{ .name = "span_end", .index = SCOPE_END, .event = &end_event },
};

struct test {
	struct reader reader;
	struct rates rates;
	struct rates_view view;
	struct rates_rows rows;
};

static int setup(void **state)
{
	static struct test t;

	t = (struct test){ 0 };
	for (size_t i = 0; i < CLASSES; i++) {
		vec_push(&t.reader.classes.all, &classes[i]);
	}
	rates_init(&t.rates, 0);
	rates_use(&t.rates, &t.reader);
	*state = &t;
	return 0;
}

static int teardown(void **state)
{
	struct test *t = *state;

	rates_rows_fini(&t->rows);
	rates_fini(&t->rates);
	vec_fini(&t->view.expanded);
	vec_fini(&t->reader.classes.all);
	return 0;
}

static void add_value(struct test *t, int class, uint32_t tid, struct value value, uint64_t ns)
{
	const struct value values[] = { value, { .number = tid } };
	const struct record rec = {
		.pid = PID, .tid = tid, .ns = ns, .class = &classes[class], .values = values
	};

	rates_add(&t->rates, &rec);
}

static void add(struct test *t, int class, uint32_t tid, uint64_t number, uint64_t ns)
{
	add_value(t, class, tid, (struct value){ .number = number }, ns);
}

static void add_many(struct test *t, int class, uint32_t tid, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		add(t, class, tid, 0, 0);
	}
}

static void add_text(struct test *t, int class, const char *text, uint64_t ns)
{
	const struct value value = {
		.kind = VALUE_STRING, .text = text, .length = (uint32_t)strlen(text)
	};

	add_value(t, class, 1, value, ns);
}

static void lose(struct test *t, uint32_t tid, uint64_t lost)
{
	const struct record rec = {
		.kind = RECORD_GAP, .pid = PID, .tid = tid, .gap = { .lost = lost }
	};

	rates_add(&t->rates, &rec);
}

static const struct rates_row *row(struct test *t, size_t index)
{
	rates_rows_fini(&t->rows);
	rates_rows_make(&t->rows, &t->rates, &t->view);
	assert_true(index < t->rows.all.count);
	return &t->rows.all.items[index];
}

static void windows_divide_the_time(void **state)
{
	struct test *t = *state;

	add_many(t, DISK_READ, 1, 300);
	add_many(t, DISK_READ, 2, 100);
	rates_turn(&t->rates, 2 * SECOND);
	assert_int_equal(row(t, 0)->events, 400);
	assert_true(row(t, 0)->rate == 200);
	add_many(t, DISK_READ, 2, 50);
	assert_true(row(t, 0)->rate == 200);
	rates_turn(&t->rates, 2 * SECOND + SECOND / 2);
	assert_int_equal(row(t, 0)->events, 450);
	assert_int_equal(row(t, 0)->window, 50);
	assert_true(row(t, 0)->rate == 100);
	assert_int_equal(t->rates.window, 50);
	rates_turn(&t->rates, 4 * SECOND);
	assert_int_equal(row(t, 0)->events, 450);
	assert_true(row(t, 0)->rate == 0);
}

static void a_window_of_no_time_has_no_rate(void **state)
{
	struct test *t = *state;

	add_many(t, DISK_READ, 1, 3);
	rates_turn(&t->rates, 0);
	assert_int_equal(row(t, 0)->window, 3);
	assert_true(row(t, 0)->rate == 0);
	rates_turn(&t->rates, -SECOND);
	assert_true(rates_seconds(&t->rates) == 0);
}

static void skipped_time_does_not_count(void **state)
{
	struct test *t = *state;

	add_many(t, DISK_READ, 1, 100);
	rates_skip(&t->rates, 3 * SECOND);
	rates_turn(&t->rates, 4 * SECOND);
	assert_true(row(t, 0)->rate == 100);
	rates_turn(&t->rates, 5 * SECOND);
	assert_true(rates_seconds(&t->rates) == 1);
}

static void rows_are_by_thread_and_category(void **state)
{
	struct test *t = *state;

	add_many(t, DISK_READ, 1, 5);
	add_many(t, DISK_WRITE, 2, 3);
	add_many(t, SUBMIT, 2, 4);
	rates_turn(&t->rates, SECOND);
	t->view.by = RATES_BY_THREAD;
	assert_int_equal(row(t, 0)->key.tid, 2);
	assert_null(row(t, 0)->name);
	assert_int_equal(row(t, 0)->events, 7);
	assert_int_equal(row(t, 1)->key.tid, 1);
	assert_int_equal(t->rows.all.count, 2);
	t->view.by = RATES_BY_CATEGORY;
	assert_string_equal(row(t, 0)->name, "disk");
	assert_int_equal(row(t, 0)->events, 8);
	assert_string_equal(row(t, 1)->name, "");
	assert_int_equal(row(t, 1)->events, 4);
	assert_int_equal(t->rows.all.count, 2);
}

static void rows_have_an_order(void **state)
{
	struct test *t = *state;

	add_many(t, DISK_READ, 1, 5);
	add_many(t, DISK_WRITE, 1, 5);
	add_many(t, SUBMIT, 1, 9);
	rates_turn(&t->rates, SECOND);
	add_many(t, DISK_WRITE, 1, 1);
	rates_turn(&t->rates, 2 * SECOND);
	assert_string_equal(row(t, 0)->name, "disk:write");
	assert_string_equal(row(t, 1)->name, "submit");
	t->view.order = RATES_ORDER_EVENTS;
	assert_string_equal(row(t, 0)->name, "submit");
	assert_string_equal(row(t, 1)->name, "disk:write");
	t->view.order = RATES_ORDER_NAME;
	assert_string_equal(row(t, 0)->name, "disk:read");
	assert_string_equal(row(t, 2)->name, "submit");
}

static void a_filter_selects_events(void **state)
{
	struct test *t = *state;
	struct name_pattern filter = { .text = "disk:*" };

	add_many(t, DISK_READ, 1, 5);
	add_many(t, SUBMIT, 2, 4);
	rates_turn(&t->rates, SECOND);
	t->view.filter = &filter;
	assert_string_equal(row(t, 0)->name, "disk:read");
	assert_int_equal(t->rows.all.count, 1);
	t->view.by = RATES_BY_THREAD;
	assert_int_equal(row(t, 0)->events, 5);
	assert_int_equal(t->rows.all.count, 1);
}

static void losses_are_of_threads(void **state)
{
	struct test *t = *state;

	add_many(t, DISK_READ, 1, 5);
	add_many(t, DISK_READ, 2, 1);
	lose(t, 2, 7);
	rates_turn(&t->rates, SECOND);
	lose(t, 2, 1);
	rates_turn(&t->rates, 2 * SECOND);
	assert_int_equal(t->rates.losses.lost, 8);
	assert_int_equal(t->rates.window_lost, 1);
	row(t, 0);
	assert_int_equal(t->rows.all.count, 1);
	t->view.by = RATES_BY_THREAD;
	t->view.order = RATES_ORDER_LOST;
	assert_int_equal(row(t, 0)->key.tid, 2);
	assert_int_equal(row(t, 0)->losses.lost, 8);
	assert_int_equal(row(t, 0)->window_lost, 1);
	assert_int_equal(row(t, 1)->losses.lost, 0);
}

static void a_row_shows_its_parts(void **state)
{
	struct test *t = *state;

	add_many(t, DISK_READ, 1, 5);
	add_many(t, DISK_READ, 2, 6);
	add_many(t, SUBMIT, 2, 4);
	rates_turn(&t->rates, SECOND);
	struct rates_row_key key = row(t, 0)->key;

	rates_view_toggle(&t->view, &key);
	assert_int_equal(row(t, 1)->key.tid, 2);
	assert_int_equal(row(t, 1)->events, 6);
	assert_true(row(t, 1)->is_part);
	assert_int_equal(row(t, 2)->events, 5);
	assert_string_equal(row(t, 3)->name, "submit");
	assert_int_equal(t->rows.all.count, 4);
	rates_view_toggle(&t->view, &key);
	row(t, 0);
	assert_int_equal(t->rows.all.count, 2);
	t->view.by = RATES_BY_CATEGORY;
	key = row(t, 0)->key;
	rates_view_toggle(&t->view, &key);
	assert_string_equal(row(t, 1)->name, "disk:read");
	assert_int_equal(t->rows.all.count, 3);
}

static char *text_of(const struct arg *arg, const struct value *value)
{
	char text[32];

	(void)arg;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value->number);
	return xstrdup(text);
}

static void assert_row(
	struct test *t, size_t index, const char *name, uint64_t events, uint64_t window)
{
	const struct rates_row *r = row(t, index);

	if (name) {
		assert_string_equal(r->name, name);
	} else {
		assert_null(r->name);
	}
	assert_int_equal(r->events, events);
	assert_int_equal(r->window, window);
}

static void values_are_parts_of_their_event(void **state)
{
	struct test *t = *state;

	t->rates.value_text = text_of;
	add(t, SUBMIT, 1, 7, 1);
	rates_turn(&t->rates, SECOND);
	struct rates_row_key key = { .by = RATES_BY_VALUE, .name = row(t, 0)->key.name };

	rates_view_toggle(&t->view, &key);
	row(t, 0);
	assert_int_equal(t->rows.all.count, 1); /* they are not counted yet */
	assert_true(rates_count_values(&t->rates, key.name));
	for (uint64_t i = 0; i < 9; i++) {
		add(t, SUBMIT, 1 + i % 2, i % 3 == 0 ? 8 : 7, 1);
		add(t, DISK_READ, 1, 7, 1);
	}
	rates_turn(&t->rates, 3 * SECOND);
	assert_row(t, 0, "submit", 10, 9);
	assert_row(t, 1, "7", 6, 6);
	assert_true(row(t, 1)->is_part);
	assert_true(row(t, 1)->rate == 3);
	assert_string_equal(row(t, 1)->field, "req");
	assert_row(t, 2, "8", 3, 3);
	assert_row(t, 3, "disk:read", 9, 9);
	assert_int_equal(t->rows.all.count, 4);
	assert_false(rates_count_values(&t->rates, row(t, 3)->key.name));
	add(t, SUBMIT, 1, 8, 1);
	rates_turn(&t->rates, 4 * SECOND);
	assert_row(t, 1, "8", 4, 1);
	assert_row(t, 2, "7", 6, 0);
	rates_view_toggle(&t->view, &key);
	row(t, 0);
	assert_int_equal(t->rows.all.count, 2);
}

static void texts_are_values(void **state)
{
	static char text[1000];
	struct test *t = *state;

	memset(text, 'x', sizeof(text) - 1);
	t->rates.value_text = text_of;
	t->rates.per = "name";
	t->view.has_values = true;
	add_text(t, OPEN, "a", 0);
	add_text(t, OPEN, text, 0); /* too long to be kept */
	add_text(t, OPEN, "", 0);
	add_text(t, OPEN, "a", 0);
	add(t, SUBMIT, 1, 7, 1);
	rates_turn(&t->rates, SECOND);
	assert_row(t, 0, "open", 4, 4);
	assert_row(t, 1, "a", 2, 2);
	assert_row(t, 2, "", 1, 1);
	assert_row(t, 3, NULL, 1, 1);
	assert_row(t, 4, "submit", 1, 1);
	assert_int_equal(t->rows.all.count, 5);
}

/* Most values happen once; two among them again and again, the second only later. */
static void the_busiest_of_many_values_are_kept(void **state)
{
	struct test *t = *state;
	uint64_t number = 1000;

	t->rates.value_text = text_of;
	t->rates.per = RATES_PER_KEY;
	t->view.has_values = true;
	for (int64_t window = 1; window <= 5; window++) {
		for (unsigned int i = 0; i < 10 * VALUE_COUNTS_MAX; i++) {
			add(t, SUBMIT, 1, i % 8 ? number++ : 5, 1);
			if (window > 2 && i % 4 == 0) {
				add(t, SUBMIT, 1, 6, 1);
			}
		}
		rates_turn(&t->rates, window * SECOND);
		uint64_t sum = 0;
		uint64_t window_sum = 0;
		uint64_t all = row(t, 0)->events;
		uint64_t all_window = t->rows.all.items[0].window;

		assert_int_equal(t->rows.all.count, 1 + RATES_VALUES_SHOWN + 1);
		for (size_t i = 1; i < t->rows.all.count; i++) {
			sum += t->rows.all.items[i].events;
			window_sum += t->rows.all.items[i].window;
		}
		assert_int_equal(sum, all);
		assert_int_equal(window_sum, all_window);
	}
	assert_row(t, 1, "6", 3 * 10 * VALUE_COUNTS_MAX / 4, 10 * VALUE_COUNTS_MAX / 4);
	assert_row(t, 2, "5", 5 * 10 * VALUE_COUNTS_MAX / 8, 10 * VALUE_COUNTS_MAX / 8);
	assert_null(row(t, RATES_VALUES_SHOWN + 1)->name);
	assert_true(t->rates.names.items[0].values->all.count <= VALUE_COUNTS_MAX);
}

/* The row of an event. */
static const struct rates_row *row_of(struct test *t, const char *name)
{
	row(t, 0);
	vec_foreach (const struct rates_row *, r, &t->rows.all) {
		if (strcmp(r->name, name) == 0) {
			return r;
		}
	}
	fail();
	return NULL;
}

static void lives_have_latencies(void **state)
{
	struct test *t = *state;

	add(t, SUBMIT, 1, 1, 100);
	add(t, SUBMIT, 1, 2, 110);
	add(t, DONE, 2, 2, 130); /* on another thread */
	add(t, DONE, 2, 1, 150);
	add(t, DONE, 2, 3, 160); /* never begun */
	rates_turn(&t->rates, SECOND);
	assert_int_equal(row_of(t, "done")->last.count, 2);
	assert_int_equal(row_of(t, "done")->last.p50, 20);
	assert_int_equal(row_of(t, "done")->last.max, 50);
	assert_int_equal(row_of(t, "submit")->all.count, 0);
	add(t, SUBMIT, 1, 1, 200);
	add(t, SUBMIT, 1, 1, 210); /* begun twice: the first one has no end */
	add(t, DONE, 1, 1, 220);
	rates_turn(&t->rates, 2 * SECOND);
	assert_int_equal(row_of(t, "done")->last.count, 1);
	assert_int_equal(row_of(t, "done")->last.max, 10);
	assert_int_equal(row_of(t, "done")->all.count, 3);
	assert_int_equal(row_of(t, "done")->all.max, 50);
	rates_turn(&t->rates, 3 * SECOND);
	assert_int_equal(row_of(t, "done")->last.count, 0);
	t->view.order = RATES_ORDER_P99;
	assert_string_equal(row(t, 0)->name, "done");
}

static void keys_may_be_texts(void **state)
{
	struct test *t = *state;

	for (unsigned int i = 0; i < 3; i++) {
		add_text(t, OPEN, "a", 100);
		add_text(t, OPEN, "b", 110);
		add_text(t, OPEN, "b", 120);
		add_text(t, CLOSE, "c", 125);
		add_text(t, CLOSE, "b", 127);
		add_text(t, CLOSE, "a", 130);
	}
	rates_turn(&t->rates, SECOND);
	assert_int_equal(row_of(t, "close")->last.count, 6);
	assert_int_equal(row_of(t, "close")->last.p50, 7);
	assert_int_equal(row_of(t, "close")->last.max, 30);
	assert_true(tuples_find(&t->rates.tuples, "a", 1) == TUPLES_NONE);
	assert_int_equal(pairs_open(&t->rates.pairs), 0);
}

static void scopes_have_latencies(void **state)
{
	struct test *t = *state;

	add(t, SCOPE, 1, PAIRS_FIRST_SYNC, 100);
	add(t, SCOPE_END, 1, PAIRS_FIRST_SYNC, 140);
	rates_turn(&t->rates, SECOND);
	assert_int_equal(row_of(t, "span_end")->last.max, 40);
	t->view.by = RATES_BY_THREAD;
	assert_int_equal(row(t, 0)->all.max, 40);
}

/* Keys are used again: after lost events, an end may be of another begin than the open one. */
static void lives_have_no_latency_across_a_gap(void **state)
{
	struct test *t = *state;

	add(t, SUBMIT, 1, 7, 1000);
	lose(t, 2, 1); /* of any thread: each may end a life */
	add(t, DONE, 1, 7, 1900);
	assert_int_equal(t->rates.broken, 1);
	add(t, SUBMIT, 1, 7, 2000);
	add(t, DONE, 1, 7, 2300);
	assert_int_equal(t->rates.broken, 1);
	add(t, SUBMIT, 1, 7, 3000);
	add(t, SUBMIT, 1, 7, 4000);
	add(t, DONE, 1, 7, 4400);
	assert_int_equal(t->rates.begun_twice, 1);
	add(t, SUBMIT, 1, 7, 5000);
	lose(t, 1, 2);
	add(t, SUBMIT, 1, 7, 6000);
	assert_int_equal(t->rates.broken, 2);
	assert_int_equal(t->rates.begun_twice, 1);
	assert_int_equal(row_of(t, "done")->all.count, 2);
	assert_int_equal(row_of(t, "done")->all.max, 400);
}

/* The number of a scope is used once: its end is its own. */
static void scopes_have_latencies_across_a_gap(void **state)
{
	struct test *t = *state;

	add(t, SCOPE, 1, 4, 1000);
	lose(t, 1, 1);
	add(t, SCOPE_END, 1, 4, 1900);
	assert_int_equal(t->rates.broken, 0);
	assert_int_equal(row_of(t, "span_end")->all.max, 900);
}

static void another_reader_goes_on(void **state)
{
	struct test *t = *state;
	struct reader other = { 0 };

	add(t, SUBMIT, 1, 1, 100);
	vec_push(&other.classes.all, &classes[SUBMIT]);
	vec_push(&other.classes.all, &classes[DONE]);
	rates_use(&t->rates, &other);
	add(t, SUBMIT, 1, 2, 200);
	add(t, DONE, 1, 1, 210); /* begun before */
	add(t, DONE, 1, 2, 220);
	rates_turn(&t->rates, SECOND);
	assert_int_equal(row_of(t, "submit")->events, 2);
	assert_int_equal(row_of(t, "done")->last.count, 1);
	assert_int_equal(row_of(t, "done")->last.max, 20);
	rates_use(&t->rates, &t->reader);
	vec_fini(&other.classes.all);
}

static void memory_is_bounded(void **state)
{
	struct test *t = *state;

	for (uint32_t tid = 1; tid <= RATES_CELLS_MAX + 100; tid++) {
		add_many(t, DISK_READ, tid, 2);
	}
	for (uint64_t req = 0; req <= RATES_OPEN_MAX; req++) {
		add(t, SUBMIT, 1, req, 100);
	}
	rates_turn(&t->rates, SECOND);
	assert_true(t->rates.cells.count <= RATES_CELLS_MAX + 2);
	assert_int_equal(row_of(t, "disk:read")->events, 2 * (RATES_CELLS_MAX + 100));
	assert_int_equal(t->rates.dropped, RATES_OPEN_MAX);
	assert_int_equal(pairs_open(&t->rates.pairs), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(windows_divide_the_time, setup, teardown),
		cmocka_unit_test_setup_teardown(a_window_of_no_time_has_no_rate, setup, teardown),
		cmocka_unit_test_setup_teardown(skipped_time_does_not_count, setup, teardown),
		cmocka_unit_test_setup_teardown(rows_are_by_thread_and_category, setup, teardown),
		cmocka_unit_test_setup_teardown(rows_have_an_order, setup, teardown),
		cmocka_unit_test_setup_teardown(a_filter_selects_events, setup, teardown),
		cmocka_unit_test_setup_teardown(losses_are_of_threads, setup, teardown),
		cmocka_unit_test_setup_teardown(a_row_shows_its_parts, setup, teardown),
		cmocka_unit_test_setup_teardown(values_are_parts_of_their_event, setup, teardown),
		cmocka_unit_test_setup_teardown(texts_are_values, setup, teardown),
		cmocka_unit_test_setup_teardown(
			the_busiest_of_many_values_are_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(lives_have_latencies, setup, teardown),
		cmocka_unit_test_setup_teardown(keys_may_be_texts, setup, teardown),
		cmocka_unit_test_setup_teardown(scopes_have_latencies, setup, teardown),
		cmocka_unit_test_setup_teardown(
			lives_have_no_latency_across_a_gap, setup, teardown),
		cmocka_unit_test_setup_teardown(
			scopes_have_latencies_across_a_gap, setup, teardown),
		cmocka_unit_test_setup_teardown(another_reader_goes_on, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_is_bounded, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
