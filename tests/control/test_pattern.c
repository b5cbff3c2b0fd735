/* SPDX-License-Identifier: MIT */
/* Regular expressions as patterns: matches, errors, and matching in a fork's child. */
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trace/control.h>

#include "made.h"
#include "rt/event/pattern.h"
#include "rt/event/rule.h"
#include "unit.h"

#define BOTH (WAYMARK_LOG | WAYMARK_SIMPLE)

static struct waymark_error error;

static bool meets(const char *pattern, const char *name)
{
	struct pattern p;

	assert_int_equal(waymark_pattern_init(&p, pattern, &error), 0);
	bool met = waymark_pattern_matches_text(&p, name);

	waymark_pattern_fini(&p);
	return met;
}

static const char *refusal(const char *pattern)
{
	struct pattern p;

	assert_int_equal(waymark_pattern_init(&p, pattern, &error), -1);
	return error.text;
}

static void expression_meets_any_part_of_a_name(void **state)
{
	(void)state;
	assert_true(meets("/read/", "blk_read_done"));
	assert_false(meets("/^read/", "blk_read_done"));
	assert_true(meets("/^(blk|nbd)_[a-z]+_done$/", "nbd_read_done"));
	assert_false(meets("/^(blk|nbd)_[a-z]+_done$/", "nbd_read_done_"));
	assert_true(meets("/x{2,3}y/", "axxy"));
	assert_false(meets("/x{2,3}y/", "axy"));
	assert_true(meets("/a/b|c/", "c"));
	assert_true(meets("/[[:digit:]/]/", "irq7"));
	assert_false(meets("/READ/", "blk_read"));
}

static void name_of_a_category_meets_all_that_is_in_it(void **state)
{
	(void)state;
	assert_true(meets("VirtioFs", "VirtioFs:read (zero-message)"));
	assert_true(meets("VirtioFs", "VirtioFs:"));
	assert_true(meets("VirtioFs", "VirtioFs:a:b"));
	assert_true(meets("VirtioFs", "VirtioFs"));
	assert_true(meets("VirtioFs:a:b", "VirtioFs:a:b"));
	assert_true(meets("VirtioFs:re*", "VirtioFs:read"));
	assert_true(meets("/^VirtioFs:/", "VirtioFs:read"));
	assert_false(meets("VirtioFs", "VirtioFsx:read"));
	assert_false(meets("VirtioFs", "VirtioF:read"));
	assert_false(meets("VirtioFs", "read VirtioFs:"));
	assert_false(meets("VirtioFs:a", "VirtioFs:a:b"));
	assert_false(meets("VirtioFs:", "VirtioFs:a"));
	assert_false(meets("virtiofs", "VirtioFs:a"));
	assert_false(meets(":", ":a"));
}

static void names_and_globs_are_what_they_were(void **state)
{
	(void)state;
	assert_true(meets("blk_read", "blk_read"));
	assert_false(meets("blk_read", "blk_reads"));
	assert_false(meets("blk.read", "blk_read"));
	assert_true(meets("*_r?ad", "blk_read"));
	assert_false(meets("", "blk_read"));
	assert_true(trace_event_is_pattern("/blk/"));
	assert_true(trace_event_is_pattern("/blk"));
	assert_true(trace_event_is_pattern("blk*"));
	assert_false(trace_event_is_pattern("blk"));
}

static void bad_expression_is_refused_with_the_reason(void **state)
{
	(void)state;
	assert_string_equal(refusal("/"),
		"'/': a regular expression has a slash at each end; the second one is missing");
	assert_non_null(strstr(refusal("/blk"), "the second one is missing"));
	assert_string_equal(refusal("//"), "regular expression '//': it is empty");
	assert_string_equal(
		refusal("/a[b/"), "regular expression '/a[b/': Unmatched [, [^, [:, [., or [=");
	assert_string_equal(refusal("/(a/"), "regular expression '/(a/': Unmatched ( or \\(");
	assert_string_equal(refusal("/(a)\\1/"),
		"regular expression '/(a)\\1/': back-references are not supported");
	assert_true(meets("/[\\1]a/", "1a")); /* in brackets it is no back-reference */
}

