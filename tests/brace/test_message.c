/* SPDX-License-Identifier: MIT */
/* Messages: their parts, the errors and their columns, and the types of placeholders. */
#include "unit.h"

static enum brace_piece_kind next(struct brace_parser *p, struct brace_piece *piece)
{
	return brace_next(p, piece);
}

static void pieces_come_in_order(void **state)
{
	static const char message[] = "a {{b}} {:é^+#012.3x?} {}!";
	struct brace_parser p;
	struct brace_piece piece;
	char text[64] = "";

	(void)state;
	brace_parse(&p, message, strlen(message));
	while (next(&p, &piece) == BRACE_TEXT) {
		strncat(text, piece.text, piece.length);
	}
	assert_string_equal(text, "a {b} ");
	assert_int_equal(piece.kind, BRACE_PLACEHOLDER);
	assert_int_equal(piece.offset, 8);
	assert_memory_equal(piece.text, "{:é^+#012.3x?}", piece.length);
	assert_int_equal(piece.spec.fill, 0xe9);
	assert_int_equal(piece.spec.align, BRACE_ALIGN_CENTER);
	assert_true(piece.spec.plus && piece.spec.alternate && piece.spec.zero);
	assert_int_equal(piece.spec.width, 12);
	assert_int_equal(piece.spec.precision, 3);
	assert_int_equal(piece.spec.type, BRACE_DEBUG_LOWER);
	assert_int_equal(next(&p, &piece), BRACE_TEXT);
	assert_int_equal(next(&p, &piece), BRACE_PLACEHOLDER);
	assert_int_equal(piece.spec.width, -1);
	assert_int_equal(piece.spec.precision, -1);
	assert_int_equal(piece.spec.type, BRACE_DISPLAY);
	assert_int_equal(next(&p, &piece), BRACE_TEXT);
	assert_int_equal(next(&p, &piece), BRACE_END);
	assert_int_equal(next(&p, &piece), BRACE_END);
}

