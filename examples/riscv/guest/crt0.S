/* SPDX-License-Identifier: MIT */
/*
 * All harts begin here, with their number in a0. Hart 0 runs main(), whose result is the machine's
 * status; the others run hart_main(number). Each has 16 KiB of stack. Interrupts and traps call
 * trap_handler(cause, pc, value), which returns the address to continue at.
 */
	.section .text.start, "ax"
	.globl _start
_start:
	la	t0, trap_entry
	csrw	mtvec, t0
	la	sp, stacks
	addi	t0, a0, 1
	slli	t0, t0, 14
	add	sp, sp, t0
	bnez	a0, 1f
	call	main
	call	machine_exit
1:	call	hart_main
2:	wfi
	j	2b

	.weak	hart_main
hart_main:
	wfi
	j	hart_main

/* Registers that a C function may change; it saves the others itself. */
	.balign	4
trap_entry:
	addi	sp, sp, -128
	.irp	r, 0,1,2,3,4,5,6
	sd	t\r, 8*\r(sp)
	.endr
	.irp	r, 0,1,2,3,4,5,6,7
	sd	a\r, 56+8*\r(sp)
	.endr
	sd	ra, 120(sp)
	csrr	a0, mcause
	csrr	a1, mepc
	csrr	a2, mtval
	call	trap_handler
	csrw	mepc, a0
	.irp	r, 0,1,2,3,4,5,6
	ld	t\r, 8*\r(sp)
	.endr
	.irp	r, 0,1,2,3,4,5,6,7
	ld	a\r, 56+8*\r(sp)
	.endr
	ld	ra, 120(sp)
	addi	sp, sp, 128
	mret
