/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a tree, as in a damaged file: rendering and rebuilding overrun no memory, the
 * output is UTF-8, and a tree that breaks off at any byte ends in `...`.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "brace/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool promise)
{
	if (!promise) {
		abort();
	}
}

static const char *rendered(const char *message, const void *bytes, size_t size)
{
	static char text[1 << 16];
	struct waymark_debug tree = waymark_debug_bytes(bytes, size);
	struct brace_sink s;

	tree.kind = WAYMARK_DEBUG_TREE;
	brace_sink_buffer(&s, text, sizeof(text));
	brace_format(&s, message, strlen(message), &tree, 1);
	require(utf8_invalid(text, s.used) == s.used);
	require(s.used < s.length || strlen(text) == s.used || memchr(text, 0, s.used));
	return s.used == s.length ? text + s.used : NULL;
}

static void check_rebuilt(const uint8_t *data, size_t size)
{
	struct waymark_debug tree = waymark_debug_bytes(data, size);
	struct brace_spec spec = BRACE_SPEC_DEFAULT;
	struct brace_tree t;
	size_t room = size ? 1 + data[0] * 4u : 1;
	unsigned char *bytes = malloc(room);

	tree.kind = WAYMARK_DEBUG_TREE;
	bool whole = brace_tree_build(&t, bytes, room, &spec, &tree);

	require(t.used <= room && t.used > 0);
	const char *end = rendered("{:x?}", bytes, t.used);

	require(whole || !end || memcmp(end - 3, "...", 3) == 0);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *part = malloc(size + !size);

	rendered("{:?}", data, size);
	rendered("{:#04x?}", data, size);
	check_rebuilt(data, size);
	if (size) {
		memcpy(part, data, size - 1);
		rendered("{:#?}", part, size - 1);
	}
	free(part);
	return 0;
}