static void bad_messages_are_refused_with_their_place(void **state)
{
	static const struct {
		const char *message;
		size_t offset;
		const char *error;
	} rows[] = {
		{ "ab {", 3, "this { is not closed: write {{ for a brace" },
		{ "{:?", 0, "this { is not closed: write {{ for a brace" },
		{ "{:", 0, "this { is not closed: write {{ for a brace" },
		{ "{:é", 2, "unknown type: use ?, x?, X?, x, X, o, b, e, E, p or none" },
		{ "a } b", 2, "this } closes nothing: write }} for a brace" },
		{ "{}}", 2, "this } closes nothing: write }} for a brace" },
		{ "{0}", 1, "a placeholder cannot number its argument: each takes the next one" },
		{ "x {12:x}", 3,
			"a placeholder cannot number its argument: each takes the next one" },
		{ "{len}", 1, "a placeholder cannot name its argument: each takes the next one" },
		{ "{_a:?}", 1, "a placeholder cannot name its argument: each takes the next one" },
		{ "{:1$}", 2, "a width cannot be an argument: write it as a number" },
		{ "{:0$x}", 2, "a width cannot be an argument: write it as a number" },
		{ "{:>w$}", 3, "a width cannot be an argument: write it as a number" },
		{ "{:.1$}", 3, "a precision cannot be an argument: write it as a number" },
		{ "{:.p$}", 3, "a precision cannot be an argument: write it as a number" },
		{ "{:.*}", 3, "a precision cannot be an argument: write it as a number" },
		{ "{:.", 0, "this { is not closed: write {{ for a brace" },
		{ "{:65536}", 2, "a width is at most 65535" },
		{ "{:99999999999999999999}", 2, "a width is at most 65535" },
		{ "{:.65536}", 3, "a precision is at most 65535" },
		{ "{:d}", 2, "unknown type: use ?, x?, X?, x, X, o, b, e, E, p or none" },
		{ "{:02xx}", 4, "unknown type: use ?, x?, X?, x, X, o, b, e, E, p or none" },
		{ "{:b?}", 2, "unknown type: use ?, x?, X?, x, X, o, b, e, E, p or none" },
		{ "{:?x}", 3, "this is not part of a placeholder: write {} or {:...}" },
		{ "{: x}", 3, "this is not part of a placeholder: write {} or {:...}" },
		{ "{!}", 1, "this is not part of a placeholder: write {} or {:...}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct brace_parser p;
		struct brace_piece piece;

		brace_parse(&p, rows[i].message, strlen(rows[i].message));
		while (next(&p, &piece) == BRACE_TEXT || piece.kind == BRACE_PLACEHOLDER) {
		}
		assert_int_equal(piece.kind, BRACE_ERROR);
		assert_string_equal(piece.error, rows[i].error);
		assert_int_equal(piece.offset, rows[i].offset);
		assert_int_equal(next(&p, &piece), BRACE_ERROR);
	}
}

static void odd_placeholders_are_those_of_rust(void **state)
{
	struct waymark_debug v = waymark_debug_u8(255);

	(void)state;
	assert_string_equal(rendered("{ :x }|{", v), "ff|{");
	assert_string_equal(rendered("{ }", v), "255");
	assert_string_equal(rendered("{:}>5}", v), "}}255");
	assert_string_equal(rendered("{:{<5}", v), "255{{");
	assert_string_equal(rendered("{:<<5}", v), "255<<");
	assert_string_equal(rendered("{:5.}", v), "  255");
	assert_string_equal(rendered("{:.}", waymark_debug_f64(1.25)), "1.25");
	assert_string_equal(rendered("{:#00x}", v), "0xff");
	assert_string_equal(rendered("{{{}}}", v), "{255}");
}

static void kinds_accept_the_types_of_rust(void **state)
{
	(void)state;
	for (int t = 0; t < BRACE_POINTER_TYPE; t++) {
		assert_true(brace_accepts(WAYMARK_DEBUG_U32, (enum brace_type)t));
		assert_int_equal(brace_accepts(WAYMARK_DEBUG_STRING, (enum brace_type)t),
			t <= BRACE_DEBUG_UPPER);
		assert_int_equal(brace_accepts(WAYMARK_DEBUG_BYTES, (enum brace_type)t),
			t >= BRACE_DEBUG && t <= BRACE_DEBUG_UPPER);
	}
	assert_false(brace_accepts(WAYMARK_DEBUG_U32, BRACE_POINTER_TYPE));
	assert_true(brace_accepts(WAYMARK_DEBUG_POINTER, BRACE_POINTER_TYPE));
	assert_false(brace_accepts(WAYMARK_DEBUG_F64, BRACE_LOWER_HEX));
	assert_true(brace_accepts(WAYMARK_DEBUG_F64, BRACE_LOWER_EXP));
	assert_false(brace_accepts(WAYMARK_DEBUG_OBJECT, BRACE_DISPLAY));
	assert_false(brace_accepts(BRACE_KINDS, BRACE_DISPLAY));
}

static void what_cannot_be_rendered_stands_as_written(void **state)
{
	struct waymark_debug one = waymark_debug_u8(1);
	char text[64];
	struct brace_sink s;

	(void)state;
	brace_sink_buffer(&s, text, sizeof(text));
	assert_int_equal(brace_format(&s, "{} {:04x}", 9, &one, 1), 8);
	assert_string_equal(text, "1 {:04x}");
	assert_string_equal(rendered("{} {:q} {}", one), "1 {:q} {}");
	assert_string_equal(rendered("{:x}", text_value("a")), "a");
	assert_string_equal(rendered("{}", waymark_debug_bytes("\1", 1)), "[1]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_come_in_order),
		cmocka_unit_test(bad_messages_are_refused_with_their_place),
		cmocka_unit_test(odd_placeholders_are_those_of_rust),
		cmocka_unit_test(kinds_accept_the_types_of_rust),
		cmocka_unit_test(what_cannot_be_rendered_stands_as_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
