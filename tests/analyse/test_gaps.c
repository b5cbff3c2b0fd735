/* SPDX-License-Identifier: MIT */
/* Lost events: which times they concern, of which threads, and that random gaps merge rightly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/match/gaps.h"

static const struct key process = { .trace = 1, .pid = 10 };

static struct record gap(uint64_t from_ns, uint64_t ns)
{
	return (struct record){
		.kind = RECORD_GAP, .trace = 1, .pid = 10, .tid = 5, .ns = ns, .from_ns = from_ns
	};
}

/* Adds a gap that concerns its process. */
static void add(struct gaps *g, uint64_t from_ns, uint64_t ns)
{
	const struct record rec = gap(from_ns, ns);

	gaps_add(g, &rec, &process);
}

static void a_gap_concerns_its_time(void **unused)
{
	struct gaps g = { 0 };

	(void)unused;
	assert_false(gaps_overlap(&g, &process, 0, UINT64_MAX));
	add(&g, 100, 200);
	assert_true(gaps_overlap(&g, &process, 150, 160));
	assert_true(gaps_overlap(&g, &process, 0, 100));
	assert_true(gaps_overlap(&g, &process, 200, 300));
	assert_false(gaps_overlap(&g, &process, 0, 99));
	assert_false(gaps_overlap(&g, &process, 201, 300));
	add(&g, 160, 400);
	assert_true(gaps_overlap(&g, &process, 201, 300));
	gaps_fini(&g);
}

/* Lost events are after the event before the gap, and before the event after it. */
static void what_touches_a_gap_has_all_of_its_events(void **unused)
{
	struct gaps g = { 0 };

	(void)unused;
	add(&g, 100, 200);
	assert_false(gaps_are_between(&g, &process, 50, 100));
	assert_false(gaps_are_between(&g, &process, 200, 250));
	assert_false(gaps_are_between(&g, &process, 150, 150));
	assert_true(gaps_are_between(&g, &process, 50, 101));
	assert_true(gaps_are_between(&g, &process, 199, 250));
	assert_true(gaps_are_between(&g, &process, 100, 200));
	assert_true(gaps_are_between(&g, &process, 150, 151));
	assert_false(gaps_are_between(&g, &process, 0, 0));
	gaps_fini(&g);
}

static void a_gap_behind_the_last_packet_has_no_end(void **unused)
{
	struct gaps g = { 0 };

	(void)unused;
	add(&g, 100, 100);
	assert_true(gaps_overlap(&g, &process, 5000, 5000));
	assert_false(gaps_overlap(&g, &process, 0, 99));
	add(&g, 300, 400);
	assert_true(gaps_overlap(&g, &process, 350, 350));
	assert_false(gaps_overlap(&g, &process, 0, 99));
	gaps_fini(&g);
}

static void a_gap_is_late_after_a_question_about_its_time(void **unused)
{
	struct gaps g = { 0 };

	(void)unused;
	add(&g, 0, 10);
	assert_false(gaps_overlap(&g, &process, 20, 50));
	assert_false(gaps_are_between(&g, &process, 50, 101));
	add(&g, 101, 110);
	assert_false(g.is_late);
	add(&g, 100, 120);
	assert_true(g.is_late);
	g = gaps_take(&g);
	assert_false(g.is_late);
	assert_true(gaps_are_between(&g, &process, 50, 101));
	add(&g, 100, 120);
	assert_false(g.is_late);
	gaps_fini(&g);
}

static void it_concerns_its_owner(void **unused)
{
	const struct key thread = { .trace = 1, .pid = 10, .tid = 5 };
	const struct key other_thread = { .trace = 1, .pid = 10, .tid = 6 };
	const struct key other_process = { .trace = 1, .pid = 11 };
	const struct key trace = { .trace = 2 };
	const struct key of_trace = { .trace = 2, .pid = 7, .scope = 4, .name = 3 };
	struct gaps g = { 0 };
	const struct record lost = gap(10, 50);

	(void)unused;
	gaps_add(&g, &lost, &thread);
	assert_true(gaps_overlap(&g, &thread, 20, 20));
	assert_false(gaps_overlap(&g, &other_thread, 20, 20));
	assert_false(gaps_overlap(&g, &process, 20, 20));
	gaps_add(&g, &lost, &process);
	assert_true(gaps_overlap(&g, &other_thread, 20, 20));
	assert_false(gaps_overlap(&g, &other_process, 20, 20));
	gaps_add(&g, &lost, &trace);
	assert_true(gaps_overlap(&g, &of_trace, 20, 20));
	assert_false(gaps_overlap(&g, &other_process, 20, 20));
	gaps_fini(&g);
}

static void a_second_pass_keeps_the_gaps(void **unused)
{
	struct gaps g = { 0 };

	(void)unused;
	add(&g, 100, 200);
	g = gaps_take(&g);
	add(&g, 20, 30);
	assert_false(gaps_overlap(&g, &process, 20, 30));
	assert_true(gaps_overlap(&g, &process, 120, 130));
	gaps_fini(&g);
}

#define TIMES 2000

/* Random gaps of four threads, against a list of the times that they cover. */
static void random_gaps_cover_what_they_should(void **unused)
{
	static char is_lost[TIMES];
	uint64_t last[4] = { 0 };
	struct gaps g = { 0 };
	uint32_t random = 7;

	(void)unused;
	for (uint32_t ns = 1; ns < TIMES; ns++) {
		random = random * 1664525u + 1013904223u;
		uint32_t tid = (random >> 16) % 4;

		if ((random >> 24) % 16 == 0 && last[tid]) {
			add(&g, last[tid], ns);
			memset(is_lost + last[tid], 1, ns + 1 - last[tid]);
		} else if ((random >> 20) % 8 == 0) {
			last[tid] = ns;
		}
	}
	for (uint32_t ns = 0; ns < TIMES; ns++) {
		assert_int_equal(gaps_overlap(&g, &process, ns, ns), is_lost[ns]);
	}
	gaps_fini(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gap_concerns_its_time),
		cmocka_unit_test(what_touches_a_gap_has_all_of_its_events),
		cmocka_unit_test(a_gap_behind_the_last_packet_has_no_end),
		cmocka_unit_test(a_gap_is_late_after_a_question_about_its_time),
		cmocka_unit_test(it_concerns_its_owner),
		cmocka_unit_test(a_second_pass_keeps_the_gaps),
		cmocka_unit_test(random_gaps_cover_what_they_should),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
