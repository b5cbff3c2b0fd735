/* SPDX-License-Identifier: MIT */
/* Formats: parsing, and checks against the arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "decl/decl.h"
#include "model/mend.h"

struct fixture {
	struct model model;
	struct diag diag;
};

static int set_up(void **state)
{
	static struct fixture f;

	model_init(&f.model);
	diag_init(&f.diag);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	model_fini(&f->model);
	diag_fini(&f->diag);
	return 0;
}

/* Parses a format; returns false if it was refused. */
static bool parse(struct fixture *f, struct format *format, const char *text)
{
	struct source *source = arena_new(&f->model.arena, struct source);

	*source = (struct source){ "f", text, strlen(text) };
	struct scan in = { source, 0, source->len };

	return format_parse(format,
		&(struct format_reading){ .arena = &f->model.arena, .diag = &f->diag }, &in);
}

/* Returns the verdict on `e(<type> a) "<conversion>"`: errors * 10 + warnings. */
static int verdict(const char *type, const char *conversion)
{
	char text[256];
	struct fixture f;
	const struct decl_options options = { 0 };

	model_init(&f.model);
	diag_init(&f.diag);
	snprintf(text, sizeof(text), "e(%s a) \"%s\n", type, conversion);
	const struct source source = { "f", text, strlen(text) };

	decl_read(&f.model, &f.diag, &source, &options);
	int result = (int)(f.diag.errors * 10 + f.diag.warnings);

	model_fini(&f.model);
	diag_fini(&f.diag);
	return result;
}

static void text_and_conversions_come_apart_in_order(void **state)
{
	struct fixture *f = *state;
	struct format format;

	assert_true(parse(f, &format, "\"a %-+8.3d b\" \" 100%% 0x%016\"PRIx64 \"c\""));
	assert_int_equal(format.count, 3);
	assert_int_equal(format.args, 2);

	const struct segment *s = format.segments;

	assert_memory_equal(s[0].text, "a ", s[0].len);
	assert_string_equal(s[0].conversion.flags, "-+");
	assert_int_equal(s[0].conversion.width, 8);
	assert_int_equal(s[0].conversion.precision, 3);
	assert_int_equal(s[0].conversion.letter, 'd');
	assert_int_equal(s[0].conversion.arg, 0);
	assert_int_equal(s[1].len, strlen(" b 100% 0x"));
	assert_memory_equal(s[1].text, " b 100% 0x", s[1].len);
	assert_string_equal(s[1].conversion.flags, "0");
	assert_string_equal(s[1].conversion.length, "64");
	assert_int_equal(s[1].conversion.arg, 1);
	assert_false(s[2].has_conversion);
	assert_memory_equal(s[2].text, "c", 1);
	assert_string_equal(format.source, "\"a %-+8.3d b\" \" 100%% 0x%016\" PRIx64 \"c\"");
}

static void stars_take_arguments_before_their_value(void **state)
{
	struct fixture *f = *state;
	struct format format;

	assert_true(parse(f, &format, "\"%0*\" PRIx64 \" %.*s\""));
	assert_int_equal(format.args, 4);

	const struct conversion *c = &format.segments[0].conversion;

	assert_int_equal(c->width_arg, 0);
	assert_int_equal(c->arg, 1);
	assert_int_equal(c->precision_arg, FORMAT_NO_ARG);
	c = &format.segments[1].conversion;
	assert_int_equal(c->width_arg, FORMAT_NO_ARG);
	assert_int_equal(c->precision_arg, 2);
	assert_int_equal(c->arg, 3);
}

static void escapes_are_decoded(void **state)
{
	struct fixture *f = *state;
	struct format format;

	assert_true(parse(f, &format, "\"\\\"\\\\\\t\\x41\\102\\7\\?\\'\""));
	assert_int_equal(format.count, 1);
	assert_int_equal(format.segments[0].len, 8);
	assert_memory_equal(format.segments[0].text, "\"\\\tAB\a?'", 8);
}

static void an_empty_format_has_no_segments(void **state)
{
	struct fixture *f = *state;
	struct format format;

	assert_true(parse(f, &format, "\"\""));
	assert_int_equal(format.count, 0);
	assert_string_equal(format.source, "\"\"");
}

static void a_refused_format_keeps_its_text_only(void **state)
{
	struct fixture *f = *state;
	struct format format;

	assert_false(parse(f, &format, "\"a %d %m\"  "));
	assert_int_equal(format.count, 0);
	assert_int_equal(format.args, 0);
	assert_string_equal(format.source, "\"a %d %m\"");
	assert_int_equal(f->diag.errors, 1);
}

