/* SPDX-License-Identifier: MIT */
/* Lost events: which times they concern, of which threads, and that random gaps merge rightly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/match/gaps.h"

static const struct key process = { .trace = 1, .pid = 10 };

static struct record event(uint32_t tid, uint64_t ns)
{
	return (struct record){ .kind = RECORD_EVENT, .trace = 1, .pid = 10, .tid = tid, .ns = ns };
}

/* Adds a gap that concerns its process. */
static uint64_t add(struct gaps *g, uint32_t tid, uint64_t ns)
{
	struct record rec = event(tid, ns);

	rec.kind = RECORD_GAP;
	return gaps_add(g, &rec, &process);
}

static void see(struct gaps *g, uint32_t tid, uint64_t ns)
{
	const struct record rec = event(tid, ns);

	gaps_see(g, &rec);
}

static void a_gap_begins_with_the_last_record_of_its_thread(void **unused)
{
	struct gaps g = { 0 };

	(void)unused;
	see(&g, 5, 100);
	see(&g, 6, 150);
	/* Of the same slot of the array of recent threads. */
	see(&g, 5 + GAPS_RECENT, 160);
	assert_false(gaps_overlap(&g, &process, 0, UINT64_MAX));
	assert_int_equal(add(&g, 5, 200), 100);
	assert_true(gaps_overlap(&g, &process, 150, 160));
	assert_true(gaps_overlap(&g, &process, 0, 100));
	assert_true(gaps_overlap(&g, &process, 200, 300));
	assert_false(gaps_overlap(&g, &process, 0, 99));
	assert_false(gaps_overlap(&g, &process, 201, 300));
	assert_int_equal(add(&g, 5 + GAPS_RECENT, 400), 160);
	assert_true(gaps_overlap(&g, &process, 201, 300));
	gaps_fini(&g);
}

static void a_gap_behind_the_last_packet_has_no_end(void **unused)
{
	struct gaps g = { 0 };

	(void)unused;
	see(&g, 5, 100);
	add(&g, 5, 100);
	assert_true(gaps_overlap(&g, &process, 5000, 5000));
	assert_false(gaps_overlap(&g, &process, 0, 99));
	see(&g, 6, 300);
	add(&g, 6, 400);
	assert_true(gaps_overlap(&g, &process, 350, 350));
	assert_false(gaps_overlap(&g, &process, 0, 99));
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
	struct record gap = event(5, 50);

	(void)unused;
	gap.kind = RECORD_GAP;
	see(&g, 5, 10);
	gaps_add(&g, &gap, &thread);
	assert_true(gaps_overlap(&g, &thread, 20, 20));
	assert_false(gaps_overlap(&g, &other_thread, 20, 20));
	assert_false(gaps_overlap(&g, &process, 20, 20));
	gaps_add(&g, &gap, &process);
	assert_true(gaps_overlap(&g, &other_thread, 20, 20));
	assert_false(gaps_overlap(&g, &other_process, 20, 20));
	gaps_add(&g, &gap, &trace);
	assert_true(gaps_overlap(&g, &of_trace, 20, 20));
	assert_false(gaps_overlap(&g, &other_process, 20, 20));
	gaps_fini(&g);
}

static void a_second_pass_keeps_the_gaps(void **unused)
{
	struct gaps g = { 0 };

	(void)unused;
	see(&g, 5, 100);
	add(&g, 5, 200);
	gaps_restart(&g);
	see(&g, 5, 20);
	add(&g, 5, 30);
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
			add(&g, tid + 1, ns);
			memset(is_lost + last[tid], 1, ns + 1 - last[tid]);
		} else if ((random >> 20) % 8 == 0) {
			see(&g, tid + 1, ns);
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
		cmocka_unit_test(a_gap_begins_with_the_last_record_of_its_thread),
		cmocka_unit_test(a_gap_behind_the_last_packet_has_no_end),
		cmocka_unit_test(it_concerns_its_owner),
		cmocka_unit_test(a_second_pass_keeps_the_gaps),
		cmocka_unit_test(random_gaps_cover_what_they_should),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