/* Each would take minutes or gigabytes. */
static void expression_that_grows_is_refused(void **state)
{
	static const char *const large[] = {
		"/((a{255}){255}){255}/",
		"/a{2000}/",
		"/a{,2000}/",
		"/a{1,99999999999999999999}/",
		"/(((((a{9}){9}){9}){9}){9})/",
		"/((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)/",
		"/(a|b[]{}]{40}){40}/",
		"/a{40}{40}/",
	};
	char deep[128] = "/";
	char longer[2048];

	(void)state;
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		assert_non_null(strstr(refusal(large[i]), "more than 1024 positions"));
	}
	memset(longer, 'a', sizeof(longer) - 1);
	longer[0] = longer[sizeof(longer) - 2] = '/';
	longer[sizeof(longer) - 1] = '\0';
	assert_non_null(strstr(refusal(longer), "it has more than 1024 bytes"));
	memset(deep + 1, '(', 33);
	strcpy(deep + 34, "/");
	assert_non_null(strstr(refusal(deep), "more than 32 nested groups"));
	assert_true(meets("/^(a{10}){10}$/", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
					     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}

/* glibc's regcomp() takes minutes for some of these; a fuzzer found them. */
static void endless_repetition_of_what_may_be_empty_is_refused(void **state)
{
	static const char *const refused[] = {
		"/^h+++??+++??++:++c+G+MMMMM+:+++55}:++c+G+MMMMM+:+++55}/",
		"/(h+?)+/",
		"/(a*)*/",
		"/a*+/",
		"/a{0,2}*/",
		"/a{,2}{3,}/",
		"/(a|b*|c?)+/",
		"/(a|)+/",
		"/()*/",
		"/(^|x)+/",
		"/a\\b+/",
		"/((a*b*)c?)*/",
		"/(a|(b|(c|d*)))*/",
	};
	static const char *const allowed[] = {
		"/(a*b)+/",
		"/(a|b+)*/",
		"/a{2,}?/",
		"/a{1,2}*/",
		"/a{10}+/",
		"/(^x)+/",
		"/(a?)?/",
		"/((a|b)c*)*/",
		"/[]*]+/",
		"/(a*){3}/",
		"/(|a+){0,2}/",
		"/\\++/",
		"/a)+/",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_non_null(strstr(refusal(refused[i]), "something that may be empty"));
	}
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		meets(allowed[i], "a");
	}
	assert_non_null(strstr(refusal("/a|*/"), "Invalid preceding"));
}

static void bad_expression_changes_nothing(void **state)
{
	struct made *a = made_registered("a%d", 3, BOTH);

	(void)state;
	assert_int_equal(waymark_configure("a0,enable=/(/,enable=a1", &error), -1);
	assert_non_null(strstr(error.text, "regular expression '/(/'"));
	assert_int_equal(waymark_enable("/a[/", BOTH, NULL, &error), -1);
	assert_int_equal(waymark_get_state(&a->events[0]), 0);
	assert_int_equal(waymark_get_state(&a->events[1]), 0);
	made_gone(a);
}

static void expression_switches_now_and_later(void **state)
{
	struct made *a = made_registered("a%d", 12, BOTH);
	struct waymark_match match;

	(void)state;
	assert_int_equal(waymark_enable("/a[0-2]$/", WAYMARK_LOG, &match, &error), 0);
	assert_int_equal(match.events, 3);
	assert_int_equal(waymark_get_state(&a->events[2]), WAYMARK_LOG);
	assert_int_equal(waymark_get_state(&a->events[10]), 0);
	assert_int_equal(waymark_configure("-/a1/", &error), 0);
	assert_int_equal(waymark_get_state(&a->events[1]), 0);
	struct made *b = made_registered("ba%d", 12, BOTH);

	assert_int_equal(waymark_get_state(&b->events[0]), WAYMARK_LOG);
	assert_int_equal(waymark_get_state(&b->events[1]), 0);
	assert_int_equal(waymark_get_state(&b->events[3]), 0);
	made_gone(a);
	made_gone(b);
	waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
}

static void expression_is_known_by_its_text(void **state)
{
	(void)state;
	for (int i = 0; i < 1000; i++) {
		waymark_enable("/one|two/", BOTH, NULL, NULL);
		waymark_disable("/one|two/", BOTH, NULL, NULL);
	}
	waymark_enable("/one|two/", BOTH, NULL, NULL);
	struct made *a = made_registered("one%d", 1, BOTH);

	assert_int_equal(waymark_get_state(&a->events[0]), BOTH);
	made_gone(a);
	waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
}

/*
 * An expression already in use needs no new entry, and switching all events off frees the entries.
 */
