/* SPDX-License-Identifier: MIT */
/* Shifts; the count is the lower six bits of a number. */
#include "check.inc"
	begin
	immediate slli, 1, 63, 0x8000000000000000
	immediate slli, 0x123456789abcdef0, 4, 0x23456789abcdef00
	immediate slli, -1, 0, -1
	immediate srli, -1, 1, 0x7fffffffffffffff
	immediate srli, 0x8000000000000000, 63, 1
	immediate srli, 0x8000000000000000, 32, 0x80000000
	immediate srai, 0x8000000000000000, 63, -1
	immediate srai, 0x8000000000000000, 32, 0xffffffff80000000
	immediate srai, 0x7fffffffffffffff, 62, 1
	registers sll, 1, 63, 0x8000000000000000
	registers sll, 3, 64, 3
	registers sll, 3, -1, 0x8000000000000000
	registers srl, -1, 4, 0x0fffffffffffffff
	registers srl, -1, 68, 0x0fffffffffffffff
	registers srl, 0x8000000000000000, 63, 1
	registers sra, 0x8000000000000000, 4, 0xf800000000000000
	registers sra, 0x8000000000000000, 68, 0xf800000000000000
	registers sra, 0x4000000000000000, 62, 1
	end
