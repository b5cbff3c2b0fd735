/* SPDX-License-Identifier: MIT */
/*
 * Spans of records made by hand: pairs and unpaired records, bounded memory, and the own time of
 * each span.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/match/pairs.h"
#include "scope_events.h"

#define ASYNC (-(INT64_C(1) << 31))
#define PID 10

/* `read` and `write` are scopes; `telescope` is not, but looks like one. */
enum { READ, READ_END_, WRITE, WRITE_END, TELESCOPE, CLASSES };

static struct event_class classes[] = {
	{ .name = "read (4 KiB)", .index = READ, .event = &begin_event },
	{ .name = "read (4 KiB)_end", .index = READ_END_, .event = &end_event },
	{ .name = "write", .index = WRITE, .event = &begin_event },
	{ .name = "write_end", .index = WRITE_END, .event = &end_event },
	{ .name = "telescope", .index = TELESCOPE, .event = &begin_event },
};

struct test {
	struct class_table table;
	struct pairs pairs;
	uint32_t unfinished;
	uint32_t lost;
};

static int setup(void **state)
{
	static struct test t;

	t = (struct test){ 0 };
	for (size_t i = 0; i < CLASSES; i++) {
		vec_push(&t.table.all, &classes[i]);
	}
	pairs_init(&t.pairs, &t.table);
	*state = &t;
	return 0;
}

static int teardown(void **state)
{
	struct test *t = *state;

	pairs_fini(&t->pairs);
	vec_fini(&t->table.all);
	return 0;
}

static enum pairs_result begin(struct test *t, int class, uint32_t tid, int64_t scope, uint64_t ns)
{
	const struct value values[] = { { .number = (uint64_t)scope } };
	const struct record rec = { .pid = PID, .tid = tid, .ns = ns, .class = &classes[class] };

	return pairs_add(&t->pairs, &rec, values);
}

/* Ends a span of thread `tid` on the thread `on`. */
static enum pairs_result end_on(
	struct test *t, int class, const uint32_t on_tid[2], int64_t scope, uint64_t ns)
{
	const struct value values[] = { { .number = (uint64_t)scope }, { .number = on_tid[1] } };
	const struct record rec = {
		.pid = PID, .tid = on_tid[0], .ns = ns, .class = &classes[class + 1]
	};

	assert_true(pairs_wants(&t->pairs, &rec));
	return pairs_add(&t->pairs, &rec, values);
}

static enum pairs_result end(struct test *t, int class, uint32_t tid, int64_t scope, uint64_t ns)
{
	return end_on(t, class, (const uint32_t[]){ tid, tid }, scope, ns);
}

static void gap(struct test *t, uint32_t tid)
{
	const struct record rec = { .kind = RECORD_GAP, .pid = PID, .tid = tid };

	assert_int_equal(pairs_add(&t->pairs, &rec, NULL), PAIRS_NOTHING);
}

/* A gap that belongs to no process, like one of a processor's buffer. */
static void gap_of_nobody(struct test *t)
{
	const struct record rec = { .kind = RECORD_GAP };

	assert_int_equal(pairs_add(&t->pairs, &rec, NULL), PAIRS_NOTHING);
}

static void count_unfinished(void *data, const struct scope_span *span)
{
	struct test *t = data;

	t->unfinished += !span->is_lost;
	t->lost += span->is_lost;
}

static void unfinished_are(struct test *t, uint32_t unfinished, uint32_t lost)
{
	pairs_unfinished(&t->pairs, count_unfinished, t);
	assert_int_equal(t->unfinished, unfinished);
	assert_int_equal(t->lost, lost);
}

static void a_beginning_and_its_end_are_a_span(void **state)
{
	struct test *t = *state;
	const struct scope_span *s = &t->pairs.span;

	assert_int_equal(begin(t, READ, 1, SYNC, 100), PAIRS_BEGUN);
	assert_int_equal(end(t, READ, 1, SYNC, 130), PAIRS_ENDED);
	assert_string_equal(t->pairs.names.items[s->key.name], "read (4 KiB)");
	assert_int_equal(s->begin_ns, 100);
	assert_int_equal(s->end_ns, 130);
	assert_int_equal(s->self_ns, 30);
	unfinished_are(t, 0, 0);
}

