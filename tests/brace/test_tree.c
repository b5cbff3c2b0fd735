/* SPDX-License-Identifier: MIT */
/* Trees: replaying a tree gives the output of the callback, with any placeholder. */
#include "brace/tree.h"
#include "nodes.h"
#include "unit.h"

#define TREE_ROOM (1 << 17)

static const char *const messages[] = {
	"{:?}",
	"{:#?}",
	"{:x?}",
	"{:X?}",
	"{:#x?}",
	"{:04x?}",
	"{:#06X?}",
	"{:+?}",
	"{:9.2?}",
	"{:é^#7?}",
	"{:<5?}",
	"{}",
	"{:x}",
};

static unsigned char tree_bytes[TREE_ROOM];

/* Builds a tree of a value in `size` bytes; returns true if it is complete. */
static bool build(struct waymark_debug *tree, size_t size, const char *message,
	const struct waymark_debug *value)
{
	struct brace_spec spec = brace_spec_at(message, strlen(message), 0);
	struct brace_tree t;

	tree_bytes[size] = '!';
	bool whole = brace_tree_build(&t, tree_bytes, size, &spec, value);

	assert_true(t.used <= size);
	assert_int_equal(tree_bytes[size], '!');
	*tree = waymark_debug_bytes(tree_bytes, t.used);
	tree->kind = WAYMARK_DEBUG_TREE;
	return whole;
}

static void replays(const char *message, struct waymark_debug value)
{
	static char direct[1 << 20];
	struct waymark_debug tree;

	strcpy(direct, rendered(message, value));
	assert_true(build(&tree, sizeof(tree_bytes) - 1, message, &value));
	assert_string_equal(rendered(message, tree), direct);
}

static void every_shape_replays(void **state)
{
	static const char *const shapes[] = { "P", "T(1,-2)", "U", "()", "A", "B", "C", "Err(bad)",
		"Some(\"a\")", "Some(255)", "a,b\"", "None", "single", "mixed", "map", "set",
		"nested", "empty list", "empty map", "more", "only more", "mutex",
		"guest address" };

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(shapes); s++) {
		for (size_t m = 0; m < ARRAY_SIZE(messages); m++) {
			replays(messages[m], waymark_debug_object(shape_find(shapes[s]), NULL));
		}
	}
}

static void values_that_only_trees_record_replay(void **state)
{
	const struct waymark_debug values[] = { waymark_debug_duration(0, 1500000),
		waymark_debug_duration(UINT64_MAX, 999999999), waymark_debug_eventfd(-1),
		waymark_debug_owned_fd(3), waymark_debug_borrowed_fd(4), waymark_debug_file(5) };
	struct waymark_debug tree;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		/* A tree does not accept {} and {:x}. */
		for (size_t m = 0; m < ARRAY_SIZE(messages) - 2; m++) {
			replays(messages[m], values[i]);
		}
	}
	for (size_t size = 1; size < 2 + BRACE_DURATION_BYTES; size++) {
		assert_false(build(&tree, size, "{:?}", &values[0]));
		assert_string_equal(rendered("{:?}", tree), "...");
	}
}

static struct waymark_debug random_object(struct node *n, unsigned int depth)
{
	*n = (struct node){ random_bits() | 1, depth };
	return waymark_debug_object(node_put, n);
}

static void random_shapes_replay(void **state)
{
	(void)state;
	for (unsigned long i = 0; i < rounds(3000); i++) {
		struct node n;
		struct waymark_debug object = random_object(&n, 4);

		for (size_t m = 0; m < ARRAY_SIZE(messages); m++) {
			replays(messages[m], object);
		}
	}
}

/* Returns the length of the output before `...`, without closing brackets and separators. */
static size_t shown(const char *text)
{
	size_t length = strlen(text);

	assert_true(length >= 3 && strcmp(text + length - 3, "...") == 0);
	length -= 3;
	while (length && strchr(" \n,\"]({[", text[length - 1])) {
		length--;
	}
	return length;
}

static void whatever_room_there_is_the_cut_is_marked(void **state)
{
	static char direct[1 << 20];

	(void)state;
	for (unsigned long i = 0; i < rounds(60); i++) {
		struct node n;
		struct waymark_debug object = random_object(&n, 3);
		const char *message = messages[i % 9];
		struct waymark_debug tree;

		strcpy(direct, rendered(message, object));
		build(&tree, sizeof(tree_bytes) - 1, message, &object);
		for (size_t size = tree.length - 1; size; size--) {
			assert_false(build(&tree, size, message, &object));
			const char *text = rendered(message, tree);

			assert_memory_equal(text, direct, shown(text));
		}
	}
}

/* Uses memory of exactly the tree's size, so that sanitizers detect reads beyond it. */
static const char *rendered_copy(const char *message, const void *bytes, size_t size)
{
	void *copy = malloc(size + !size);
	struct waymark_debug tree = waymark_debug_bytes(copy, size);

	memcpy(copy, bytes, size);
	tree.kind = WAYMARK_DEBUG_TREE;
	const char *text = rendered(message, tree);

	free(copy);
	return text;
}

