/* SPDX-License-Identifier: MIT */
/*
 * How arguments lie in a packet, and the u64 that a simpletrace file has of each
 * number. Private to encode.c.
 */
#ifndef RT_SIMPLE_OP_H
#define RT_SIMPLE_OP_H

#include <stdint.h>
#include <string.h>

/* How an argument is stored in a packet; numbers become a u64, all else a string. */
enum op {
	OP_U8,
	OP_S8,
	OP_U16,
	OP_S16,
	OP_U32,
	OP_S32,
	OP_64,
	OP_F32, /* old declarations' `float` and `double`: their whole part */
	OP_F64,
	OP_STRING,
	/* What is not a word first: */
	OP_PAIR,
	OP_BLOB,
	OP_DEBUG
};

static const uint8_t op_size[] = { 1, 1, 2, 2, 4, 4, 8, 4, 8, 4 };

/* As a u64, what is negative in two's complement; the nearest where there is none, 0 of a NaN. */
static inline uint64_t whole_part(double v)
{
	if (v >= 0x1p64) {
		return UINT64_MAX;
	}
	if (v >= 0) {
		return (uint64_t)v;
	}
	return v > -0x1p63 ? (uint64_t)(int64_t)v : v < 0 ? (uint64_t)INT64_MIN : 0;
}

static inline uint64_t load(const char *from, enum op op)
{
	union {
		uint8_t u8;
		int8_t s8;
		uint16_t u16;
		int16_t s16;
		uint32_t u32;
		int32_t s32;
		uint64_t u64;
		float f32;
		double f64;
	} v;

	memcpy(&v, from, op_size[op]);
	switch (op) {
	case OP_U8:
		return v.u8;
	case OP_S8:
		return (uint64_t)v.s8;
	case OP_U16:
		return v.u16;
	case OP_S16:
		return (uint64_t)v.s16;
	case OP_S32:
		return (uint64_t)v.s32;
	case OP_64:
		return v.u64;
	case OP_F32:
		return whole_part((double)v.f32);
	case OP_F64:
		return whole_part(v.f64);
	default:
		return v.u32;
	}
}

#endif
