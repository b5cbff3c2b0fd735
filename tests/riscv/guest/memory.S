/* SPDX-License-Identifier: MIT */
/* Loads with and without sign extension, stores of each size, and any alignment. */
#include "check.inc"
	.macro	load op, offset, result
	\op	t0, \offset(s0)
	expect	t0, \result
	.endm

	/* Stores over bytes of ones, and compares the whole doubleword. */
	.macro	store op, offset, value, result
	li	t0, -1
	sd	t0, 0(s1)
	li	t0, \value
	\op	t0, \offset(s1)
	ld	t1, 0(s1)
	expect	t1, \result
	.endm

	begin
	la	s0, numbers
	la	s1, room
	load	lb, 0, 0xfffffffffffffff0
	load	lb, 7, 0x12
	load	lbu, 0, 0xf0
	load	lh, 0, 0xffffffffffffdef0
	load	lh, 6, 0x1234
	load	lhu, 0, 0xdef0
	load	lw, 0, 0xffffffff9abcdef0
	load	lw, 4, 0x12345678
	load	lwu, 0, 0x9abcdef0
	load	ld, 0, 0x123456789abcdef0

	/* Misaligned. */
	load	lh, 1, 0xffffffffffffbcde
	load	lhu, 3, 0x789a
	load	lw, 1, 0x789abcde
	load	lw, 2, 0x56789abc
	load	lwu, 5, 0x99123456
	load	ld, 1, 0x99123456789abcde
	load	ld, 7, 0x0011223344559912

	store	sb, 0, 0x123, 0xffffffffffffff23
	store	sb, 7, 0x123, 0x23ffffffffffffff
	store	sh, 2, 0x12345, 0xffffffff2345ffff
	store	sw, 4, 0x123456789, 0x23456789ffffffff
	store	sd, 0, 0x123456789abcdef0, 0x123456789abcdef0
	store	sh, 1, 0, 0xffffffffff0000ff
	store	sh, 3, 0, 0xffffff0000ffffff
	store	sw, 1, 0, 0xffffff00000000ff
	store	sw, 3, 0, 0xff00000000ffffff

	/* Across the end of a page, and of a doubleword. */
	li	t0, 0x1122334455667788
	sd	t0, 1021(s1)
	ld	t1, 1021(s1)
	expect_same t0, t1
	lbu	t1, 1024(s1)
	expect	t1, 0x55
	expect_no_trap

	/* The greatest offsets. */
	addi	s2, s1, 2047
	addi	s2, s2, 1
	sb	zero, -2048(s2)
	lbu	t0, 0(s1)
	expect	t0, 0
	li	t0, 77
	sb	t0, 2047(s1)
	lbu	t1, -1(s2)
	expect	t1, 77
	end

	.data
	.balign	8
numbers:
	.dword	0x123456789abcdef0, 0x0000112233445599
	.balign	4096
	.zero	4096 - 1024
room:	.zero	1024
page:	.zero	4096
