/* SPDX-License-Identifier: MIT */
/* What the guest's arithmetic has and C leaves open, for instructions.def. */
#ifndef RISCV_HART_ARITHMETIC_H
#define RISCV_HART_ARITHMETIC_H

#include <stdint.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/* The lower half of a register, sign-extended, as all instructions *W leave it. */
static inline uint64_t word(uint64_t value)
{
	return (uint64_t)(int32_t)value;
}

static inline uint64_t multiply_high(uint64_t a, uint64_t b)
{
	return (uint64_t)((wide)(int64_t)a * (int64_t)b >> 64);
}

static inline uint64_t multiply_high_unsigned(uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned_wide)a * b >> 64);
}

/* Signed by unsigned. */
static inline uint64_t multiply_high_mixed(uint64_t a, uint64_t b)
{
	return multiply_high_unsigned(a, b) - ((int64_t)a < 0 ? b : 0);
}

/* Signed; the one overflow and a division by zero have results, not traps. */
static inline uint64_t divide(uint64_t a, uint64_t b)
{
	if (b == 0) {
		return UINT64_MAX;
	}
	return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
}

static inline uint64_t remainder_of(uint64_t a, uint64_t b)
{
	if (b == 0) {
		return a;
	}
	return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

#endif
