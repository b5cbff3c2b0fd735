/* SPDX-License-Identifier: MIT */
/* Flame graphs: merged frames, their widths, and that the order of stacks does not matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stacks.h"

static void add(struct flamegraph *g, const char *path, uint64_t ns)
{
	char *copy = strdup(path);
	const char *stack[16];
	size_t depth = 0;

	for (char *name = strtok(copy, "/"); name; name = strtok(NULL, "/")) {
		stack[depth++] = name;
	}
	add_stack(g, stack, depth, ns, 1);
	free(copy);
}

static char *picture_of(struct flamegraph *g)
{
	struct out out;

	out_init(&out, OUT_TO_MEMORY);
	flamegraph_put(g, &out, "t");
	out_char(&out, '\0');
	char *text = strdup(out.data);

	out_fini(&out);
	return text;
}

static void assert_frame(
	const struct flame_frame *f, const char *name, uint64_t total, uint64_t self)
{
	assert_non_null(f);
	assert_string_equal(f->name, name);
	assert_int_equal(f->total_ns, total);
	assert_int_equal(f->self_ns, self);
}

static void same_stacks_are_merged_and_sorted(void **state)
{
	struct flamegraph g;

	(void)state;
	flamegraph_init(&g);
	add(&g, "b/z", 5);
	add(&g, "b/a", 7);
	add(&g, "a/z", 11);
	add(&g, "b/z", 13);
	add(&g, "b", 17);
	flamegraph_settle(&g);
	assert_frame(g.root, "all", 53, 0);
	assert_frame(g.root->child, "a", 11, 0);
	assert_frame(g.root->child->child, "z", 11, 11);
	const struct flame_frame *b = g.root->child->next;

	assert_frame(b, "b", 42, 17);
	assert_null(b->next);
	assert_frame(b->child, "a", 7, 7);
	assert_frame(b->child->next, "z", 18, 18);
	assert_int_equal(b->child->next->count, 2);
	assert_int_equal(g.frames.count, 6);
	flamegraph_fini(&g);
}

static void stacks_may_follow_a_picture(void **state)
{
	struct flamegraph g;

	(void)state;
	flamegraph_init(&g);
	add(&g, "a/b", 5);
	free(picture_of(&g));
	add(&g, "a/0", 6);
	flamegraph_settle(&g);
	assert_frame(g.root->child, "a", 11, 0);
	assert_frame(g.root->child->child, "0", 6, 6);
	assert_frame(g.root->child->child->next, "b", 5, 5);
	assert_null(g.root->child->child->next->next);
	flamegraph_fini(&g);
}

static void the_order_of_stacks_changes_no_byte(void **state)
{
	struct flamegraph forth;
	struct flamegraph back;
	char path[64];

	(void)state;
	flamegraph_init(&forth);
	flamegraph_init(&back);
	for (int i = 0; i < 1000; i++) {
		snprintf(path, sizeof(path), "%d/%d/%d", i % 3, i % 17, i % 100);
		add(&forth, path, 10 + (uint64_t)i);
		int j = 999 - i;

		snprintf(path, sizeof(path), "%d/%d/%d", j % 3, j % 17, j % 100);
		add(&back, path, 10 + (uint64_t)j);
	}
	char *one = picture_of(&forth);
	char *other = picture_of(&back);

	assert_string_equal(one, other);
	free(one);
	free(other);
	flamegraph_fini(&forth);
	flamegraph_fini(&back);
}

/* Reads x and width of the frame named `name`. */
static void find_rect(const char *picture, const char *name, double *x, double *width)
{
	char title[64];

	snprintf(title, sizeof(title), "<title>%s\n", name);
	const char *at = strstr(picture, title);

	assert_non_null(at);
	at = strstr(at, "<rect ");
	assert_int_equal(sscanf(at, "<rect x=\"%lf\" y=\"%*u\" width=\"%lf\"", x, width), 2);
}

static void assert_rect(const char *picture, const char *name, double x, double width)
{
	double got_x;
	double got_width;

	find_rect(picture, name, &got_x, &got_width);
	assert_float_equal(got_x, x, 0.0015);
	assert_float_equal(got_width, width, 0.0015);
}

static void widths_are_shares_of_1200_pixels(void **state)
{
	struct flamegraph g;

	(void)state;
	flamegraph_init(&g);
	add(&g, "a", 100);
	add(&g, "a/one", 100);
	add(&g, "a/two", 100);
	add(&g, "b", 600);
	char *picture = picture_of(&g);

	assert_rect(picture, "all", 0, 1200);
	assert_rect(picture, "a", 0, 400);
	assert_rect(picture, "one", 0, 1200.0 / 9);
	assert_rect(picture, "two", 1200.0 / 9, 1200.0 / 9);
	assert_rect(picture, "b", 400, 800);
	free(picture);
	flamegraph_fini(&g);
}

static void a_tenth_of_a_pixel_is_drawn_and_less_is_counted(void **state)
{
	struct flamegraph g;
	struct out out;

	(void)state;
	flamegraph_init(&g);
	add(&g, "drawn", 10);
	add(&g, "less/within", 9);
	add(&g, "rest", 119981);
	out_init(&out, OUT_TO_MEMORY);
	struct flame_counts counts = flamegraph_put(&g, &out, "t");

	out_char(&out, '\0');
	assert_int_equal(counts.frames, 4);
	assert_int_equal(counts.left_out, 2);
	assert_non_null(strstr(out.data, "<title>drawn\n"));
	assert_null(strstr(out.data, "<title>less\n"));
	assert_non_null(strstr(out.data, ">4 frames, 2 left out: thinner than 0.1 pixels<"));
	out_fini(&out);
	flamegraph_fini(&g);
}

static void the_same_name_has_one_colour(void **state)
{
	struct flamegraph g;

	(void)state;
	flamegraph_init(&g);
	add(&g, "a/x", 100);
	add(&g, "b/x", 100);
	char *picture = picture_of(&g);
	const char *one = strstr(strstr(picture, "<title>x\n"), "fill=");
	const char *other = strstr(strstr(one, "<title>x\n"), "fill=");
	const char *b = strstr(strstr(picture, "<title>b\n"), "fill=");

	assert_memory_equal(one, other, strlen("fill=\"#123456\""));
	assert_memory_not_equal(one, b, strlen("fill=\"#123456\""));
	free(picture);
	flamegraph_fini(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_stacks_are_merged_and_sorted),
		cmocka_unit_test(stacks_may_follow_a_picture),
		cmocka_unit_test(the_order_of_stacks_changes_no_byte),
		cmocka_unit_test(widths_are_shares_of_1200_pixels),
		cmocka_unit_test(a_tenth_of_a_pixel_is_drawn_and_less_is_counted),
		cmocka_unit_test(the_same_name_has_one_colour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