static void expressions_in_force_are_bounded(void **state)
{
	char pattern[32];

	(void)state;
	assert_int_equal(waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, &error), 0);
	for (unsigned int i = 0; i < RULES_EXPRESSIONS_MAX; i++) {
		snprintf(pattern, sizeof(pattern), "/nothing_.%u/", i);
		assert_int_equal(waymark_enable(pattern, WAYMARK_ANY_BACKEND, NULL, &error), 0);
	}
	assert_int_equal(waymark_disable("/nothing_.7/", WAYMARK_ANY_BACKEND, NULL, &error), 0);
	assert_int_equal(waymark_enable("/one.more/", WAYMARK_ANY_BACKEND, NULL, &error), -1);
	assert_string_equal(error.text,
		"more than 256 regular expressions; switch '*' to remove the earlier ones");
	assert_int_equal(waymark_enable("nothing_*", WAYMARK_ANY_BACKEND, NULL, &error), 0);
	assert_int_equal(waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, &error), 0);
	assert_int_equal(waymark_enable("/one.more/", WAYMARK_ANY_BACKEND, NULL, &error), 0);
	assert_int_equal(waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, &error), 0);
}

static void iteration_takes_expressions(void **state)
{
	struct made *a = made_registered("a%d", 30, BOTH);
	TraceEventIter iter;
	size_t n = 0;

	(void)state;
	trace_event_iter_init_pattern(&iter, "/[02]$/");
	for (TraceEvent *ev; (ev = trace_event_iter_next(&iter)); n++) {
		assert_non_null(strpbrk(trace_event_get_name(ev), "02"));
	}
	assert_int_equal(n, 6);
	trace_event_iter_init_pattern(&iter, "/(/");
	assert_null(trace_event_iter_next(&iter));
	made_gone(a);
}

static void locale_of_the_program_does_not_matter(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_non_null(strstr(refusal("/(/"), "Unmatched ( or \\("));
		assert_true(meets("/^[[:alpha:]_]+$/", "blk_read"));
		assert_true(meets("/^...$/", "a\xc3\xbc")); /* bytes, not characters */
		setlocale(LC_ALL, "C.UTF-8");
	}
	setlocale(LC_ALL, "C");
}

static bool done;

static void *match_all_the_time(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		waymark_enable("/(e|[0-9])*9(e|[0-9]){2}/", WAYMARK_LOG, NULL, NULL);
		waymark_disable("/e/", WAYMARK_LOG, NULL, NULL);
	}
	return NULL;
}

/* The child has a complete copy of the expression that is being matched during the fork. */
static void child_of_a_fork_can_match(void **state)
{
#ifdef __SANITIZE_ADDRESS__
	print_message(
		"skipped: ASan of GCC 12 does not hold the locks of its malloc() over a fork\n");
	skip();
#endif
	struct made *a = made_registered("event_%d", 2000, BOTH);
	pthread_t matcher;
	int status;

	(void)state;
	done = false;
	pthread_create(&matcher, NULL, match_all_the_time, NULL);
	for (int i = 0; i < 50; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			alarm(60);
			waymark_enable("/e/", WAYMARK_LOG, NULL, NULL);
			_exit(waymark_get_state(&a->events[1999]) == WAYMARK_LOG ? 0 : 1);
		}
		waitpid(pid, &status, 0);
		assert_int_equal(status, 0);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	pthread_join(matcher, NULL);
	waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
	made_gone(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expression_meets_any_part_of_a_name),
		cmocka_unit_test(name_of_a_category_meets_all_that_is_in_it),
		cmocka_unit_test(names_and_globs_are_what_they_were),
		cmocka_unit_test(bad_expression_is_refused_with_the_reason),
		cmocka_unit_test(expression_that_grows_is_refused),
		cmocka_unit_test(endless_repetition_of_what_may_be_empty_is_refused),
		cmocka_unit_test(bad_expression_changes_nothing),
		cmocka_unit_test(expression_switches_now_and_later),
		cmocka_unit_test(expression_is_known_by_its_text),
		cmocka_unit_test(expressions_in_force_are_bounded),
		cmocka_unit_test(iteration_takes_expressions),
		cmocka_unit_test(locale_of_the_program_does_not_matter),
		cmocka_unit_test(child_of_a_fork_can_match),
	};

	return cmocka_run_group_tests_name("patterns", tests, NULL, NULL);
}