static void a_prefix_moves_the_arguments_up(void **state)
{
	struct fixture *f = *state;
	struct format prefix;
	struct format format;

	assert_true(parse(f, &prefix, "\"cpu=%p \""));
	assert_true(parse(f, &format, "\"x=%0*d\""));
	format_prepend(&format, &f->model.arena, &prefix);
	assert_int_equal(format.count, 2);
	assert_int_equal(format.args, 3);
	assert_int_equal(format.segments[0].conversion.arg, 0);
	assert_memory_equal(format.segments[1].text, " x=", 3);
	assert_int_equal(format.segments[1].conversion.width_arg, 1);
	assert_int_equal(format.segments[1].conversion.arg, 2);
	assert_int_equal(format.segments[1].conversion.precision_arg, FORMAT_NO_ARG);
	assert_string_equal(format.source, "\"cpu=%p \" \"x=%0*d\"");
}

/* 0: right everywhere; 1: a warning; 10: an error. */
static void lengths_are_checked_for_both_word_sizes(void **state)
{
	static const struct {
		const char *type;
		const char *conversion;
		int verdict;
	} rows[] = {
		{ "bool", "%d\"", 0 },
		{ "char", "%c\"", 0 },
		{ "char", "%d\"", 0 },
		{ "short", "%hd\"", 0 },
		{ "short", "%hhd\"", 1 },
		{ "uint8_t", "%hx\"", 0 },
		{ "uint16_t", "%x\"", 0 },
		{ "uint32_t", "%x\"", 0 },
		{ "uint32_t", "%d\"", 0 },
		{ "uint32_t", "%\" PRIx8", 1 },
		{ "uint32_t", "%lx\"", 1 },
		{ "uint32_t", "%llx\"", 10 },
		{ "int", "%zd\"", 1 },
		{ "unsigned long", "%lu\"", 0 },
		{ "unsigned long", "%zu\"", 0 },
		{ "unsigned long", "%u\"", 1 },
		{ "unsigned long", "%\" PRIu64", 1 },
		{ "unsigned long", "%hx\"", 1 },
		{ "size_t", "%lu\"", 0 },
		{ "size_t", "%\" PRIxPTR", 0 },
		{ "uint64_t", "%llu\"", 0 },
		{ "uint64_t", "%ju\"", 0 },
		{ "uint64_t", "%lu\"", 1 },
		{ "uint64_t", "%u\"", 10 },
		{ "uint64_t", "%c\"", 10 },
		{ "uint64_t", "%hhu\"", 10 },
		{ "long long", "%\" PRId64", 0 },
		{ "void *", "%p\"", 0 },
		{ "void *", "%x\"", 10 },
		{ "const char *", "%p\"", 0 },
		{ "const char *", "%s\"", 0 },
		{ "const char *", "%lx\"", 10 },
		{ "uint8_t *", "%s\"", 10 },
		{ "uintptr_t", "%p\"", 10 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int found = verdict(rows[i].type, rows[i].conversion);

		if (found != rows[i].verdict) {
			fail_msg("%s with \"%s: %d, not %d", rows[i].type, rows[i].conversion,
				found, rows[i].verdict);
		}
	}
}

/* A message's proposal must be valid itself. */
static void what_is_proposed_is_accepted(void **state)
{
	static const char *const types[] = { "bool", "char", "signed char", "unsigned short", "int",
		"unsigned", "long", "unsigned long", "long long", "uint8_t", "int16_t", "uint32_t",
		"int64_t", "uint64_t", "size_t", "ssize_t", "uintptr_t", "ptrdiff_t", "void *",
		"const char *", "char **" };
	struct fixture *f = *state;

	for (size_t i = 0; i < 2 * ARRAY_SIZE(types); i++) {
		const char *text = types[i / 2];
		struct type t;

		assert_true(type_parse(&t, &f->model.arena, text, strlen(text)));
		const char *conversion = mend_conversion(&f->model.arena, &t, i % 2);
		bool is_open = !strchr(conversion, '"');

		assert_int_equal(verdict(text, arena_printf(&f->model.arena, "%s%s", conversion,
						       is_open ? "\"" : "")),
			0);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(text_and_conversions_come_apart_in_order),
		TEST(stars_take_arguments_before_their_value),
		TEST(escapes_are_decoded),
		TEST(an_empty_format_has_no_segments),
		TEST(a_refused_format_keeps_its_text_only),
		TEST(a_prefix_moves_the_arguments_up),
		TEST(lengths_are_checked_for_both_word_sizes),
		TEST(what_is_proposed_is_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
