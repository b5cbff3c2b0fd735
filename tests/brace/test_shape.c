/* SPDX-License-Identifier: MIT */
/* What callbacks build: on one line, on many, with the placeholder inherited. */
#include "unit.h"

static const char *shape(const char *message, const char *name)
{
	return rendered(message, brace_callback(shape_find(name), NULL));
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

static void deep(struct brace_debug *d, const void *context)
{
	unsigned int left = *(const unsigned int *)context - 1;
	struct brace_value inner = brace_callback(deep, &left);

	brace_option(d, left ? &inner : NULL);
}

static void indentation_at_any_depth(void **state)
{
	unsigned int depth = 40;
	const char *text = rendered("{:#?}", brace_callback(deep, &depth));
	size_t line = 0;

	(void)state;
	for (; *text; text = strchr(text, '\n') + 1, line++) {
		size_t level = line < 40 ? line : 78 - line;

		assert_int_equal(strspn(text, " "), 4 * level);
		if (line == 78) {
			assert_string_equal(text, ")");
			break;
		}
	}
	assert_int_equal(line, 78);
}

static void text_with_lines(struct brace_debug *d, const void *context)
{
	(void)context;
	brace_debug_text(d, "a\nb", 3);
}

static void lines_of_a_text_are_indented(void **state)
{
	struct brace_value inner = brace_callback(text_with_lines, NULL);
	struct brace_sink s;
	char text[64];
	struct brace_debug d = { .sink = &s, .spec = BRACE_SPEC_DEFAULT };

	(void)state;
	brace_sink_buffer(&s, text, sizeof(text));
	d.spec.alternate = true;
	brace_option(&d, &inner);
	assert_string_equal(text, "Some(\n    a\n    b,\n)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested_values_inherit_the_placeholder),
		cmocka_unit_test(empty_and_open_groups),
		cmocka_unit_test(indentation_at_any_depth),
		cmocka_unit_test(lines_of_a_text_are_indented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
