/* SPDX-License-Identifier: MIT */
/* Operations on two registers: RV64I's arithmetic and logic. */
#include "check.inc"
	begin
	registers add, 0, 0, 0
	registers add, 1, -1, 0
	registers add, 0x7fffffffffffffff, 1, 0x8000000000000000
	registers add, 0xffffffff, 1, 0x100000000
	registers sub, 0, 1, -1
	registers sub, 0x8000000000000000, 1, 0x7fffffffffffffff
	registers slt, -1, 0, 1
	registers slt, 0, -1, 0
	registers slt, 0x8000000000000000, 0x7fffffffffffffff, 1
	registers slt, 5, 5, 0
	registers sltu, -1, 0, 0
	registers sltu, 0, -1, 1
	registers sltu, 5, 5, 0
	registers xor, 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0xf0f0f0f0f0f0f0f0
	registers or, 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0xfff0fff0fff0fff0
	registers and, 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0x0f000f000f000f00

	/* x0 stays 0. */
	li	t0, 5
	add	zero, t0, t0
	expect	zero, 0
	expect	t0, 5
	end
