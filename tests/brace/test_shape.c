/* SPDX-License-Identifier: MIT */
/* Groups that callbacks build: on one line, on several, with the inherited placeholder. */
#include "unit.h"

static const char *shape(const char *message, const char *name)
{
	return rendered(message, waymark_debug_object(shape_find(name), NULL));
}

static void nested_values_inherit_the_placeholder(void **state)
{
	(void)state;
	assert_string_equal(shape("{:04x?}", "C"), "C { x: 0010, y: [0001, 00ff] }");
	assert_string_equal(shape("{:#X?}", "Some(255)"), "Some(\n    0xFF,\n)");
	assert_string_equal(shape("{:?}", "mixed"), "(-1, \"q\\n\", 'c', (), None)");
	assert_string_equal(shape("{:.1?}", "P"),
		"P { len: 64, opcode: 18, name: \"x\\\"y\", opt: Some(3), arr: [1, 2, 3], "
		"f: 1.0, b: t }");
}

static void empty_and_open_groups(void **state)
{
	(void)state;
	assert_string_equal(shape("{:#?}", "empty list"), "[]");
	assert_string_equal(shape("{:#?}", "empty map"), "{}");
	assert_string_equal(shape("{:?}", "single"), "(-1,)");
	assert_string_equal(shape("{:#?}", "single"), "(\n    -1,\n)");
	assert_string_equal(shape("{:?}", "more"), "M { a: T(1, -2), .. }");
	assert_string_equal(shape("{:#?}", "more"),
		"M {\n    a: T(\n        1,\n        -2,\n    ),\n    ..\n}");
	assert_string_equal(shape("{:#?}", "only more"), "N { .. }");
}

static void nameless(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_struct(&g, f, NULL);
	waymark_debug_field(&g, NULL, waymark_debug_i32(1));
	waymark_debug_end(&g);
	waymark_debug_name(f, NULL);
	waymark_debug_verbatim(f, NULL, 1);
	waymark_debug_variant(f, NULL, waymark_debug_i32(2));
}

/* A NULL name is printed like a NULL string: a table may lack a name. */
static void names_that_are_null_are_shown(void **state)
{
	(void)state;
	assert_string_equal(rendered("{:?}", waymark_debug_object(nameless, NULL)),
		"(null) { (null): 1 }(null)(null)(2)");
}

static void deep(struct waymark_formatter *f, const void *object)
{
	unsigned int left = *(const unsigned int *)object - 1;

	if (left) {
		waymark_debug_some(f, waymark_debug_object(deep, &left));
	} else {
		waymark_debug_none(f);
	}
}

static void indentation_at_any_depth(void **state)
{
	unsigned int depth = BRACE_CALLS_MAX;
	size_t last = 2 * BRACE_CALLS_MAX - 2;
	const char *text = rendered("{:#?}", waymark_debug_object(deep, &depth));
	size_t line = 0;

	(void)state;
	for (; *text; text = strchr(text, '\n') + 1, line++) {
		size_t level = line < BRACE_CALLS_MAX ? line : last - line;

		assert_int_equal(strspn(text, " "), 4 * level);
		if (line == last) {
			assert_string_equal(text, ")");
			break;
		}
	}
	assert_int_equal(line, last);
}

static void endless(struct waymark_formatter *f, const void *object)
{
	waymark_debug_some(f, waymark_debug_object(endless, object));
}

static void an_object_within_itself_ends(void **state)
{
	const char *text = rendered("{:?}", waymark_debug_object(endless, NULL));

	(void)state;
	assert_int_equal(strlen(text), BRACE_CALLS_MAX * strlen("Some()") + 3);
	assert_non_null(strstr(text, "Some(...))"));
}

static void text_with_lines(struct waymark_formatter *f, const void *object)
{
	(void)object;
	waymark_debug_verbatim(f, "a\nb", 3);
}

static void some_lines(struct waymark_formatter *f, const void *object)
{
	assert_true(waymark_debug_is_pretty(f));
	assert_false(waymark_debug_is_hex(f));
	waymark_debug_some(f, waymark_debug_object(text_with_lines, object));
}

static void lines_of_a_text_are_indented(void **state)
{
	(void)state;
	assert_string_equal(rendered("{:#?}", waymark_debug_object(some_lines, NULL)),
		"Some(\n    a\n    b,\n)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested_values_inherit_the_placeholder),
		cmocka_unit_test(empty_and_open_groups),
		cmocka_unit_test(names_that_are_null_are_shown),
		cmocka_unit_test(indentation_at_any_depth),
		cmocka_unit_test(an_object_within_itself_ends),
		cmocka_unit_test(lines_of_a_text_are_indented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
