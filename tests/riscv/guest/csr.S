/* SPDX-License-Identifier: MIT */
/* CSRs: their values, their writable bits, and absent CSRs. */
#include "check.inc"
	.macro	illegal word:vararg
	\word
	expect_trap 2
	.endm

	begin
	/* All six instructions. */
	li	t0, 0x1234
	csrw	mscratch, t0
	li	t1, 0xff
	csrrw	t2, mscratch, t1
	expect	t2, 0x1234
	csrrs	t2, mscratch, t0
	expect	t2, 0xff
	csrrc	t2, mscratch, t1
	expect	t2, 0x12ff
	csrrwi	t2, mscratch, 21
	expect	t2, 0x1200
	csrrsi	t2, mscratch, 10
	expect	t2, 21
	csrrci	t2, mscratch, 1
	expect	t2, 31
	csrr	t2, mscratch
	expect	t2, 30
	csrrw	t1, mscratch, t1
	expect	t1, 30

	/* Constants. */
	csrr	t0, mhartid
	expect	t0, 0
	csrr	t0, misa
	expect	t0, 0x8000000000001100
	csrr	t0, mvendorid
	expect	t0, 0

	/* Bits that cannot be written. */
	li	t0, -1
	csrw	mie, t0
	csrr	t1, mie
	expect	t1, 0x88
	csrw	mie, zero
	csrw	mepc, t0
	csrr	t1, mepc
	expect	t1, -4
	csrr	s2, mtvec
	csrw	mtvec, t0
	csrr	t1, mtvec
	expect	t1, -4
	csrw	mtvec, s2
	csrw	mip, t0
	csrr	t1, mip
	expect	t1, 0
	li	t0, 0x88
	csrs	mstatus, t0
	csrr	t1, mstatus
	expect	t1, 0x1888
	csrc	mstatus, t0
	csrr	t1, mstatus
	expect	t1, 0x1800

	/* Counters and time. */
	csrr	t0, minstret
	nop
	nop
	csrr	t1, minstret
	sub	t1, t1, t0
	expect	t1, 3
	csrr	t0, instret
	j	1f
	.word	0
1:	csrr	t1, instret
	sub	t1, t1, t0
	expect	t1, 2
	csrr	t0, time
1:	csrr	t1, time
	beq	t0, t1, 1b
	sltu	t2, t0, t1
	expect	t2, 1
	csrr	t0, mcycle
	csrr	t1, cycle
	sltu	t2, t0, t1
	expect	t2, 1
	expect_no_trap

	/* Absent or read-only. */
	illegal	csrr t0, 0x123
	illegal	csrr t0, satp
	illegal	csrw mhartid, zero
	illegal	csrw cycle, t0
	illegal	csrs time, t0
	illegal	csrci instret, 1
	csrr	t0, mhartid
	csrrs	t0, cycle, zero
	expect_no_trap
	end
