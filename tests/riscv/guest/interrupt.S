/* SPDX-License-Identifier: MIT */
/* Software and timer interrupts: pending, masked, taken; and wfi. */
#include "check.inc"
#define CLINT 0x02000000
	/* Takes one interrupt, because the handler masks all further ones. */
	.macro	open
	csrsi	mstatus, 8
	nop
	csrci	mstatus, 8
	.endm

	begin
	li	s0, CLINT
	li	s1, CLINT + 0x4000
	li	s2, CLINT + 0xbff8
	la	t0, interrupted
	csrw	mtvec, t0

	/* Pending, and masked by mie and by mstatus. */
	li	t0, 1
	sw	t0, 0(s0)
	csrr	t0, mip
	expect	t0, 8
	lw	t0, 0(s0)
	expect	t0, 1
	open
	expect_no_trap
	li	t0, 8
	csrw	mie, t0
	nop
	expect_no_trap

	/* Taken between csrsi and the next instruction. */
	open
	expect_trap 0x8000000000000003
	expect	s11, 0
	csrr	t0, mstatus
	expect	t0, 0x1880

	/* wfi does not sleep while an interrupt is pending, taken or not. */
	csrw	mie, t0
	li	t0, 8
	csrw	mie, t0
	wfi
	expect_no_trap
	sw	zero, 0(s0)
	csrr	t0, mip
	expect	t0, 0
	open
	expect_no_trap

	/* The timer. */
	ld	t0, 0(s2)
	li	t1, 20000
	add	t0, t0, t1
	sd	t0, 0(s1)
	ld	t1, 0(s1)
	expect_same t0, t1
	li	t1, 0x80
	csrw	mie, t1
	wfi
	ld	t1, 0(s2)
	sltu	t1, t1, t0
	expect	t1, 0
	csrr	t1, mip
	expect	t1, 0x80
	open
	expect_trap 0x8000000000000007

	/* A time in the future clears the interrupt. */
	li	t0, -1
	sd	t0, 0(s1)
	csrr	t0, mip
	expect	t0, 0

	/* Of two interrupts the software interrupt comes first. */
	sd	zero, 0(s1)
	li	t0, 1
	sw	t0, 0(s0)
1:	csrr	t0, mip
	li	t1, 0x88
	bne	t0, t1, 1b
	li	t0, 0x88
	csrw	mie, t0
	open
	expect_trap 0x8000000000000003

	/* An endless loop is interrupted, too. */
	la	s8, 2f
	li	t0, 0x80
	csrw	mie, t0
	csrsi	mstatus, 8
1:	j	1b
2:	expect_trap 0x8000000000000007
	end

	/* Stores the cause, masks interrupts, and returns to s8, or to mepc if s8 is 0. */
	.balign	4
interrupted:
	csrr	s10, mcause
	csrr	s11, mtval
	li	tp, 0
	csrw	mie, tp
	beqz	s8, 1f
	csrw	mepc, s8
1:	mret
