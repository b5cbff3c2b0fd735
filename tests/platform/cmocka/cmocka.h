/* SPDX-License-Identifier: MIT */
/*
 * Replaces cmocka where it does not exist for the target's processor or C library: the part of
 * its interface that the unit tests use. The first check that fails ends the program, because
 * later results would prove nothing; skipped tests are reported as cmocka reports them.
 */
#ifndef TESTS_PLATFORM_CMOCKA_H
#define TESTS_PLATFORM_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
	const char *name;
	void (*test_func)(void **state);
	int (*setup_func)(void **state);
	int (*teardown_func)(void **state);
};

#define cmocka_unit_test(test)          \
	{                               \
#test, test, NULL, NULL \
	}
#define cmocka_unit_test_setup(test, setup) \
	{                                   \
#test, test, setup, NULL    \
	}
#define cmocka_unit_test_teardown(test, teardown) \
	{                                         \
#test, test, NULL, teardown       \
	}
#define cmocka_unit_test_setup_teardown(test, setup, teardown) \
	{                                                      \
#test, test, setup, teardown                   \
	}

#define print_message(...) fprintf(stdout, __VA_ARGS__)

/* skip() jumps here from any function and file: weak, so that all files share the buffer. */
__attribute__((weak)) jmp_buf cmocka_end;

__attribute__((noreturn, format(printf, 3, 4))) static inline void cmocka_stop(
	const char *file, int line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(stderr, "%s:%d: ", file, line);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	fflush(NULL);
	va_end(args);
	exit(EXIT_FAILURE);
}

#define CMOCKA_CHECK(condition, ...)                                  \
	do {                                                          \
		if (!(condition)) {                                   \
			cmocka_stop(__FILE__, __LINE__, __VA_ARGS__); \
		}                                                     \
	} while (0)

#define fail() cmocka_stop(__FILE__, __LINE__, "fail()")
#define fail_msg(...) cmocka_stop(__FILE__, __LINE__, __VA_ARGS__)
#define skip() longjmp(cmocka_end, 1)

#define assert_true(c) CMOCKA_CHECK(c, "not true: %s", #c)
#define assert_false(c) CMOCKA_CHECK(!(c), "true: %s", #c)
#define assert_non_null(p) CMOCKA_CHECK((p) != NULL, "NULL: %s", #p)
#define assert_null(p) CMOCKA_CHECK((p) == NULL, "not NULL: %s", #p)
#define assert_ptr_equal(a, b) CMOCKA_CHECK((a) == (b), "%s != %s", #a, #b)
#define assert_ptr_not_equal(a, b) CMOCKA_CHECK((a) != (b), "%s == %s", #a, #b)

/* Like cmocka, sign-extends narrower values. */
#define CMOCKA_COMPARE(a, op, b)                                                             \
	do {                                                                                 \
		uint64_t cmocka_a = (uint64_t)(a);                                           \
		uint64_t cmocka_b = (uint64_t)(b);                                           \
		CMOCKA_CHECK(cmocka_a op cmocka_b, "%#llx is not " #op " %#llx: %s, %s",     \
			(unsigned long long)cmocka_a, (unsigned long long)cmocka_b, #a, #b); \
	} while (0)

#define assert_int_equal(a, b) CMOCKA_COMPARE(a, ==, b)
#define assert_int_not_equal(a, b) CMOCKA_COMPARE(a, !=, b)
#define assert_in_range(v, low, high)        \
	do {                                 \
		CMOCKA_COMPARE(v, >=, low);  \
		CMOCKA_COMPARE(v, <=, high); \
	} while (0)

#define assert_float_equal(a, b, epsilon)                                                  \
	CMOCKA_CHECK((a) - (b) <= (epsilon) && (b) - (a) <= (epsilon), "%g != %g: %s, %s", \
		(double)(a), (double)(b), #a, #b)

#define assert_string_equal(a, b)                                                                 \
	do {                                                                                      \
		const char *cmocka_a = (a);                                                       \
		const char *cmocka_b = (b);                                                       \
		CMOCKA_CHECK(                                                                     \
			strcmp(cmocka_a, cmocka_b) == 0, "\"%s\" != \"%s\"", cmocka_a, cmocka_b); \
	} while (0)
#define assert_string_not_equal(a, b) CMOCKA_CHECK(strcmp(a, b) != 0, "equal: %s, %s", #a, #b)
#define assert_memory_equal(a, b, n) \
	CMOCKA_CHECK(memcmp(a, b, n) == 0, "other bytes: %s, %s", #a, #b)
#define assert_memory_not_equal(a, b, n) \
	CMOCKA_CHECK(memcmp(a, b, n) != 0, "the same bytes: %s, %s", #a, #b)

static inline void cmocka_run(const struct CMUnitTest *t)
{
	void *state = NULL;

	printf("%s\n", t->name);
	fflush(stdout);
	if (t->setup_func && t->setup_func(&state)) {
		cmocka_stop(t->name, 0, "its setup failed");
	}
	if (setjmp(cmocka_end) == 0) {
		t->test_func(&state);
	} else {
		printf("[  SKIPPED ] %s\n", t->name);
	}
	if (t->teardown_func && t->teardown_func(&state)) {
		cmocka_stop(t->name, 0, "its teardown failed");
	}
}

static inline int cmocka_run_all(const struct CMUnitTest *tests, size_t count,
	int (*setup)(void **state), int (*teardown)(void **state))
{
	void *state = NULL;

	if (setup && setup(&state)) {
		cmocka_stop("group", 0, "its setup failed");
	}
	for (size_t i = 0; i < count; i++) {
		cmocka_run(&tests[i]);
	}
	return teardown && teardown(&state) ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define cmocka_run_group_tests(tests, setup, teardown) \
	cmocka_run_all(tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown) \
	cmocka_run_group_tests(tests, setup, teardown)
#define _cmocka_run_group_tests(name, tests, count, setup, teardown) \
	cmocka_run_all(tests, count, setup, teardown)

#endif
