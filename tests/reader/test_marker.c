/* SPDX-License-Identifier: MIT */
/* Texts that programs write to the kernel's trace_marker, in all supported formats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "format/debug.h"
#include "read/kernel/marker.h"

#define SYNC (INT64_C(1) << 31)

static const struct {
	const char *text;
	enum marker_kind kind;
	const char *name; /* with a category; for a text, the message */
	const char *rest; /* arguments, message or value */
	int64_t number;
	uint32_t pid;
} rows[] = {
	/* formats of crosvm and of waymark/scope.h */
	{ "503 VirtioFs Enter: release - (self.tag: \"mtdroot\")(inode: 42)", MARKER_ENTER,
		"VirtioFs:release", "(self.tag: \"mtdroot\")(inode: 42)", SYNC + 503, 0 },
	{ "503 VirtioFs Exit: release", MARKER_EXIT, "VirtioFs:release", "", SYNC + 503, 0 },
	{ "4294967552 VirtioScsi Enter: READ(10) [x]", MARKER_ENTER, "VirtioScsi:READ(10) [x]", "",
		4294967552, 0 },
	{ "1 A Enter: a - (b) - (c: 1)", MARKER_ENTER, "A:a - (b)", "(c: 1)", SYNC + 1, 0 },
	{ "1 A Enter: ", MARKER_ENTER, "A:", "", SYNC + 1, 0 },
	{ "1 A Exit: a - (b: 1)", MARKER_EXIT, "A:a - (b: 1)", "", SYNC + 1, 0 },
	{ "18446744073709551615 A Exit: a", MARKER_EXIT, "A:a", "", INT64_MAX, 0 },
	{ "-2147483648 VirtioNet Flow begin: packet | x - (n: 9)", MARKER_ASYNC,
		"VirtioNet:packet | x", "(n: 9)", INT32_MIN, 0 },
	{ "7 VirtioNet Flow step: sent", MARKER_STEP, "VirtioNet:sent", "", 7, 0 },
	{ "7 VirtioNet Flow end: packet | x", MARKER_ASYNC_END, "VirtioNet:packet | x", "", 7, 0 },
	{ "VirtioNet Counter: in flight - (value: 10)", MARKER_COUNTER, "VirtioNet:in flight",
		"(value: 10)", 0, 0 },
	{ "VirtioNet Instant: kick", MARKER_INSTANT, "VirtioNet:kick", "", 0, 0 },
	/* texts in no known format */
	{ "503 VirtioFs Enter", MARKER_TEXT, "503 VirtioFs Enter", "", 0, 0 },
	{ "VirtioFs Enter: no number", MARKER_TEXT, "VirtioFs Enter: no number", "", 0, 0 },
	{ "5 VirtioFs Instant: a number", MARKER_TEXT, "5 VirtioFs Instant: a number", "", 0, 0 },
	{ "5 two words Enter: x", MARKER_TEXT, "5 two words Enter: x", "", 0, 0 },
	{ "", MARKER_TEXT, "", "", 0, 0 },
	/* declared in TOML */
	{ "[SCOPE_START][frame] fd 5 | \"x\"", MARKER_BEGIN, "frame", "fd 5 | \"x\"", 0, 0 },
	{ "[SCOPE_START][frame] ", MARKER_BEGIN, "frame", "", 0, 0 },
	{ "[SCOPE_END]", MARKER_END, "", "", 0, 0 },
	{ "[SCOPE_START(id=-7)][frame] fd 5", MARKER_ASYNC, "frame", "fd 5", -7, 0 },
	{ "[SCOPE_END(id=-7)][frame] fd 5", MARKER_ASYNC_END, "frame", "fd 5", -7, 0 },
	{ "[SCOPE_START]frame", MARKER_TEXT, "[SCOPE_START]frame", "", 0, 0 },
	{ "[SCOPE_END] of mine", MARKER_TEXT, "[SCOPE_END] of mine", "", 0, 0 },
	{ "[SCOPE_START(id=x)][frame] ", MARKER_TEXT, "[SCOPE_START(id=x)][frame] ", "", 0, 0 },
	/* Android's format */
	{ "B|4711|VirtioFs:read - (n: 3)", MARKER_BEGIN, "VirtioFs:read", "(n: 3)", 0, 4711 },
	{ "B|4711|[frame] fd 5 | x", MARKER_BEGIN, "frame", "fd 5 | x", 0, 4711 },
	{ "B|4711|draw | 12", MARKER_BEGIN, "draw | 12", "", 0, 4711 },
	{ "E|4711", MARKER_END, "", "", 0, 4711 },
	{ "E|", MARKER_END, "", "", 0, 0 },
	{ "S|4711|p / x|-2147483648", MARKER_ASYNC, "p / x", "", INT32_MIN, 4711 },
	{ "F|4711|p / x|-2147483648", MARKER_ASYNC_END, "p / x", "", INT32_MIN, 4711 },
	{ "C|4711|in / flight|10", MARKER_COUNTER, "in / flight", "10", 0, 4711 },
	{ "I|4711|VirtioNet:kick | x", MARKER_INSTANT, "VirtioNet:kick | x", "", 0, 4711 },
	{ "I|4711|vsync", MARKER_INSTANT, "vsync", "", 0, 4711 },
	{ "I|4711|a new request", MARKER_TEXT, "a new request", "", 0, 4711 },
	{ "I|4711|a b - (n: 3)", MARKER_TEXT, "a b - (n: 3)", "", 0, 4711 },
	{ "B|x|y", MARKER_TEXT, "B|x|y", "", 0, 0 },
	{ "S|4711|p", MARKER_TEXT, "S|4711|p", "", 0, 0 },
	{ "S|4711|p|x", MARKER_TEXT, "S|4711|p|x", "", 0, 0 },
	{ "E|4711 of mine", MARKER_TEXT, "E|4711 of mine", "", 0, 0 },
	{ "Z|4711|p", MARKER_TEXT, "Z|4711|p", "", 0, 0 },
	/* OpenHarmony's format */
	{ "B|4711|H:[frame] a / b", MARKER_BEGIN, "frame", "a / b", 0, 4711 },
	{ "E|4711|", MARKER_END, "", "", 0, 4711 },
	{ "S|4711|H:VirtioNet:packet / x 7", MARKER_ASYNC, "VirtioNet:packet / x", "", 7, 4711 },
	{ "F|4711|H:VirtioNet:packet / x 7", MARKER_ASYNC_END, "VirtioNet:packet / x", "", 7,
		4711 },
	{ "C|4711|H:in / flight 10", MARKER_COUNTER, "in / flight", "10", 0, 4711 },
	{ "I|4711|H:a new request", MARKER_TEXT, "a new request", "", 0, 4711 },
};

