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

static void callback_put(struct brace_debug *d, const struct brace_value *v)
{
	if (v->callback.render) {
		v->callback.render(d, v->callback.context);
	}
}

/* The type that other types are taken as is the last. */
static const struct {
	brace_renderer *put;
	unsigned int accepts;
	enum brace_type otherwise;
} kinds[BRACE_KINDS] = {
	[BRACE_UNSIGNED] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[BRACE_SIGNED] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[BRACE_UNSIGNED128] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[BRACE_SIGNED128] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[BRACE_F32] = { brace_float_put, REALS, BRACE_DISPLAY },
	[BRACE_F64] = { brace_float_put, REALS, BRACE_DISPLAY },
	[BRACE_BOOL] = { brace_bool_put, WORDS, BRACE_DISPLAY },
	[BRACE_CHAR] = { brace_char_put, WORDS, BRACE_DISPLAY },
	[BRACE_STRING] = { brace_string_put, WORDS, BRACE_DISPLAY },
	[BRACE_CSTRING] = { brace_string_put, DEBUGS, BRACE_DEBUG },
	[BRACE_BYTES] = { brace_bytes_put, DEBUGS, BRACE_DEBUG },
	[BRACE_POINTER] = { brace_pointer_put, ADDRESSES, BRACE_DEBUG },
	[BRACE_CALLBACK] = { callback_put, DEBUGS, BRACE_DEBUG },
};

bool brace_accepts(enum brace_kind kind, enum brace_type type)
{
	return kind < BRACE_KINDS && type < BRACE_TYPES && (kinds[kind].accepts & BIT(type)) != 0;
}

void brace_nested(struct brace_debug *d, const struct brace_value *value)
{
	if (value->kind < BRACE_KINDS) {
		kinds[value->kind].put(d, value);
	}
}

void brace_render(
	struct brace_sink *s, const struct brace_spec *spec, const struct brace_value *value)
{
	struct brace_debug d = { .sink = s, .spec = *spec };

	if (value->kind >= BRACE_KINDS) {
		return;
	}
	if (!brace_accepts(value->kind, spec->type)) {
		d.spec.type = kinds[value->kind].otherwise;
	}
	kinds[value->kind].put(&d, value);
}

size_t brace_format(struct brace_sink *s, const char *message, size_t length,
	const struct brace_value *values, size_t count)
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
