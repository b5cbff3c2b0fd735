/* SPDX-License-Identifier: MIT */
/* Switching events by pattern and one by one, and the ids that they get. */
#include <malloc.h>
#include <string.h>

#include <trace/control.h>

#include "made.h"
#include "rt/event/registry.h"
#include "unit.h"

#define BOTH (WAYMARK_LOG | WAYMARK_SIMPLE)

static struct waymark_error error;

/* Switches off all events that a test switched on, because rules outlive the objects. */
static int teardown(void **state)
{
	(void)state;
	return waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
}

static size_t enable(const char *pattern, unsigned int backends)
{
	struct waymark_match match;

	assert_int_equal(waymark_enable(pattern, backends, &match, &error), 0);
	assert_string_equal(error.text, "");
	return match.events;
}

static size_t disable(const char *pattern, unsigned int backends)
{
	struct waymark_match match;

	assert_int_equal(waymark_disable(pattern, backends, &match, &error), 0);
	return match.events;
}

static void pattern_switches_all_that_match(void **state)
{
	struct made *a = made_registered("a%d", 3, BOTH);
	struct made *b = made_registered("b%d", 3, WAYMARK_LOG);
	struct waymark_match match;

	(void)state;
	assert_int_equal(enable("?1", WAYMARK_ANY_BACKEND), 2);
	assert_int_equal(waymark_get_state(&a->events[1]), BOTH);
	assert_int_equal(waymark_get_state(&b->events[1]), WAYMARK_LOG);
	assert_int_equal(waymark_get_state(&a->events[0]), 0);
	assert_int_equal(waymark_enable("*2", WAYMARK_SIMPLE, &match, &error), 0);
	assert_int_equal(match.events, 2);
	assert_int_equal(match.unsupported, 1);
	assert_int_equal(waymark_get_state(&a->events[2]), WAYMARK_SIMPLE);
	assert_int_equal(waymark_get_state(&b->events[2]), 0);
	assert_int_equal(enable("nosuch", WAYMARK_ANY_BACKEND), 0);
	made_gone(a);
	made_gone(b);
}

static void kernels_half_of_the_word_is_left_alone(void **state)
{
	struct made *a = made_registered("a%d", 1, BOTH);
	uint16_t *half = (uint16_t *)(void *)&a->states[0];

	(void)state;
	half[1] = 3;
	enable("a0", WAYMARK_ANY_BACKEND);
	assert_int_equal(half[0], BOTH);
	assert_int_equal(half[1], 3);
	assert_int_equal(waymark_get_watchers(&a->events[0]), 3);
	disable("a0", WAYMARK_ANY_BACKEND);
	assert_int_equal(half[0], 0);
	assert_int_equal(half[1], 3);
	made_gone(a);
}

/* Like a generated header: an event, and an event declared `disable`. */
static uint32_t word;
#define TRACE_LIVE_ENABLED 1
#define TRACE_LIVE_STATE() WAYMARK_STATE(word)
#define TRACE_LIVE_BACKENDS() WAYMARK_BACKENDS(word)
#define TRACE_DEAD_ENABLED 0
#define TRACE_DEAD_STATE() 0
#define TRACE_DEAD_BACKENDS() 0

static void guards_tell_our_half_from_the_kernels(void **state)
{
	uint16_t *half = (uint16_t *)(void *)&word;

	(void)state;
	assert_false(trace_event_get_state(TRACE_LIVE));
	assert_false(trace_event_get_state_backends(TRACE_LIVE));
	half[1] = 1;
	assert_false(trace_event_get_state(TRACE_LIVE));
	assert_false(trace_event_get_state_dynamic_by_id(TRACE_LIVE));
	assert_true(trace_event_get_state_backends(TRACE_LIVE));
	half[0] = WAYMARK_LOG;
	half[1] = 0;
	assert_true(trace_event_get_state(TRACE_LIVE));
	assert_true(trace_event_get_state_dynamic_by_id(TRACE_LIVE));
	assert_true(trace_event_get_state_backends(TRACE_LIVE));
	assert_false(trace_event_get_state(TRACE_DEAD));
	assert_false(trace_event_get_state_backends(TRACE_DEAD));
}