static void markers_are_distinguished(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[200];
		char name[100];
		struct marker m;

		snprintf(text, sizeof(text), "%s", rows[i].text);
		marker_parse(&m, text);
		bool is_text = m.kind == MARKER_TEXT;
		struct span rest = m.arguments.len ? m.arguments
				   : m.value.text  ? m.value
				   : is_text	   ? (struct span){ "", 0 }
						   : m.message;

		snprintf(name, sizeof(name), "%.*s%s%.*s", SPAN_ARGS(m.category),
			m.category.len ? ":" : "", SPAN_ARGS(is_text ? m.message : m.name));
		if (m.kind != rows[i].kind || strcmp(name, rows[i].name) != 0 ||
			!span_equals(rest, rows[i].rest) ||
			(!is_text && m.number != rows[i].number) || m.pid != rows[i].pid) {
			fail_msg("%s: kind %d, '%s', '%.*s', %lld, %u", rows[i].text, m.kind, name,
				SPAN_ARGS(rest), (long long)m.number, m.pid);
		}
	}
}

/* Writes a value as `kind text`. */
static void describe(char *out, size_t size, const struct value *v)
{
	static const char *const kinds[] = { [DEBUG_U64] = "u64",
		[DEBUG_I64] = "i64",
		[DEBUG_F64] = "f64",
		[DEBUG_BOOL] = "bool",
		[DEBUG_CHAR] = "char",
		[DEBUG_POINTER] = "pointer",
		[DEBUG_STRING] = "string",
		[DEBUG_TREE] = "text" };
	double number;

	memcpy(&number, &v->number, sizeof(number));
	if (v->kind == VALUE_STRING && !v->text) {
		snprintf(out, size, "NULL");
	} else if (v->debug == DEBUG_TREE) { /* a byte for the kind, one for the length, the end */
		snprintf(out, size, "text %.*s", (int)v->length - 3, v->text + 2);
	} else if (v->kind == VALUE_STRING) {
		snprintf(out, size, "string %.*s", (int)v->length, v->text);
	} else if (v->debug == DEBUG_F64) {
		snprintf(out, size, "f64 %g", number);
	} else {
		snprintf(out, size, "%s %lld", kinds[v->debug], (long long)v->number);
	}
}

