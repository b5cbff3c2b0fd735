/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a message and as its values: rendering overruns no buffer of any size, the length
 * does not depend on that size, and the text of values is UTF-8. An object's tree renders like
 * the object.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "brace/brace.h"
#include "brace/tree.h"

#define VALUES 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool promise)
{
	if (!promise) {
		abort();
	}
}

static void render_object(struct waymark_formatter *f, const void *object)
{
	const struct waymark_debug *inner = (const struct waymark_debug *)object;
	struct waymark_group g;

	waymark_debug_struct(&g, f, "S");
	waymark_debug_field(&g, "f", *inner);
	waymark_debug_some(f, *inner);
	waymark_debug_end_more(&g);
	waymark_debug_map(&g, f);
	waymark_debug_pair(&g, *inner, *inner);
	waymark_debug_end(&g);
}

/* Clears the bits beyond a number's width, as all makers of values do. */
static struct waymark_debug fit(struct waymark_debug v)
{
	unsigned int unused = 64 - 8 * (brace_token_width(v.kind) % 16);

	if (v.kind <= WAYMARK_DEBUG_U64) {
		v.as.u = v.as.u << unused >> unused;
	} else if (v.kind <= WAYMARK_DEBUG_I64) {
		v.as.i = (int64_t)(v.as.u << unused) >> unused;
	}
	return v;
}

/* Makes a value of any kind from the bytes of `data`. */
static struct waymark_debug value_from(
	const uint8_t *data, size_t size, size_t i, const struct waymark_debug *inner)
{
	struct waymark_debug v = waymark_debug_u8(0);
	size_t at = i % (size + 1);

	v.kind = (uint32_t)((size ? data[i % size] : i) % BRACE_KINDS);
	if (v.kind >= WAYMARK_DEBUG_STRING && v.kind <= WAYMARK_DEBUG_TREE) {
		v.length = (uint32_t)size;
		v.as.pointer = data;
	} else if (v.kind == BRACE_CSTRING) {
		v = waymark_debug_text((const char *)data, size);
	} else if (v.kind == WAYMARK_DEBUG_OBJECT) {
		v = waymark_debug_object(render_object, inner);
	} else {
		memcpy(&v.as.wide, data + at, size - at < 16 ? size - at : 16);
	}
	return fit(v);
}

static void check_tree(const struct brace_spec *spec, const struct waymark_debug *object)
{
	static unsigned char bytes[4096];
	static char direct[16384];
	static char replayed[16384];
	struct brace_tree t;
	struct brace_sink s;

	if (spec->width > 100 || spec->precision > 100 ||
		!brace_tree_build(&t, bytes, sizeof(bytes), spec, object)) {
		return;
	}
	struct waymark_debug tree = waymark_debug_bytes(bytes, t.used);

	tree.kind = WAYMARK_DEBUG_TREE;
	brace_sink_buffer(&s, direct, sizeof(direct));
	brace_render(&s, spec, object);
	size_t length = s.length;

	brace_sink_buffer(&s, replayed, sizeof(replayed));
	brace_render(&s, spec, &tree);
	require(s.length == length && strcmp(direct, replayed) == 0);
}

static void check_pieces(const char *message, size_t length)
{
	struct brace_parser p;
	struct brace_piece piece;

	brace_parse(&p, message, length);
	while (brace_next(&p, &piece) == BRACE_TEXT || piece.kind == BRACE_PLACEHOLDER) {
		require(piece.length > 0 && piece.text >= message && p.at <= length);
		require(piece.spec.width <= BRACE_WIDTH_MAX || piece.kind == BRACE_TEXT);
	}
	require(piece.offset <= length);
	require(piece.kind == BRACE_END || (piece.error && *piece.error));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct waymark_debug inner = waymark_debug_f64(1.5);
	struct waymark_debug values[VALUES];
	struct brace_sink s;
	char whole[4096];
	size_t room = size ? data[size - 1] : 0;
	char *small = malloc(room + !room);

	check_pieces((const char *)data, size);
	for (size_t i = 0; i < VALUES; i++) {
		values[i] = value_from(data, size, i, &inner);
		inner = values[i].kind == WAYMARK_DEBUG_OBJECT ? inner : values[i];
	}
	for (size_t i = 0; i < VALUES; i++) {
		struct brace_spec spec = brace_spec_at((const char *)data, size, i);
		struct waymark_debug object = waymark_debug_object(render_object, &values[i]);

		if (values[i].kind < WAYMARK_DEBUG_TREE) {
			check_tree(&spec, &object);
		}
	}
	brace_sink_buffer(&s, whole, sizeof(whole));
	size_t length = brace_format(&s, (const char *)data, size, values, VALUES);

	brace_sink_buffer(&s, small, room);
	require(brace_format(&s, (const char *)data, size, values, VALUES) == length);
	require(room == 0 || memcmp(small, whole, strlen(small)) == 0);
	if (utf8_invalid((const char *)data, size) == size) {
		require(utf8_invalid(whole, strlen(whole)) == strlen(whole));
	}
	free(small);
	return 0;
}
