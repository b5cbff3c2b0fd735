/* SPDX-License-Identifier: MIT */
/* Traps: the cause, value and address of each, and the return from it. */
#include "check.inc"
	.macro	trap_at label
	la	t6, \label
	expect_same s9, t6
	.endm

	begin
	/* Illegal instructions: mtval is the word. */
	li	t0, 3
1:	.word	0
	trap_at	1b
	expect	s11, 0
	expect_trap 2
	.word	-1
	expect	s11, 0xffffffff
	expect_trap 2
	.word	0x0000000b
	expect	s11, 0xb
	expect_trap 2
	.word	0x02003033 | 1 << 26
	expect_trap 2
	.word	0x10200073
	expect_trap 2
	expect	t0, 3

1:	ecall
	trap_at	1b
	expect	s11, 0
	expect_trap 11
1:	ebreak
	trap_at	1b
	expect_same s11, s9
	expect_trap 3

	/* Jumps to misaligned addresses; the link is not written. */
	la	s8, 1f
	la	t0, _start
	li	t1, 7
2:	jalr	t1, 2(t0)
1:	trap_at	2b
	addi	t0, t0, 2
	expect_same s11, t0
	expect_trap 0
	expect	t1, 7
	la	s8, 1f
2:	.word	0x0060006f
1:	trap_at	2b
	expect_trap 0
	la	s8, 1f
2:	.word	0x00000363
1:	trap_at	2b
	expect_trap 0
	li	s8, 0
	.word	0x00001363
	expect_no_trap

	/* Jumps to addresses without RAM: below, above, at the last address. */
	.irp	target, 0, 0x1000, 0x7ffffffc, 0xfffffffffffffffc, 0x100000
	la	s8, 1f
	li	t0, \target
	jr	t0
1:	expect_same s9, t0
	expect_same s11, t0
	expect_trap 1
	.endr
	li	s8, 0

	/* Loads and stores without RAM or a device. */
	li	t1, 5
	.irp	target, 0, 0x7fffffff, 0xffffffffffffffff, 0xfffffffffffffff9
	li	t0, \target
1:	ld	t1, 0(t0)
	trap_at	1b
	expect_same s11, t0
	expect_trap 5
1:	sd	t1, 0(t0)
	trap_at	1b
	expect_same s11, t0
	expect_trap 7
	.endr
	expect	t1, 5

	/* Devices: misaligned, and of a size that the register does not support. */
	li	t0, 0x02004001
	ld	t1, 0(t0)
	expect_trap 5
	li	t0, 0x02000000
	lb	t1, 0(t0)
	expect_trap 5
	li	t0, 0x0200bff8
	sd	t1, 0(t0)
	expect_trap 7
	li	t0, 0x100000
	lw	t1, 0(t0)
	expect_trap 5

	/* mstatus saves and restores MIE. */
	li	t0, 8
	csrs	mstatus, t0
	li	s8, 0
	ecall
	csrr	t1, mstatus
	expect	t1, 0x1888
	expect_trap 11
	csrci	mstatus, 8
	la	t0, 1f
	csrw	mepc, t0
	mret
	j	fail
1:	csrr	t1, mstatus
	expect	t1, 0x1888
	csrci	mstatus, 8

	/* Interrupts that were off stay off. */
	ecall
	csrr	t1, mstatus
	expect	t1, 0x1880
	expect_trap 11

	/* Trapping instructions are not counted. */
	csrr	t0, minstret
	.word	0
	csrr	t1, minstret
	sub	t1, t1, t0
	expect	t1, 8
	end
