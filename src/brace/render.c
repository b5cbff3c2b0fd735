/* SPDX-License-Identifier: MIT */
/* Which renderer a value has, which types it accepts, and whole messages. */
#include "base/compiler.h"
#include "brace/internal.h"

#define BIT(type) (1u << (type))
#define DEBUGS (BIT(BRACE_DEBUG) | BIT(BRACE_DEBUG_LOWER) | BIT(BRACE_DEBUG_UPPER))
#define WORDS (DEBUGS | BIT(BRACE_DISPLAY))
#define REALS (WORDS | BIT(BRACE_LOWER_EXP) | BIT(BRACE_UPPER_EXP))
#define INTEGERS (BIT(BRACE_TYPES) - 1 - BIT(BRACE_POINTER_TYPE))
#define ADDRESSES (DEBUGS | BIT(BRACE_POINTER_TYPE))

/* The type that other types are taken as is the last. */
static const struct {
	brace_renderer *put;
	unsigned int accepts;
	enum brace_type otherwise;
} kinds[BRACE_KINDS] = {
	[WAYMARK_DEBUG_U8] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_U16] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_U32] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_U64] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_I8] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_I16] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_I32] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_I64] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_U128] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_I128] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_F32] = { brace_float_put, REALS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_F64] = { brace_float_put, REALS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_BOOL] = { brace_bool_put, WORDS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_CHAR] = { brace_char_put, WORDS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_POINTER] = { brace_pointer_put, ADDRESSES, BRACE_DEBUG },
	[WAYMARK_DEBUG_STRING] = { brace_string_put, WORDS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_BYTES] = { brace_bytes_put, DEBUGS, BRACE_DEBUG },
	[WAYMARK_DEBUG_TREE] = { brace_tree_put, DEBUGS, BRACE_DEBUG },
	[WAYMARK_DEBUG_OBJECT] = { brace_call, DEBUGS, BRACE_DEBUG },
	[WAYMARK_DEBUG_DURATION] = { brace_duration_put, DEBUGS, BRACE_DEBUG },
	[WAYMARK_DEBUG_FILE] = { brace_descriptor_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_OWNED_FD] = { brace_descriptor_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_BORROWED_FD] = { brace_descriptor_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_EVENTFD] = { brace_descriptor_put, INTEGERS, BRACE_DISPLAY },
	[BRACE_CSTRING] = { brace_string_put, DEBUGS, BRACE_DEBUG },
};

bool brace_accepts(unsigned int kind, enum brace_type type)
{
	return kind < BRACE_KINDS && type < BRACE_TYPES && (kinds[kind].accepts & BIT(type)) != 0;
}

struct brace_spec brace_spec_of(const struct brace_spec *spec, unsigned int kind)
{
	struct brace_spec s = *spec;

	if (kind < BRACE_KINDS && !brace_accepts(kind, s.type)) {
		s.type = kinds[kind].otherwise;
	}
	return s;
}

void brace_value_put(struct waymark_formatter *f, const struct waymark_debug *value)
{
	if (value->kind < BRACE_KINDS && !brace_has_enough(f->sink)) {
		kinds[value->kind].put(f, value);
	}
}

void brace_render(
	struct brace_sink *s, const struct brace_spec *spec, const struct waymark_debug *value)
{
	struct waymark_formatter f = {
		.to = &brace_text_builder,
		.sink = s,
		.spec = brace_spec_of(spec, value->kind),
	};

	brace_value_put(&f, value);
}

size_t brace_format(struct brace_sink *s, const char *message, size_t length,
	const struct waymark_debug *values, size_t count)
{
	struct brace_parser parser;
	struct brace_piece piece;
	size_t used = 0;

	brace_parse(&parser, message, length);
	while (brace_next(&parser, &piece) == BRACE_TEXT || piece.kind == BRACE_PLACEHOLDER) {
		if (piece.kind == BRACE_PLACEHOLDER && used < count) {
			brace_render(s, &piece.spec, &values[used++]);
		} else {
			brace_put(s, piece.text, piece.length);
		}
	}
	if (piece.kind == BRACE_ERROR) {
		brace_put(s, message + parser.at, length - parser.at);
	}
	return s->length;
}
