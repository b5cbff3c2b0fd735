/* SPDX-License-Identifier: MIT */
/* Paths: repetitions are loops, all numbers of repetitions are one path, and there is a limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/life/paths.h"
#include "view/path.h"

/* Returns the path of steps that have one letter each. */
static uint32_t walk(struct paths *p, const char *letters)
{
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	uint32_t path = PATHS_ROOT;

	for (; *letters; letters++) {
		const char *name = names[*letters - 'a'];

		path = paths_next(p, path, texts_number(&p->names, name, strlen(name)));
	}
	return path;
}

static void check(struct paths *p, const char *letters, const char *wanted)
{
	char *text = path_text(p, walk(p, letters), NULL);

	assert_string_equal(text, wanted);
	free(text);
}

static void repetitions_are_one_path(void **unused)
{
	struct paths p;

	(void)unused;
	paths_init(&p);
	check(&p, "", "");
	check(&p, "abc", "a > b > c");
	check(&p, "aaabbc", "a > b > c");
	check(&p, "abababc", "a > b > c");
	check(&p, "aababbabc", "a > b > c");
	check(&p, "abcbcbd", "a > b > c > b > d");
	check(&p, "abcabcabca", "a > b > c > a");
	assert_int_equal(walk(&p, "abcabc"), walk(&p, "abbc"));
	assert_int_not_equal(walk(&p, "abc"), walk(&p, "acb"));
	paths_fini(&p);
}

static void a_loop_has_the_steps_that_were_repeated(void **unused)
{
	struct paths p;

	(void)unused;
	paths_init(&p);
	uint32_t path = walk(&p, "cabca");
	uint32_t next = walk(&p, "cabcab");

	assert_int_equal(paths_loop(&p, path, next), 3);
	assert_int_equal(paths_loop(&p, walk(&p, "ca"), walk(&p, "caa")), 1);
	assert_int_equal(paths_loop(&p, walk(&p, "ca"), walk(&p, "cab")), 0);
	assert_int_equal(next, walk(&p, "cab"));
	paths_fini(&p);
}

static void loops_have_brackets(void **unused)
{
	static const struct {
		const char *letters;
		struct path_part parts[4];
		const char *text;
	} cases[] = {
		{ "abcd", { { 1, 1, 0 }, { 3, 3, 1 }, { 1, 4, 1 }, { 1, 1, 0 } },
			"a > b x3 > c x1..4 > d" },
		{ "abcd", { { 1, 1, 0 }, { 2, 5, 0 }, { 2, 4, 2 }, { 1, 1, 0 } },
			"a > (b > c) x2..4 > d" },
		{ "abcd", { { 1, 1, 0 }, { 3, 6, 1 }, { 2, 4, 2 }, { 1, 1, 0 } },
			"a > (b x3..6 > c) x2..4 > d" },
		{ "abcd", { { 4, 4, 0 }, { 4, 4, 2 }, { 2, 2, 0 }, { 2, 2, 8 } },
			"((a > b) x4 > c > d) x2" },
		{ "abcd", { { 1, 1, 0 }, { 2, 3, 0 }, { 4, 7, 0 }, { 5, 9, 2 | 4 | 1 } },
			"a > (b > (c > d x5..9) x4..7) x2..3" },
		/* They overlap: the second one has no brackets. */
		{ "abc", { { 3, 3, 0 }, { 3, 3, 2 }, { 2, 2, 2 } }, "(a > b) x3 > c x2" },
	};
	struct paths p;

	(void)unused;
	paths_init(&p);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = path_text(&p, walk(&p, cases[i].letters), cases[i].parts);

		assert_string_equal(text, cases[i].text);
		free(text);
	}
	paths_fini(&p);
}

/* A sequence over three letters without any repetition, as long as wanted. */
static void without_repetitions(char *letters, size_t count)
{
	static const char *const next[] = { "abc", "ac", "b" };

	strcpy(letters, "a");
	while (strlen(letters) < count) {
		char longer[4096] = "";

		for (const char *c = letters; *c && strlen(longer) < sizeof(longer) - 4; c++) {
			strcat(longer, next[*c - 'a']);
		}
		strcpy(letters, longer);
	}
	letters[count] = '\0';
}

static void long_paths_are_other_ones(void **unused)
{
	char letters[4096];
	struct paths p;

	(void)unused;
	paths_init(&p);
	without_repetitions(letters, PATHS_STEPS_MAX);
	uint32_t longest = walk(&p, letters);

	assert_int_not_equal(longest, PATHS_OTHER);
	assert_int_equal(p.all.items[longest].depth, PATHS_STEPS_MAX);
	strcat(letters, "e");
	assert_int_equal(walk(&p, letters), PATHS_OTHER);
	assert_int_equal(paths_loop(&p, longest, PATHS_OTHER), 0);
	check(&p, letters, "other paths");
	assert_int_equal(paths_next(&p, PATHS_OTHER, 0), PATHS_OTHER);
	paths_fini(&p);
}

/* Random steps: no path has a repetition, and memory stays within the limit. */
static void random_paths_have_no_repetition(void **unused)
{
	struct paths p;
	uint32_t random = 1;
	uint32_t path = PATHS_ROOT;

	(void)unused;
	paths_init(&p);
	walk(&p, "abcde");
	for (int i = 0; i < 300000; i++) {
		const char *names[PATHS_STEPS_MAX];

		random = random * 1664525u + 1013904223u;
		path = i % 40 == 0 ? PATHS_ROOT : path;
		path = paths_next(&p, path, (random >> 16) % 5);
		size_t count = paths_steps(&p, path, names);

		for (size_t n = 1; 2 * n <= count; n++) {
			assert_memory_not_equal(
				names + count - n, names + count - 2 * n, n * sizeof(*names));
		}
	}
	assert_true(p.all.count <= PATHS_MAX);
	paths_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repetitions_are_one_path),
		cmocka_unit_test(a_loop_has_the_steps_that_were_repeated),
		cmocka_unit_test(loops_have_brackets),
		cmocka_unit_test(long_paths_are_other_ones),
		cmocka_unit_test(random_paths_have_no_repetition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
