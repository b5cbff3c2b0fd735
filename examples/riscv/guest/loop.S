/* SPDX-License-Identifier: MIT */
/* A thousand million instructions, ten per round, for benchmarks. */
	.section .text.start, "ax"
	.globl	_start
_start:
	bnez	a0, sleep
	li	t0, 100000000
round:
	add	a1, a1, t0
	xor	a2, a2, t0
	slli	a3, t0, 5
	sub	a4, a4, t0
	srli	a5, t0, 3
	addi	a6, a6, 7
	or	a7, t0, a0
	sltu	t1, t0, a1
	addi	t0, t0, -1
	bnez	t0, round

	li	t3, 0x100000
	sw	zero, 0(t3)
sleep:
	wfi
	j	sleep
