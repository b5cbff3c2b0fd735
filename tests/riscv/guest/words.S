/* SPDX-License-Identifier: MIT */
/* Instructions *W: they use the lower half and sign-extend the result. */
#include "check.inc"
	begin
	registers addw, 0x7fffffff, 1, 0xffffffff80000000
	registers addw, 0x1ffffffff, 1, 0
	registers addw, 0xffffffff00000001, 1, 2
	registers subw, 0, 1, -1
	registers subw, 0x80000000, 1, 0x7fffffff
	registers sllw, 1, 31, 0xffffffff80000000
	registers sllw, 1, 32, 1
	registers sllw, 0xffffffff00000001, 4, 16
	registers srlw, 0xffffffff80000000, 31, 1
	registers srlw, 0x80000000, 32, 0xffffffff80000000
	registers srlw, -1, 4, 0x0fffffff
	registers sraw, 0x80000000, 31, -1
	registers sraw, 0x80000000, 36, 0xfffffffff8000000
	registers sraw, 0xffffffff70000000, 4, 0x07000000
	immediate addiw, 0x7fffffff, 1, 0xffffffff80000000
	immediate addiw, 0x123456780, 0, 0x23456780
	immediate addiw, 0, -1, -1
	immediate slliw, 1, 31, 0xffffffff80000000
	immediate slliw, 0x1ffffffff, 4, -16
	immediate srliw, 0xffffffff80000000, 31, 1
	immediate srliw, 0x80000000, 0, 0xffffffff80000000
	immediate sraiw, 0x80000000, 31, -1
	immediate sraiw, 0x17fffffff, 30, 1
	end