static void what_is_not_the_same_scope_is_no_pair(void **state)
{
	struct test *t = *state;

	begin(t, READ, 1, SYNC, 100);
	assert_int_equal(end(t, READ, 1, SYNC + 1, 110), PAIRS_UNBEGUN);
	assert_int_equal(end(t, READ, 2, SYNC, 110), PAIRS_UNBEGUN);
	assert_int_equal(end(t, WRITE, 1, SYNC, 110), PAIRS_UNBEGUN);
	unfinished_are(t, 1, 0);
}

static void events_that_look_like_scopes_are_none(void **state)
{
	struct test *t = *state;
	const struct record rec = { .pid = PID, .tid = 1, .class = &classes[TELESCOPE] };

	assert_false(pairs_wants(&t->pairs, &rec));
	assert_int_equal(begin(t, TELESCOPE, 1, SYNC, 1), PAIRS_NOTHING);
	unfinished_are(t, 0, 0);
}

static void a_childs_time_is_not_its_parents(void **state)
{
	struct test *t = *state;
	const struct scope_span *s = &t->pairs.span;

	begin(t, READ, 1, SYNC, 100);
	begin(t, WRITE, 1, SYNC + 1, 110);
	begin(t, READ, 2, SYNC + 2, 115); /* of another thread */
	begin(t, READ, 1, ASYNC, 116);
	end(t, WRITE, 1, SYNC + 1, 130);
	assert_int_equal(s->self_ns, 20);
	end(t, READ, 1, SYNC, 200);
	assert_int_equal(s->end_ns - s->begin_ns, 100);
	assert_int_equal(s->self_ns, 80);
	end(t, READ, 2, SYNC + 2, 215);
	assert_int_equal(s->self_ns, 100);
	end(t, READ, 1, ASYNC, 316);
	assert_int_equal(s->self_ns, 200);
	unfinished_are(t, 0, 0);
}

static void scopes_may_end_in_any_order(void **state)
{
	struct test *t = *state;
	const struct scope_span *s = &t->pairs.span;

	begin(t, READ, 1, SYNC, 0);
	begin(t, WRITE, 1, SYNC + 1, 10);
	begin(t, READ, 1, SYNC + 2, 30);
	assert_int_equal(end(t, WRITE, 1, SYNC + 1, 60), PAIRS_ENDED);
	assert_int_equal(s->self_ns, 20);
	assert_int_equal(end(t, READ, 1, SYNC, 100), PAIRS_ENDED);
	assert_int_equal(s->self_ns, 10);
	assert_int_equal(end(t, READ, 1, SYNC + 2, 150), PAIRS_ENDED);
	assert_int_equal(s->self_ns, 120);
}

static void an_asynchronous_scope_ends_on_any_thread(void **state)
{
	struct test *t = *state;
	const struct scope_span *s = &t->pairs.span;

	begin(t, READ, 1, ASYNC, 10);
	begin(t, READ, 2, ASYNC, 20);
	assert_int_equal(end_on(t, READ, (const uint32_t[]){ 3, 1 }, ASYNC, 50), PAIRS_ENDED);
	assert_int_equal(s->begin_ns, 10);
	assert_int_equal(s->end_tid, 3);
	assert_int_equal(s->self_ns, 40);
	assert_false(s->is_nested);
	unfinished_are(t, 1, 0);
}

static void what_is_begun_twice_is_reported(void **state)
{
	struct test *t = *state;

	begin(t, READ, 1, SYNC, 10);
	assert_int_equal(begin(t, READ, 1, SYNC, 20), PAIRS_BEGUN_TWICE);
	assert_int_equal(t->pairs.span.begin_ns, 10);
	assert_int_equal(end(t, READ, 1, SYNC, 50), PAIRS_ENDED);
	assert_int_equal(t->pairs.span.begin_ns, 20);
	assert_int_equal(end(t, READ, 1, SYNC, 60), PAIRS_UNBEGUN);
}