static const struct {
	const char *arguments;
	const char *fields[5][2];
} lists[] = {
	{ "(slot: 512)", { { "slot", "u64 512" } } },
	{ "(a: -128)(b: 18446744073709551615)(c: 18446744073709551616)(d: 007)",
		{ { "a", "i64 -128" }, { "b", "u64 -1" }, { "c", "text 18446744073709551616" },
			{ "d", "text 007" } } },
	{ "(a: true)(b: false)(c: NULL)(d: None)",
		{ { "a", "bool 1" }, { "b", "bool 0" }, { "c", "NULL" }, { "d", "text None" } } },
	{ "(a: 0.33333334)(b: 1e300)(c: -3.0)(d: NaN)",
		{ { "a", "f64 0.333333" }, { "b", "f64 1e+300" }, { "c", "f64 -3" },
			{ "d", "f64 nan" } } },
	{ "(a: 'x')(b: '\\'')(c: '\\u{20ac}')(d: 'ab')",
		{ { "a", "char 120" }, { "b", "char 39" }, { "c", "char 8364" },
			{ "d", "text 'ab'" } } },
	{ "(a: 0x0)(b: 0x1000)(c: 0xg)(d: 0x)", { { "a", "pointer 0" }, { "b", "pointer 4096" },
							{ "c", "text 0xg" }, { "d", "text 0x" } } },
	{ "(a: \"b \\\"c\\\"\\n\")(d: \")(e: 1)\")(f: \"\\u{e9}\\x41\")",
		{ { "a", "string b \"c\"\n" }, { "d", "string )(e: 1)" },
			{ "f", "string \xc3\xa9"
			       "A" } } },
	{ "(f((touch(), 5)): Some(Handle { id: 3, b: [1, 2] }))(\"lit, (e\": 1)('\"': 34)",
		{ { "f((touch(), 5))", "text Some(Handle { id: 3, b: [1, 2] })" },
			{ "\"lit, (e\"", "u64 1" }, { "'\"'", "u64 34" } } },
	{ "(a ? b : c: 5)(std::x(y): 6)", { { "a ? b : c", "u64 5" }, { "std::x(y)", "u64 6" } } },
	/* cut, or in an unknown format */
	{ "(a: 1)(b: \"xyz...", { { "a", "u64 1" }, { "b", "text \"xyz..." } } },
	{ "(a: 1)(b", { { "a", "u64 1" }, { "rest", "text (b" } } },
	{ "(a: x(y)(b: 1)", { { "a", "text x(y)(b: 1" } } },
	{ "(a: x)y)(b: 1)", { { "a", "text x)y" }, { "b", "u64 1" } } },
	{ "(a: )", { { "a", "text " } } },
	{ "(a: \"\\q\")(b: \"\\u{d8000000}\")(c: \"\\\")",
		{ { "a", "text \"\\q\"" }, { "b", "text \"\\u{d8000000}\"" },
			{ "c", "text \"\\\"" } } },
};

static void check_list(size_t list, const struct marker_field *fields, size_t count)
{
	for (size_t i = 0; i < 5; i++) {
		const char *const *wanted = lists[list].fields[i];
		struct span expression = { "", 0 };
		char value[200] = "";

		if (i < count) {
			expression = fields[i].expression;
			describe(value, sizeof(value), &fields[i].value);
		}
		if (!span_equals(expression, wanted[0] ? wanted[0] : "") ||
			strcmp(value, wanted[0] ? wanted[1] : "") != 0) {
			fail_msg("%s: argument %zu of %zu is '%.*s', '%s'", lists[list].arguments,
				i, count, SPAN_ARGS(expression), value);
		}
	}
}

static void arguments_are_values(void **state)
{
	struct marker_field fields[5];
	char room[500];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		const char *text = lists[i].arguments;
		size_t count = marker_fields(fields, 5, (struct span){ text, strlen(text) }, room);

		check_list(i, fields, count);
	}
}

static void too_many_arguments_are_one(void **state)
{
	const char text[] = "(a: 1)(b: 2)(c: 3)";
	struct marker_field fields[2];
	char room[100];
	char value[100];

	(void)state;
	assert_int_equal(marker_fields(fields, 2, (struct span){ text, strlen(text) }, room), 2);
	describe(value, sizeof(value), &fields[1].value);
	assert_string_equal(value, "text 2)(c: 3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markers_are_distinguished),
		cmocka_unit_test(arguments_are_values),
		cmocka_unit_test(too_many_arguments_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
