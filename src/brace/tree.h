/* SPDX-License-Identifier: MIT */
/*
 * Trees: what a callback tells the builder, as bytes instead of text, so that it can be kept
 * and rendered later by any placeholder, with the output that the callback would have made.
 *
 * A tree is tokens, each a byte and what belongs to it; little endian, unaligned. `text` is its
 * length as a LEB128 number of at most 32 bits, and its bytes.
 *
 *	kinds up to CHAR	the value by its width; 1 of a bool, 4 of a char
 *	POINTER			size in bytes, 4 or 8; that
 *	STRING, BYTES		text
 *	DURATION		seconds in 8 bytes, nanoseconds in 4
 *	NULL			a string that is NULL
 *	STRUCT ... MAP		text, a name: a group begins
 *	FIELD			text, a name: of a group; then what it is
 *	ENTRY			the same without a name
 *	COLON			what comes before was the key of an entry
 *	END, END_MORE		of the group
 *	NAME, VERBATIM		text
 *	UNIT			()
 *	WHOLE			the end: nothing is missing
 *	CUT, CUT_VALUE		the end: what follows is missing, or of the last value the rest
 *
 * A tree that does not end in WHOLE, or not there where all groups have ended, renders as far
 * as it goes, and then `...`: trees come from files, so any bytes do.
 */
#ifndef BRACE_TREE_H
#define BRACE_TREE_H

#include "brace/brace.h"

/* The numbers are part of recorded traces. */
enum brace_token {
	BRACE_TOKEN_NULL = 32,
	BRACE_TOKEN_STRUCT, /* in the order of groups */
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

/* Bytes of an integer, float, bool or char in a tree; 0: the kind is none of them. */
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

/* Bytes of a duration in a tree, behind its token. */
#define BRACE_DURATION_BYTES 12

/* A tree that is being written into a buffer. */
struct brace_tree {
	unsigned char *bytes;
	size_t size; /* of the buffer */
	size_t used;
	bool cut; /* something did not fit, and nothing may follow */
	unsigned char end; /* how it ends, for which a byte is kept */
};

/*
 * Writes the tree of a value, which is mostly an object, into `size` > 0 bytes. The callback
 * sees the placeholder `spec`. False where it does not fit, and is cut.
 */
bool brace_tree_build(struct brace_tree *t, void *buffer, size_t size,
	const struct brace_spec *spec, const struct waymark_debug *value);

/* The placeholder number `index` of a message, from 0; {:?} where there is none. */
struct brace_spec brace_spec_at(const char *message, size_t length, size_t index);

#endif
