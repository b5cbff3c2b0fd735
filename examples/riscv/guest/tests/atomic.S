/* SPDX-License-Identifier: MIT */
/* A: AMOs of both sizes, LR/SC that succeeds and that fails, misalignment. */
#include "check.inc"
	/* Memory is \old, what an operation leaves and returns is checked. */
	.macro	amo op, old, operand, new
	li	t0, \old
	sd	t0, 0(s0)
	li	t1, \operand
	\op	t2, t1, (s0)
	expect_same t2, t0
	ld	t2, 0(s0)
	expect	t2, \new
	.endm

	/* The same on the lower word, whose neighbour stays. */
	.macro	amo_word op, old, operand, new
	li	t0, \old
	li	t1, 0x55555555
	sw	t0, 0(s0)
	sw	t1, 4(s0)
	li	t1, \operand
	\op	t2, t1, (s0)
	lw	t3, 0(s0)
	sext.w	t0, t0
	expect_same t2, t0
	expect	t3, \new
	lw	t2, 4(s0)
	expect	t2, 0x55555555
	.endm

	begin
	la	s0, room
	amo	amoswap.d, 1, -2, -2
	amo	amoadd.d, 0x7fffffffffffffff, 1, 0x8000000000000000
	amo	amoxor.d, 0xff00, 0x0ff0, 0xf0f0
	amo	amoand.d, 0xff00, 0x0ff0, 0x0f00
	amo	amoor.d, 0xff00, 0x0ff0, 0xfff0
	amo	amomin.d, -1, 1, -1
	amo	amomin.d, 1, -1, -1
	amo	amomax.d, -1, 1, 1
	amo	amomax.d, 1, -1, 1
	amo	amominu.d, -1, 1, 1
	amo	amominu.d, 1, -1, 1
	amo	amomaxu.d, -1, 1, -1
	amo	amomaxu.d, 1, -1, -1
	amo_word amoswap.w, 1, 0x1ffffffff, -1
	amo_word amoadd.w, 0x7fffffff, 1, 0xffffffff80000000
	amo_word amoxor.w, 0xff00, 0x0ff0, 0xf0f0
	amo_word amoand.w, 0xff00, 0x0ff0, 0x0f00
	amo_word amoor.w, 0xff00, 0x0ff0, 0xfff0
	amo_word amomin.w, -1, 1, -1
	amo_word amomin.w, 1, 0xffffffff, -1
	amo_word amomax.w, 0x80000000, 1, 1
	amo_word amomax.w, 1, 0x80000000, 1
	amo_word amominu.w, -1, 1, 1
	amo_word amominu.w, 0x80000000, -1, 0xffffffff80000000
	amo_word amomaxu.w, 1, -1, -1
	amo_word amomaxu.w, -1, 1, -1
	amo_word amomaxu.w.aqrl, 1, 2, 2

	/* The operand's register is the result's, too. */
	li	t0, 5
	sd	t0, 0(s0)
	li	t1, 3
	amoadd.d t1, t1, (s0)
	expect	t1, 5
	ld	t1, 0(s0)
	expect	t1, 8

	/* LR and SC: 0 says that it was stored. */
	li	t1, -9
	lr.d	t0, (s0)
	sc.d	t2, t1, (s0)
	expect	t0, 8
	expect	t2, 0
	ld	t0, 0(s0)
	expect	t0, -9
	lr.w.aq	t0, (s0)
	li	t1, 10
	sc.w.rl	t2, t1, (s0)
	expect	t0, -9
	expect	t2, 0
	ld	t0, 0(s0)
	expect	t0, 0xffffffff0000000a

	/* A word, and nothing of its neighbour. */
	li	t0, 0x5555555580000001
	sd	t0, 0(s0)
	lr.w	t0, (s0)
	expect	t0, 0xffffffff80000001
	li	t1, 10
	sc.w	t2, t1, (s0)
	expect	t2, 0
	ld	t0, 0(s0)
	expect	t0, 0x555555550000000a

	/* A second SC has no reservation. */
	sc.w	t2, t1, (s0)
	expect	t2, 1

	/* Another place was reserved. */
	addi	s1, s0, 8
	lr.d	t0, (s0)
	sd	t0, 0(s1)
	sc.d	t2, zero, (s1)
	expect	t2, 1
	sc.d	t2, zero, (s0)
	expect	t2, 1

	/* Somebody stored in between. */
	lr.d	t0, (s0)
	addi	t1, t0, 1
	sd	t1, 0(s0)
	sc.d	t2, zero, (s0)
	expect	t2, 1
	ld	t2, 0(s0)
	expect_same t2, t1

	/* A trap in between. */
	lr.d	t0, (s0)
	ecall
	sc.d	t2, zero, (s0)
	expect	t2, 1
	expect_trap 11

	/* Not aligned: nothing is loaded or stored. */
	li	t0, 99
	addi	s1, s0, 4
	lr.d	t0, (s1)
	expect_trap 4
	expect_same s11, s1
	expect	t0, 99
	sc.d	t0, zero, (s1)
	expect_trap 6
	amoadd.d t0, t0, (s1)
	expect_trap 6
	addi	s1, s0, 2
	amoswap.w t0, t0, (s1)
	expect_trap 6
	expect_same s11, s1
	expect	t0, 99

	/* No memory; a device has no atomics either. */
	li	s1, 0x1000
	lr.w	t0, (s1)
	expect_trap 5
	amoor.w	t0, t0, (s1)
	expect_trap 7
	li	s1, 0x02000000
	amoswap.w t0, t0, (s1)
	expect_trap 7
	expect_same s11, s1
	end

	.data
	.balign	8
room:	.zero	16
