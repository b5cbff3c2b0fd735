/* SPDX-License-Identifier: MIT */
/* Each branch taken and not taken, forwards and backwards. */
#include "check.inc"
	.macro	branch op, a, b, taken
	li	t0, \a
	li	t1, \b
	li	t2, 1
	\op	t0, t1, 1f
	li	t2, 0
1:	expect	t2, \taken
	.endm


	begin
	branch	beq, 1, 1, 1
	branch	beq, 1, 0x100000001, 0
	branch	bne, 1, 1, 0
	branch	bne, 1, 0x100000001, 1
	branch	blt, -1, 0, 1
	branch	blt, 0, -1, 0
	branch	blt, 3, 3, 0
	branch	blt, 0x8000000000000000, 0x7fffffffffffffff, 1
	branch	bge, 3, 3, 1
	branch	bge, 0, -1, 1
	branch	bge, -1, 0, 0
	branch	bltu, 0, -1, 1
	branch	bltu, -1, 0, 0
	branch	bltu, 3, 3, 0
	branch	bgeu, -1, 0, 1
	branch	bgeu, 3, 3, 1
	branch	bgeu, 0, -1, 0

	/* Backwards, ten times. */
	li	t0, 10
	li	t1, 0
1:	addi	t1, t1, 3
	addi	t0, t0, -1
	bnez	t0, 1b
	expect	t1, 30

	/* To the greatest distance: across 4094 bytes, which are zero. */
	j	2f
1:	j	3f
	.zero	4080
2:	beq	zero, zero, 1b
3:	expect	zero, 0
	end
