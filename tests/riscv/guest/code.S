/* SPDX-License-Identifier: MIT */
/* Self-modifying code: after fence.i the stored instructions are executed. */
#include "check.inc"
	begin
	la	s0, patched
	la	s1, others
	jalr	ra, s0, 0
	expect	a0, 1
	lw	t0, 0(s1)
	sw	t0, 0(s0)
	fence.i
	jalr	ra, s0, 0
	expect	a0, 2

	/* Half of the word, and with a jump into the middle of the block. */
	lhu	t0, 6(s1)
	sh	t0, 2(s0)
	fence.i
	addi	s3, s0, -4
	jalr	ra, s3, 0
	expect	a0, 3

	/* Repeatedly, in a loop. */
	li	s2, 300
	li	s3, 0
1:	andi	t0, s2, 1
	slli	t0, t0, 2
	add	t0, t0, s1
	lw	t0, 0(t0)
	sw	t0, 0(s0)
	fence
	fence.i
	jalr	ra, s0, 0
	add	s3, s3, a0
	addi	s2, s2, -1
	bnez	s2, 1b
	expect	s3, 750
	expect_no_trap
	end

	.section .writable, "awx"
	.balign	4096
	.zero	4096 - 4
	nop
patched:
	li	a0, 1
	ret
others:
	li	a0, 2
	li	a0, 3
