/* SPDX-License-Identifier: MIT */
/* Operations on a register and an immediate, and constants. */
#include "check.inc"
	begin
	immediate addi, 0, 2047, 2047
	immediate addi, 0, -2048, -2048
	immediate addi, 0x7fffffffffffffff, 1, 0x8000000000000000
	immediate slti, -5, -4, 1
	immediate slti, -4, -4, 0
	immediate slti, 1, -1, 0
	immediate sltiu, 1, -1, 1
	immediate sltiu, 0, 1, 1
	immediate sltiu, -1, -1, 0
	immediate xori, 0x5555, -1, 0xffffffffffffaaaa
	immediate xori, 0x0ff0, 0x0f0, 0x0f00
	immediate ori, 0x10000, -2048, 0xfffffffffffff800
	immediate ori, 0x0f0, 0x00f, 0x0ff
	immediate andi, -1, 0x7ff, 0x7ff
	immediate andi, 0x123456789abcdef0, -16, 0x123456789abcdef0

	lui	t0, 0x7ffff
	expect	t0, 0x7ffff000
	lui	t0, 0x80000
	expect	t0, 0xffffffff80000000
	lui	t0, 0
	expect	t0, 0

	auipc	t0, 0
here:	la	t1, here - 4
	expect_same t0, t1
	auipc	t0, 0x80000
there:	la	t1, there - 4
	lui	t2, 0x80000
	add	t1, t1, t2
	expect_same t0, t1
	end
