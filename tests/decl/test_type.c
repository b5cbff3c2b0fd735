/* SPDX-License-Identifier: MIT */
/* Texts of types: which are valid, and their type in the model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "model/type.h"

static struct arena arena;

static bool parse(struct type *t, const char *text)
{
	return type_parse(t, &arena, text, strlen(text));
}

static void sizes_and_lengths_are_those_of_c(void **state)
{
	static const struct {
		const char *text;
		const char *length;
		bool is_signed;
		uint8_t size32;
		uint8_t size64;
	} rows[] = {
		{ "bool", "", false, 1, 1 },
		{ "char", "hh", true, 1, 1 },
		{ "unsigned char", "hh", false, 1, 1 },
		{ "short", "h", true, 2, 2 },
		{ "int", "", true, 4, 4 },
		{ "signed", "", true, 4, 4 },
		{ "unsigned", "", false, 4, 4 },
		{ "long", "l", true, 4, 8 },
		{ "long unsigned int", "l", false, 4, 8 },
		{ "int unsigned long", "l", false, 4, 8 },
		{ "long long", "ll", true, 8, 8 },
		{ "long int long unsigned", "ll", false, 8, 8 },
		{ "uint8_t", "hh", false, 1, 1 },
		{ "int32_t", "32", true, 4, 4 },
		{ "uint64_t", "64", false, 8, 8 },
		{ "size_t", "z", false, 4, 8 },
		{ "ssize_t", "z", true, 4, 8 },
		{ "uintptr_t", "PTR", false, 4, 8 },
		{ "ptrdiff_t", "t", true, 4, 8 },
		{ "const uint16_t", "h", false, 2, 2 },
		{ "int const", "", true, 4, 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct type t;

		assert_true(parse(&t, rows[i].text));
		assert_string_equal(t.text, rows[i].text);
		assert_string_equal(t.length, rows[i].length);
		assert_int_equal(t.class, TYPE_INTEGER);
		assert_int_equal(t.is_signed, rows[i].is_signed);
		assert_int_equal(t.size32, rows[i].size32);
		assert_int_equal(t.size64, rows[i].size64);
	}
}

#define ASSERT_HOST_SIZE(text, ctype)                                                       \
	do {                                                                                \
		struct type t;                                                              \
                                                                                            \
		assert_true(parse(&t, text));                                               \
		assert_int_equal(sizeof(void *) == 8 ? t.size64 : t.size32, sizeof(ctype)); \
		assert_int_equal(t.is_signed, (ctype)-1 < (ctype)1);                        \
	} while (0)

static void sizes_are_those_of_this_compiler(void **state)
{
	(void)state;
	ASSERT_HOST_SIZE("bool", bool);
	ASSERT_HOST_SIZE("short", short);
	ASSERT_HOST_SIZE("int", int);
	ASSERT_HOST_SIZE("unsigned", unsigned);
	ASSERT_HOST_SIZE("long", long);
	ASSERT_HOST_SIZE("unsigned long", unsigned long);
	ASSERT_HOST_SIZE("long long", long long);
	ASSERT_HOST_SIZE("int8_t", int8_t);
	ASSERT_HOST_SIZE("uint16_t", uint16_t);
	ASSERT_HOST_SIZE("int32_t", int32_t);
	ASSERT_HOST_SIZE("uint64_t", uint64_t);
	ASSERT_HOST_SIZE("size_t", size_t);
	ASSERT_HOST_SIZE("ssize_t", ssize_t);
	ASSERT_HOST_SIZE("uintptr_t", uintptr_t);
	ASSERT_HOST_SIZE("ptrdiff_t", ptrdiff_t);
}

static void only_one_star_upon_char_is_a_string(void **state)
{
	static const struct {
		const char *text;
		enum type_class class;
	} rows[] = {
		{ "char *", TYPE_STRING },
		{ "const char *", TYPE_STRING },
		{ "char const *", TYPE_STRING },
		{ "char **", TYPE_POINTER },
		{ "const char *const *", TYPE_POINTER },
		{ "signed char *", TYPE_POINTER },
		{ "unsigned char *", TYPE_POINTER },
		{ "uint8_t *", TYPE_POINTER },
		{ "void *", TYPE_POINTER },
		{ "const void **", TYPE_POINTER },
		{ "long unsigned int ***", TYPE_POINTER },
		{ "bool *", TYPE_POINTER },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct type t;

		assert_true(parse(&t, rows[i].text));
		assert_int_equal(t.class, rows[i].class);
		assert_int_equal(t.size32, 4);
		assert_int_equal(t.size64, 8);
		assert_false(t.is_bool);
		assert_false(t.is_char);
	}
}

static void blanks_become_regular(void **state)
{
	static const char *const rows[][2] = {
		{ "const char*", "const char *" },
		{ "  const   char\t* ", "const char *" },
		{ "char * *", "char **" },
		{ "char*const*", "char *const *" },
		{ "unsigned   int", "unsigned int" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct type t;

		assert_true(parse(&t, rows[i][0]));
		assert_string_equal(t.text, rows[i][1]);
	}
}

static void other_types_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"*",
		"const",
		"void",
		"const void",
		"float",
		"double",
		"long double",
		"struct foo *",
		"CPUState *",
		"hwaddr",
		"uint128_t",
		"_Bool",
		"volatile int",
		"int int",
		"long long long",
		"long long long *",
		"short long",
		"long char",
		"signed unsigned",
		"unsigned uint8_t",
		"uint8_t uint8_t",
		"const const int",
		"char *int",
		"* char",
		"int[4]",
		"int, int",
		"TCGv *",
		"int int int int int int int int int int int int int int int int int",
		"uint8_t uint8_t uint8_t uint8_t uint8_t uint8_t uint8_t uint8_t uint8_t",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct type t;

		if (parse(&t, texts[i])) {
			fail_msg("'%s' was accepted", texts[i]);
		}
	}
}

static void values_of_the_guest_arrive_as_integers_or_pointers(void **state)
{
	struct type t;

	(void)state;
	assert_true(parse(&t, "TCGv"));
	assert_int_equal(t.class, TYPE_TCG);
	assert_string_equal(type_of_execution(&t), "uint64_t");
	assert_true(parse(&t, "const TCGv_i32"));
	assert_string_equal(type_of_execution(&t), "uint32_t");
	assert_true(parse(&t, "TCGv_i64"));
	assert_string_equal(type_of_execution(&t), "uint64_t");
	assert_true(parse(&t, "TCGv_env"));
	assert_string_equal(type_of_execution(&t), "void *");
}

static void a_lenient_reader_guesses_every_type(void **state)
{
	struct type t;

	(void)state;
	type_guess(&t, &arena, "hwaddr", 6);
	assert_int_equal(t.class, TYPE_INTEGER);
	assert_int_equal(t.size32, 8);
	type_guess(&t, &arena, "struct  foo*", 12);
	assert_int_equal(t.class, TYPE_POINTER);
	assert_string_equal(t.text, "struct foo *");
	type_guess(&t, &arena, "char *", 6);
	assert_int_equal(t.class, TYPE_STRING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_and_lengths_are_those_of_c),
		cmocka_unit_test(sizes_are_those_of_this_compiler),
		cmocka_unit_test(only_one_star_upon_char_is_a_string),
		cmocka_unit_test(blanks_become_regular),
		cmocka_unit_test(other_types_are_refused),
		cmocka_unit_test(values_of_the_guest_arrive_as_integers_or_pointers),
		cmocka_unit_test(a_lenient_reader_guesses_every_type),
	};

	arena_init(&arena);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_fini(&arena);
	return failed;
}