static void later_object_obeys_the_rules_in_their_order(void **state)
{
	(void)state;
	enable("plugin_*", WAYMARK_ANY_BACKEND);
	disable("plugin_1", WAYMARK_LOG);
	struct made *a = made_registered("plugin_%d", 3, BOTH);

	assert_int_equal(waymark_get_state(&a->events[0]), BOTH);
	assert_int_equal(waymark_get_state(&a->events[1]), WAYMARK_SIMPLE);
	enable("plugin_1", WAYMARK_ANY_BACKEND);
	disable("plugin_?", WAYMARK_SIMPLE);
	struct made *b = made_registered("plugin_%d", 3, BOTH);

	assert_int_equal(waymark_get_state(&b->events[0]), WAYMARK_LOG);
	assert_int_equal(waymark_get_state(&b->events[1]), WAYMARK_LOG);
	made_gone(a);
	made_gone(b);
}

static void bad_arguments_change_nothing(void **state)
{
	struct made *a = made_registered("a%d", 1, BOTH);

	(void)state;
	assert_int_equal(waymark_enable("", WAYMARK_ANY_BACKEND, NULL, &error), -1);
	assert_int_equal(waymark_enable("-a0", WAYMARK_ANY_BACKEND, NULL, &error), -1);
	assert_int_equal(waymark_enable("a0", 0, NULL, &error), -1);
	assert_int_equal(waymark_configure("a0,bogus=1", &error), -1);
	assert_int_equal(waymark_configure("a0,file=/nonexistent/file", &error), -1);
	assert_int_equal(waymark_configure("a0,events=/nonexistent", NULL), -1);
	assert_int_equal(waymark_configure("a0,help", &error), -1);
	assert_int_equal(waymark_enable_from_file("/", WAYMARK_LOG, NULL, &error), -1);
	assert_int_equal(waymark_get_state(&a->events[0]), 0);
	assert_int_equal(waymark_configure("a0,backend=log", &error), 0);
	assert_string_equal(error.text, "");
	assert_int_equal(waymark_get_state(&a->events[0]), WAYMARK_LOG);
	made_gone(a);
}

static void event_is_switched_for_the_backends_it_has(void **state)
{
	struct made *a = made_registered("a%d", 1, WAYMARK_LOG);
	struct made *none = made_registered("none%d", 1, 0);
	TraceEvent *ev = trace_event_name("a0");

	(void)state;
	assert_int_equal(waymark_get_backends(ev), WAYMARK_LOG);
	assert_int_equal(waymark_set_state(ev, WAYMARK_SIMPLE, true, &error), -1);
	assert_int_equal(waymark_set_state(ev, BOTH, true, &error), 0);
	assert_int_equal(waymark_get_state(ev), WAYMARK_LOG);
	trace_event_set_state_dynamic(ev, true);
	trace_event_set_state_dynamic(ev, true);
	assert_true(trace_event_get_state_dynamic(ev));
	trace_event_set_state_dynamic(ev, false);
	assert_false(trace_event_get_state_dynamic(ev));
	assert_true(trace_event_get_state_static(ev));
	assert_false(trace_event_get_state_static(&none->events[0]));
	trace_event_set_state_dynamic(&none->events[0], true);
	assert_false(trace_event_get_state_dynamic(&none->events[0]));
	made_gone(a);
	made_gone(none);
}

static uint32_t id_of(struct made *m, int i)
{
	return trace_event_get_id(&m->events[i]);
}

static void id_is_given_at_first_use_and_found_again(void **state)
{
	struct made *a = made_registered("id%d", 2, BOTH);

	(void)state;
	assert_int_equal(a->events[0].id, 0);
	enable("id0", WAYMARK_SIMPLE);
	uint32_t id = a->events[0].id;

	assert_int_not_equal(id, 0);
	assert_int_equal(a->events[1].id, 0);
	assert_int_equal(id_of(a, 1), id + 1);
	assert_int_equal(id_of(a, 0), id);
	made_gone(a);
	const struct waymark_entry *entry = waymark_registry_entry(id);

	assert_string_equal(entry->name, "id0");
	assert_int_equal(entry->line, 1);
	a = made_registered("id%d", 2, BOTH);
	assert_int_equal(id_of(a, 0), id);
	assert_ptr_equal(waymark_registry_entry(id), entry);
	made_gone(a);
	assert_null(waymark_registry_entry(0));
	assert_null(waymark_registry_entry(REGISTRY_IDS_MAX));
}

/* Gives the event an argument `x`. */
static void declare(struct waymark_event *e, const struct waymark_arg *arg, const char *type)
{
	char *text = (char *)e->name + strlen(e->name) + 2; /* after the empty format */

	strcpy(stpcpy(text, "x") + 1, type);
	e->args = arg;
	e->arg_count = 1;
}

