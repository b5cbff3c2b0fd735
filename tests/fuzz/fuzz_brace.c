/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a message and as the values of it: nothing is overrun at any size of the buffer,
 * the length does not depend on it, and what values add is UTF-8.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "brace/brace.h"

#define VALUES 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool promise)
{
	if (!promise) {
		abort();
	}
}

static void render_object(struct brace_debug *d, const void *context)
{
	const struct brace_value *inner = (const struct brace_value *)context;
	struct brace_group g;

	brace_struct(&g, d, "S");
	brace_field(&g, "f", inner);
	brace_option(d, inner);
	brace_struct_end_more(&g);
	brace_map(&g, d);
	brace_pair(&g, inner, inner);
	brace_group_end(&g);
}

/* A value of any kind from the bytes of `data`. */
static struct brace_value value_from(
	const uint8_t *data, size_t size, size_t i, const struct brace_value *inner)
{
	struct brace_value v = { .kind = BRACE_UNSIGNED };

	v.kind = (enum brace_kind)((size ? data[i % size] : i) % BRACE_KINDS);
	v.bits = 8u << (i & 3);
	if (v.kind >= BRACE_STRING && v.kind <= BRACE_BYTES) {
		return brace_text(v.kind, data, size);
	}
	if (v.kind == BRACE_CALLBACK) {
		return brace_callback(render_object, inner);
	}
	if (v.kind == BRACE_BOOL) {
		return brace_bool(i & 1);
	}
	memcpy(&v.wide, data + i % (size + 1),
		size - i % (size + 1) < 16 ? size - i % (size + 1) : 16);
	return v;
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
	struct brace_value inner = brace_f64(1.5);
	struct brace_value values[VALUES];
	struct brace_sink s;
	char whole[4096];
	size_t room = size ? data[size - 1] : 0;
	char *small = malloc(room + !room);

	check_pieces((const char *)data, size);
	for (size_t i = 0; i < VALUES; i++) {
		values[i] = value_from(data, size, i, &inner);
		inner = values[i].kind == BRACE_CALLBACK ? inner : values[i];
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
