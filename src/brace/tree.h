/* SPDX-License-Identifier: MIT */
/*
 * Trees: the calls of a callback to the builder, stored as bytes instead of text. They can be
 * rendered later by any placeholder, with the same output as from the callback.
 *
 * A tree is a sequence of tokens, each a byte and its operands; little endian, unaligned. `text` is
 * its length as a LEB128 number of at most 32 bits, then its bytes.
 *
 *	kinds up to CHAR	the value in its width; a bool in 1 byte, a char in 4
 *	POINTER			size in bytes, 4 or 8; the address
 *	STRING, BYTES		text
 *	DURATION		seconds in 8 bytes, nanoseconds in 4
 *	NULL			a string that is NULL
 *	STRUCT ... MAP		text, a name: a group begins
 *	FIELD			text, the name of a field; its value follows
 *	ENTRY			the same without a name
 *	COLON			the value before was the key of an entry; its value follows
 *	END, END_MORE		the group ends
 *	NAME, VERBATIM		text
 *	UNIT			()
 *	WHOLE			the end: nothing is missing
 *	CUT, CUT_VALUE		the end: further tokens, or the rest of the last value, are missing
 *
 * A tree that does not end in WHOLE outside of all groups renders up to the fault, then `...`:
 * trees come from files, so any bytes must be harmless.
 */
#ifndef BRACE_TREE_H
#define BRACE_TREE_H

#include "brace/brace.h"

/* Tokens. Their numbers are part of recorded traces. */
enum brace_token {
	BRACE_TOKEN_NULL = 32,
	BRACE_TOKEN_STRUCT, /* in the order of the kinds of groups */
	BRACE_TOKEN_TUPLE,
	BRACE_TOKEN_LIST,
	BRACE_TOKEN_SET,
	BRACE_TOKEN_MAP,
	BRACE_TOKEN_FIELD,
	BRACE_TOKEN_ENTRY,
	BRACE_TOKEN_COLON,
	BRACE_TOKEN_END,
	BRACE_TOKEN_END_MORE,
	BRACE_TOKEN_NAME,
	BRACE_TOKEN_VERBATIM,
	BRACE_TOKEN_UNIT,
	BRACE_TOKEN_WHOLE,
	BRACE_TOKEN_CUT,
	BRACE_TOKEN_CUT_VALUE,
	BRACE_TOKENS
};

/* Returns the bytes of an integer, float, bool or char in a tree; 0 for other kinds. */
static inline unsigned int brace_token_width(uint32_t kind)
{
	static const unsigned char widths[] = {
		[WAYMARK_DEBUG_U8] = 1,
		[WAYMARK_DEBUG_U16] = 2,
		[WAYMARK_DEBUG_U32] = 4,
		[WAYMARK_DEBUG_U64] = 8,
		[WAYMARK_DEBUG_I8] = 1,
		[WAYMARK_DEBUG_I16] = 2,
		[WAYMARK_DEBUG_I32] = 4,
		[WAYMARK_DEBUG_I64] = 8,
		[WAYMARK_DEBUG_U128] = 16,
		[WAYMARK_DEBUG_I128] = 16,
		[WAYMARK_DEBUG_F32] = 4,
		[WAYMARK_DEBUG_F64] = 8,
		[WAYMARK_DEBUG_BOOL] = 1,
		[WAYMARK_DEBUG_CHAR] = 4,
	};

	return kind < sizeof(widths) ? widths[kind] : 0;
}

/* Bytes of a duration in a tree, after its token. */
#define BRACE_DURATION_BYTES 12

/* A tree under construction. */
struct brace_tree {
	unsigned char *bytes;
	size_t size; /* of the buffer */
	size_t used;
	bool cut; /* a token did not fit; nothing may follow */
	unsigned char end; /* last token; one byte is reserved for it */
};

/*
 * Writes the tree of a value, usually an object, into `size` > 0 bytes. The callback gets the
 * placeholder `spec`. Returns false if the tree was cut because it did not fit.
 */
bool brace_tree_build(struct brace_tree *t, void *buffer, size_t size,
	const struct brace_spec *spec, const struct waymark_debug *value);

/* Returns the placeholder number `index` of a message, from 0; {:?} if there are fewer. */
struct brace_spec brace_spec_at(const char *message, size_t length, size_t index);

#endif