static void different_events_of_one_name_have_their_own_ids(void **state)
{
	static const struct waymark_arg i32 = { WAYMARK_SIGNED, 4, 0 };
	static const struct waymark_arg u32 = { WAYMARK_UNSIGNED, 4, 0 };
	struct made *m[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		m[i] = made_registered("twin%d", 1, BOTH);
	}
	m[1]->events[0].line = 77;
	declare(&m[2]->events[0], &i32, "int");
	declare(&m[3]->events[0], &u32, "unsigned int");
	uint32_t first = id_of(m[0], 0);

	for (int i = 0; i < 4; i++) {
		assert_int_equal(id_of(m[i], 0), first + (uint32_t)i);
	}
	const struct waymark_entry *entry = waymark_registry_entry(first + 3);

	assert_string_equal(entry->args[0].type, "unsigned int");
	for (int i = 0; i < 4; i++) {
		made_gone(m[i]);
	}
}

static void coming_and_going_uses_no_ids_up(void **state)
{
	(void)state;
	enable("comes*", WAYMARK_ANY_BACKEND);
	struct made *a = made_registered("comes%d", 10, BOTH);
	uint32_t id = id_of(a, 9);

	made_gone(a);
	for (int i = 0; i < 10000; i++) {
		a = made_registered("comes%d", 10, BOTH);
		assert_int_equal(id_of(a, 9), id);
		made_gone(a);
	}
}

static void switching_the_same_patterns_keeps_few_rules(void **state)
{
	size_t before = mallinfo2().uordblks;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		const char *pattern = i & 1 ? "alpha*" : "beta";

		enable(pattern, WAYMARK_ANY_BACKEND);
		disable(pattern, i & 2 ? WAYMARK_LOG : WAYMARK_ANY_BACKEND);
	}
	assert_true(mallinfo2().uordblks < before + 65536);
}

/* Runs last: afterwards this process has no free ids. */
static void without_ids_for_all_none_is_switched(void **state)
{
	struct made *many = made_registered("many%d", 66000, BOTH);
	struct waymark_match match;
	TraceEvent *last = &many->events[65999];

	(void)state;
	assert_int_equal(waymark_enable("many*", BOTH, &match, &error), -1);
	assert_non_null(strstr(error.text, "nothing is switched: memory or ids ran out for "));
	assert_int_equal(match.events, 66000);
	assert_int_equal(waymark_get_state(last), 0);
	assert_int_equal(trace_event_get_id(last), 0);
	assert_int_equal(waymark_get_state(&many->events[0]), 0);
	assert_non_null(waymark_registry_entry(REGISTRY_IDS_MAX - 1));
	assert_int_equal(waymark_configure("many*,log.prefix=iso,log.file=no/made", &error), -1);
	assert_int_equal(waymark_set_state(last, BOTH, true, &error), -1);
	assert_int_equal(waymark_get_state(last), 0);
	struct made *later = made_registered("many_later%d", 1, BOTH);

	assert_int_equal(waymark_get_state(&later->events[0]), 0);
	made_gone(later);
	assert_int_equal(enable("many*", WAYMARK_LOG), 66000);
	assert_int_equal(waymark_get_state(last), WAYMARK_LOG);
	made_gone(many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(pattern_switches_all_that_match, teardown),
		cmocka_unit_test_teardown(kernels_half_of_the_word_is_left_alone, teardown),
		cmocka_unit_test_teardown(guards_tell_our_half_from_the_kernels, teardown),
		cmocka_unit_test_teardown(later_object_obeys_the_rules_in_their_order, teardown),
		cmocka_unit_test_teardown(bad_arguments_change_nothing, teardown),
		cmocka_unit_test_teardown(event_is_switched_for_the_backends_it_has, teardown),
		cmocka_unit_test_teardown(id_is_given_at_first_use_and_found_again, teardown),
		cmocka_unit_test_teardown(
			different_events_of_one_name_have_their_own_ids, teardown),
		cmocka_unit_test_teardown(coming_and_going_uses_no_ids_up, teardown),
		cmocka_unit_test_teardown(switching_the_same_patterns_keeps_few_rules, teardown),
		cmocka_unit_test_teardown(without_ids_for_all_none_is_switched, teardown),
	};

	return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
