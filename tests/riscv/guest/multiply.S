/* SPDX-License-Identifier: MIT */
/* Extension M, with divisions by zero and the overflowing division. */
#include "check.inc"
	begin
	registers mul, 7, -3, -21
	registers mul, 0x100000000, 0x100000000, 0
	registers mul, 0x123456789abcdef, 0x10, 0x123456789abcdef0
	registers mulh, -1, -1, 0
	registers mulh, -1, 1, -1
	registers mulh, 0x8000000000000000, 0x8000000000000000, 0x4000000000000000
	registers mulhu, -1, -1, -2
	registers mulhu, 0x8000000000000000, 2, 1
	registers mulhsu, -1, -1, -1
	registers mulhsu, 1, -1, 0
	registers mulhsu, 0x8000000000000000, 2, -1
	registers mulw, 0x10000, 0x8000, 0xffffffff80000000
	registers mulw, 0x100000003, 0x200000005, 15

	registers div, 20, 6, 3
	registers div, -20, 6, -3
	registers div, 20, -6, -3
	registers div, -20, -1, 20
	registers div, 20, 0, -1
	registers div, 0x8000000000000000, -1, 0x8000000000000000
	registers divu, -20, 6, 0x2aaaaaaaaaaaaaa7
	registers divu, 20, 0, -1
	registers divu, 0x8000000000000000, -1, 0
	registers rem, 20, 6, 2
	registers rem, -20, 6, -2
	registers rem, 20, -6, 2
	registers rem, 20, 0, 20
	registers rem, -20, 0, -20
	registers rem, 0x8000000000000000, -1, 0
	registers remu, -20, 6, 2
	registers remu, 20, 0, 20

	registers divw, 0x100000014, 6, 3
	registers divw, -20, 6, -3
	registers divw, 20, 0x100000000, -1
	registers divw, 0x80000000, -1, 0xffffffff80000000
	registers divuw, 0xffffffec, 6, 0x2aaaaaa7
	registers divuw, 0xffffffec, 1, -20
	registers divuw, 0x1ffffffec, 6, 0x2aaaaaa7
	registers divuw, 20, 0, -1
	registers remw, -20, 6, -2
	registers remw, 0x1ffffffec, 0, -20
	registers remw, 0x80000000, -1, 0
	registers remuw, 0xffffffec, 6, 2
	registers remuw, 0x100000014, 6, 2
	registers remuw, 0xffffffec, 0, -20
	expect_no_trap
	end