static void a_tree_that_breaks_off_is_marked(void **state)
{
	(void)state;
	for (unsigned long i = 0; i < rounds(100); i++) {
		struct node n;
		struct waymark_debug object = random_object(&n, 3);
		struct waymark_debug tree;

		build(&tree, sizeof(tree_bytes) - 1, "{:#?}", &object);
		for (size_t size = 0; size < tree.length; size++) {
			shown(rendered_copy("{:#?}", tree_bytes, size));
		}
		for (unsigned int k = 0; k < 100; k++) {
			tree_bytes[random_bits() % tree.length] = (unsigned char)random_bits();
			rendered_copy("{:#?}", tree_bytes, tree.length);
		}
	}
}

static void groups_without_end_are_marked(void **state)
{
	unsigned char bytes[2 * 1000];

	(void)state;
	memset(bytes, 0, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i += 2) {
		bytes[i] = BRACE_TOKEN_LIST; /* with an empty name */
	}
	assert_string_equal(rendered_copy("{:?}", bytes, sizeof(bytes)), "[...");
	bytes[0] = BRACE_TOKEN_END;
	assert_string_equal(rendered_copy("{:?}", bytes, sizeof(bytes)), "...");
}

static void put_wrapped(struct waymark_formatter *f, const void *object)
{
	waymark_debug_some(f, *(const struct waymark_debug *)object);
}

static void put_long(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_struct(&g, f, "S");
	waymark_debug_field(&g, "a", waymark_debug(1));
	waymark_debug_field(&g, "name", waymark_debug("a name that is long enough"));
	waymark_debug_field(&g, "b", waymark_debug(2));
	waymark_debug_end(&g);
}

static void the_cut_stands_where_something_is_missing(void **state)
{
	struct waymark_debug object = waymark_debug_object(put_long, NULL);
	struct waymark_debug tree;

	(void)state;
	build(&tree, 12, "{:?}", &object);
	assert_string_equal(rendered("{:?}", tree), "S { a: 1, ...");
	build(&tree, 19, "{:?}", &object);
	assert_string_equal(rendered("{:?}", tree), "S { a: 1, name: ...");
	build(&tree, 30, "{:?}", &object);
	assert_string_equal(rendered("{:?}", tree), "S { a: 1, name: \"a name\"...");
	build(&tree, 48, "{:#?}", &object);
	assert_string_equal(rendered("{:#?}", tree),
		"S {\n    a: 1,\n    name: \"a name that is long enough\",\n    ...");
}

static void a_tree_within_an_object_replays(void **state)
{
	struct waymark_debug inner = waymark_debug_object(shape_find("P"), NULL);
	struct brace_spec spec = BRACE_SPEC_DEFAULT;
	unsigned char bytes[500];
	struct waymark_debug value;
	struct brace_tree t;

	(void)state;
	assert_true(brace_tree_build(&t, bytes, sizeof(bytes), &spec, &inner));
	value = waymark_debug_bytes(bytes, t.used);
	value.kind = WAYMARK_DEBUG_TREE;
	replays("{:?}", waymark_debug_object(put_wrapped, &value));
	replays("{:#04x?}", waymark_debug_object(put_wrapped, &value));
}

static void endless(struct waymark_formatter *f, const void *object)
{
	waymark_debug_some(f, waymark_debug_object(endless, object));
}

static void an_object_within_itself_replays(void **state)
{
	(void)state;
	replays("{:?}", waymark_debug_object(endless, NULL));
	replays("{:#?}", waymark_debug_object(endless, NULL));
}

static void a_placeholder_is_found_by_its_number(void **state)
{
	static const char message[] = "a {{ {:x} {:#?} }} {:08}";

	(void)state;
	assert_int_equal(brace_spec_at(message, strlen(message), 0).type, BRACE_LOWER_HEX);
	assert_true(brace_spec_at(message, strlen(message), 1).alternate);
	assert_int_equal(brace_spec_at(message, strlen(message), 2).width, 8);
	assert_int_equal(brace_spec_at(message, strlen(message), 3).type, BRACE_DEBUG);
	assert_int_equal(brace_spec_at("{", 1, 0).type, BRACE_DEBUG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape_replays),
		cmocka_unit_test(values_that_only_trees_record_replay),
		cmocka_unit_test(random_shapes_replay),
		cmocka_unit_test(whatever_room_there_is_the_cut_is_marked),
		cmocka_unit_test(a_tree_that_breaks_off_is_marked),
		cmocka_unit_test(groups_without_end_are_marked),
		cmocka_unit_test(the_cut_stands_where_something_is_missing),
		cmocka_unit_test(a_tree_within_an_object_replays),
		cmocka_unit_test(an_object_within_itself_replays),
		cmocka_unit_test(a_placeholder_is_found_by_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