static void lost_events_explain_their_thread_alone(void **state)
{
	struct test *t = *state;

	begin(t, READ, 1, SYNC, 10);
	begin(t, READ, 2, SYNC + 1, 10);
	begin(t, READ, 2, ASYNC, 10);
	gap(t, 1);
	begin(t, WRITE, 1, SYNC + 2, 20);
	assert_int_equal(end(t, READ, 1, SYNC + 9, 30), PAIRS_UNBEGUN_LOST);
	assert_int_equal(end(t, READ, 2, SYNC + 9, 30), PAIRS_UNBEGUN);
	/* The first span of thread 1, and the asynchronous one, which could end on any thread. */
	unfinished_are(t, 2, 2);
}

static void a_gap_of_no_thread_is_one_of_all(void **state)
{
	struct test *t = *state;

	begin(t, READ, 1, SYNC, 10);
	gap(t, 0);
	assert_int_equal(end(t, READ, 2, SYNC + 9, 30), PAIRS_UNBEGUN_LOST);
	unfinished_are(t, 0, 1);
}

static void a_gap_of_no_process_is_one_of_all(void **state)
{
	struct test *t = *state;

	begin(t, READ, 1, SYNC, 10);
	begin(t, READ, 1, ASYNC, 10);
	gap_of_nobody(t);
	begin(t, READ, 1, SYNC + 1, 20);
	assert_int_equal(end(t, READ, 2, SYNC + 9, 30), PAIRS_UNBEGUN_LOST);
	unfinished_are(t, 1, 2);
}

static void a_child_whose_end_is_lost_takes_no_more_time(void **state)
{
	struct test *t = *state;

	begin(t, READ, 1, SYNC, 0);
	begin(t, READ, 1, SYNC + 1, 10);
	begin(t, READ, 1, SYNC + 2, 20); /* its end is lost */
	gap(t, 1);
	end(t, READ, 1, SYNC + 1, 50);
	end(t, READ, 1, SYNC, 100);
	assert_int_equal(t->pairs.span.self_ns, 60);
	unfinished_are(t, 0, 1);
}

static void where_threads_are_not_told_ids_are_enough(void **state)
{
	struct test *t = *state;

	begin(t, READ, 0, SYNC, 10);
	begin(t, READ, 0, SYNC + 1, 20);
	assert_int_equal(end_on(t, READ, (const uint32_t[]){ 0, 7 }, SYNC, 40), PAIRS_ENDED);
	assert_int_equal(t->pairs.span.self_ns, 30);
}

/* Removing keys keeps other keys that collide with them. */
static void memory_is_that_of_open_scopes(void **state)
{
	struct test *t = *state;
	const int64_t open = 100;

	for (int64_t i = 0; i < 200000; i++) {
		assert_int_equal(begin(t, READ, 1, SYNC + i, 10), PAIRS_BEGUN);
		if (i >= open) {
			assert_int_equal(end(t, READ, 1, SYNC + i - open, 10), PAIRS_ENDED);
		}
	}
	assert_int_equal(t->pairs.spans.count, open + 1);
	assert_true(t->pairs.open.capacity <= 512);
	unfinished_are(t, (uint32_t)open, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_beginning_and_its_end_are_a_span),
		CASE(what_is_not_the_same_scope_is_no_pair),
		CASE(events_that_look_like_scopes_are_none),
		CASE(a_childs_time_is_not_its_parents),
		CASE(scopes_may_end_in_any_order),
		CASE(an_asynchronous_scope_ends_on_any_thread),
		CASE(what_is_begun_twice_is_reported),
		CASE(lost_events_explain_their_thread_alone),
		CASE(a_gap_of_no_thread_is_one_of_all),
		CASE(a_gap_of_no_process_is_one_of_all),
		CASE(a_child_whose_end_is_lost_takes_no_more_time),
		CASE(where_threads_are_not_told_ids_are_enough),
		CASE(memory_is_that_of_open_scopes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
