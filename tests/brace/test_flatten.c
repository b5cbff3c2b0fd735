/* SPDX-License-Identifier: MIT */
/* Callbacks of an event's arguments become trees before they are recorded. */
#include <errno.h>
#include <sys/resource.h>

#include <waymark/record.h>

#include "rt/text/flatten.h"
#include "unit.h"

static struct waymark_event event = {
	.name = "run\0{} {:#x?} {:?}\0",
	.flags = WAYMARK_EVENT_BRACES,
};

static unsigned int calls;

static void put_numbers(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	calls++;
	errno = EDOM;
	waymark_debug_list(&g, f);
	for (unsigned int i = 0; i < *(const unsigned int *)object; i++) {
		waymark_debug_entry(&g, waymark_debug(i));
	}
	waymark_debug_end(&g);
}

static void put_spec(struct waymark_formatter *f, const void *object)
{
	(void)object;
	waymark_debug_name(
		f, waymark_debug_is_pretty(f) && waymark_debug_is_hex(f) ? "pretty hex" : "plain");
}

static struct waymark_debug flat(
	struct waymark_trees *t, unsigned int placeholder, struct waymark_debug value)
{
	errno = ENOTTY;
	flatten(t, &event, placeholder, &value);
	assert_int_equal(errno, ENOTTY);
	return value;
}

static struct waymark_debug numbers(unsigned int *count)
{
	return waymark_debug_object(put_numbers, count);
}

static void callbacks_become_trees_on_the_stack(void **state)
{
	struct waymark_trees t;
	unsigned int three = 3;

	(void)state;
	trees_begin(&t);
	struct waymark_debug v[] = {
		flat(&t, 0, numbers(&three)),
		flat(&t, 1, waymark_debug_object(put_spec, NULL)),
		flat(&t, 2, waymark_debug_object(put_spec, NULL)),
		flat(&t, 3, waymark_debug(7)),
	};
	assert_null(t.mapped);
	assert_int_equal(v[0].kind, WAYMARK_DEBUG_TREE);
	assert_int_equal(v[3].kind, WAYMARK_DEBUG_I32);
	assert_string_equal(rendered("{:?}", v[0]), "[0, 1, 2]");
	assert_string_equal(rendered("{:?}", v[1]), "pretty hex");
	assert_string_equal(rendered("{:?}", v[2]), "plain");
	trees_end(&t);
}

static void what_is_longer_is_mapped(void **state)
{
	static char direct[1 << 17];
	struct waymark_trees t;
	unsigned int many = 1000;
	unsigned int three = 3;

	(void)state;
	strcpy(direct, rendered("{:?}", numbers(&many)));
	calls = 0;
	trees_begin(&t);
	struct waymark_debug a = flat(&t, 0, numbers(&many));
	struct waymark_debug b = flat(&t, 1, numbers(&many));
	struct waymark_debug c = flat(&t, 2, numbers(&three));

	assert_non_null(t.mapped);
	assert_int_equal(calls, 5); /* two calls for each callback whose output does not fit */
	assert_string_equal(rendered("{:?}", a), direct);
	assert_string_equal(rendered("{:?}", b), direct);
	assert_string_equal(rendered("{:?}", c), "[0, 1, 2]");
	trees_end(&t);
}

static void what_no_record_holds_is_cut(void **state)
{
	struct waymark_trees t;
	unsigned int many = 10000;

	(void)state;
	trees_begin(&t);
	struct waymark_debug a = flat(&t, 0, numbers(&many));
	struct waymark_debug b = flat(&t, 0, numbers(&many));
	const char *text = rendered("{:?}", a);

	assert_true(a.length > WAYMARK_RECORD_MAX - 8 && a.length <= WAYMARK_RECORD_MAX);
	assert_string_equal(text + strlen(text) - 5, ", ...");
	text = rendered("{:?}", b);
	assert_string_equal(text + strlen(text) - 5, ", ...");
	trees_end(&t);
}

static void without_memory_the_stack_holds_what_it_can(void **state)
{
	struct rlimit limit;
	struct rlimit none;
	struct waymark_trees t;
	unsigned int many = 1000;

	(void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* sanitizers use the address space themselves */
#endif
	getrlimit(RLIMIT_AS, &limit);
	none = limit;
	none.rlim_cur = 1;
	trees_begin(&t);
	setrlimit(RLIMIT_AS, &none);
	struct waymark_debug a = flat(&t, 0, numbers(&many));
	struct waymark_debug b = flat(&t, 0, numbers(&many));
	struct waymark_debug c = flat(&t, 0, numbers(&many));

	setrlimit(RLIMIT_AS, &limit);
	assert_null(t.mapped);
	assert_true(a.length > WAYMARK_TREES_ROOM - 8);
	assert_non_null(strstr(rendered("{:?}", a), "[0, 1, 2, 3, 4, 5, 6"));
	rendered("{:?}", b);
	assert_string_equal(rendered("{:?}", c), "...");
	trees_end(&t);
}

static void what_is_no_value_is_an_empty_tree(void **state)
{
	struct waymark_trees t;
	struct waymark_debug none = waymark_debug(1);

	(void)state;
	none.kind = 200;
	trees_begin(&t);
	none = flat(&t, 0, none);
	assert_int_equal(none.kind, WAYMARK_DEBUG_TREE);
	assert_string_equal(rendered("{:?}", none), "");
	trees_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callbacks_become_trees_on_the_stack),
		cmocka_unit_test(what_is_longer_is_mapped),
		cmocka_unit_test(what_no_record_holds_is_cut),
		cmocka_unit_test(without_memory_the_stack_holds_what_it_can),
		cmocka_unit_test(what_is_no_value_is_an_empty_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
