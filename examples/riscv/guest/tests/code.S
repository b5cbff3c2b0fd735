/* SPDX-License-Identifier: MIT */
/* Code that is written: after fence.i, what was stored is executed. */
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

	/* An atomic store, and one over the end of a word. */
	lw	t0, 4(s1)
	amoswap.w t0, t0, (s0)
	fence.i
	jalr	ra, s0, 0
	expect	a0, 3
	lhu	t0, 2(s1)
	sh	t0, 2(s0)
	fence.i
	jalr	ra, s0, 0
	expect	a0, 2

	/* Over and over, in one loop. */
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

	/*
	 * This machine does without fence.i, too, from the next block on: whatever the
	 * store, into the page that a block begins in and into the next one.
	 */
	lw	t0, 0(s1)
	sw	t0, 0(s0)
	jalr	ra, s0, 0
	expect	a0, 2
	lw	t0, 4(s1)
	amoswap.w zero, t0, (s0)
	jalr	ra, s0, 0
	expect	a0, 3
	lw	t0, 0(s1)
	lr.w	t1, (s0)
	sc.w	t1, t0, (s0)
	jalr	ra, s0, 0
	expect	a0, 2

	addi	s3, s0, -4
	jalr	ra, s3, 0
	expect	a0, 2
	lw	t0, 4(s1)
	sw	t0, 0(s0)
	jalr	ra, s3, 0
	expect	a0, 3
	lw	t0, 0(s1)
	sw	t0, 0(s0)
	jalr	ra, s3, 0
	expect	a0, 2

	/* Half of a word goes to the page before: li a0 becomes li zero. */
	li	t0, 0x00130000
	sw	t0, -2(s0)
	li	a0, 9
	jalr	ra, s0, 0
	expect	a0, 9

	/* And back, now that nothing of the page before was executed since. */
	li	t0, 0x05130000
	sw	t0, -2(s0)
	jalr	ra, s0, 0
	expect	a0, 2
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
