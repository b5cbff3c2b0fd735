/* SPDX-License-Identifier: MIT */
/* Objects that register, and iteration over their events. */
#include <string.h>

#include <trace/control.h>

#include "made.h"
#include "unit.h"

#define BOTH (WAYMARK_LOG | WAYMARK_SIMPLE)

/* Returns the names that an iteration yields, separated by blanks. */
static const char *names(TraceEventIter *iter)
{
	static char text[1024];
	TraceEvent *ev;

	text[0] = '\0';
	while ((ev = trace_event_iter_next(iter))) {
		strcat(strcat(text, trace_event_get_name(ev)), " ");
	}
	return text;
}

static void events_come_in_the_order_of_registration(void **state)
{
	struct made *b = made_registered("b%d", 2, BOTH);
	struct made *a = made_registered("a%d", 2, BOTH);
	TraceEventIter iter;

	(void)state;
	trace_event_iter_init_all(&iter);
	assert_string_equal(names(&iter), "b0 b1 a0 a1 ");
	trace_event_iter_init(&iter, NULL);
	assert_string_equal(names(&iter), "b0 b1 a0 a1 ");
	trace_event_iter_init_pattern(&iter, "?1");
	assert_string_equal(names(&iter), "b1 a1 ");
	trace_event_iter_init(&iter, "a*");
	assert_string_equal(names(&iter), "a0 a1 ");
	made_gone(a);
	made_gone(b);
}

static void empty_object_does_not_end_an_iteration(void **state)
{
	struct made *a = made_registered("a%d", 1, BOTH);
	struct made *none = made_registered("none%d", 0, BOTH);
	struct made *b = made_registered("b%d", 1, BOTH);
	TraceEventIter iter;

	(void)state;
	trace_event_iter_init_all(&iter);
	assert_string_equal(names(&iter), "a0 b0 ");
	made_gone(none);
	made_gone(a);
	made_gone(b);
}

static void group_is_one_object(void **state)
{
	struct made *a = made_registered("a%d", 2, BOTH);
	struct made *b = made_registered("b%d", 2, BOTH);
	TraceEventIter iter;

	(void)state;
	trace_event_iter_init_group(&iter, b->object.serial);
	assert_string_equal(names(&iter), "b0 b1 ");
	trace_event_iter_init_group(&iter, a->object.serial);
	assert_string_equal(names(&iter), "a0 a1 ");
	trace_event_iter_init_group(&iter, b->object.serial + 1);
	assert_string_equal(names(&iter), "");
	uint64_t gone = a->object.serial;

	made_gone(a);
	trace_event_iter_init_group(&iter, gone);
	assert_string_equal(names(&iter), "");
	made_gone(b);
}

static void objects_may_come_and_go_during_an_iteration(void **state)
{
	struct made *a = made_registered("a%d", 2, BOTH);
	struct made *b = made_registered("b%d", 2, BOTH);
	struct made *c = made_registered("c%d", 2, BOTH);
	TraceEventIter iter;

	(void)state;
	trace_event_iter_init_all(&iter);
	assert_string_equal(trace_event_get_name(trace_event_iter_next(&iter)), "a0");
	made_gone(a);
	assert_string_equal(trace_event_get_name(trace_event_iter_next(&iter)), "b0");
	made_gone(b);
	struct made *d = made_registered("d%d", 1, BOTH);

	assert_string_equal(names(&iter), "c0 c1 d0 ");
	assert_null(trace_event_iter_next(&iter));
	made_gone(c);
	made_gone(d);
}

static void registering_twice_is_once(void **state)
{
	struct made *a = made_registered("a%d", 1, BOTH);
	TraceEventIter iter;

	(void)state;
	waymark_register(&a->object);
	trace_event_iter_init_all(&iter);
	assert_string_equal(names(&iter), "a0 ");
	waymark_unregister(&a->object);
	waymark_unregister(&a->object);
	trace_event_iter_init_all(&iter);
	assert_string_equal(names(&iter), "");
	waymark_register(&a->object);
	trace_event_iter_init_all(&iter);
	assert_string_equal(names(&iter), "a0 ");
	made_gone(a);
}

static void foreign_abi_is_not_touched(void **state)
{
	struct made *a = made_object("a%d", 1, BOTH);

	(void)state;
	a->object.abi = WAYMARK_ABI + 1;
	waymark_register(&a->object);
	waymark_register(&a->object);
	assert_null(trace_event_name("a0"));
	assert_int_equal(a->object.registered, 0);
	waymark_unregister(&a->object);
	made_free(a);
}

static void name_finds_the_first_of_several(void **state)
{
	struct made *first = made_registered("same%d", 1, BOTH);
	struct made *second = made_registered("same%d", 1, BOTH);

	(void)state;
	assert_ptr_equal(trace_event_name("same0"), &first->events[0]);
	assert_null(trace_event_name("same"));
	assert_null(trace_event_name("same*"));
	made_gone(first);
	assert_ptr_equal(trace_event_name("same0"), &second->events[0]);
	made_gone(second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_come_in_the_order_of_registration),
		cmocka_unit_test(empty_object_does_not_end_an_iteration),
		cmocka_unit_test(group_is_one_object),
		cmocka_unit_test(objects_may_come_and_go_during_an_iteration),
		cmocka_unit_test(registering_twice_is_once),
		cmocka_unit_test(foreign_abi_is_not_touched),
		cmocka_unit_test(name_finds_the_first_of_several),
	};

	return cmocka_run_group_tests_name("registry", tests, NULL, NULL);
}
