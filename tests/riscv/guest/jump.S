/* SPDX-License-Identifier: MIT */
/* Jumps, and the link registers that they write. */
#include "check.inc"
	begin
	jal	t0, 1f
back:	j	fail
1:	la	t1, back
	expect_same t0, t1

	la	t1, 2f
	jalr	t0, t1, 0
after:	j	fail
2:	la	t1, after
	expect_same t0, t1

	/* With an offset, and the lowest bit, which is ignored. */
	la	t1, 3f + 16
	jalr	t0, -15(t1)
	j	fail
3:
	/* One register for both: the target is its former value. */
	la	t1, 4f
	jalr	t1, t1, 0
last:	j	fail
4:	la	t0, last
	expect_same t0, t1

	/* No link. */
	la	t1, 5f
	jalr	zero, t1, 0
	j	fail
5:	expect	zero, 0

	/* Forwards and backwards across a page. */
	j	far
near:	expect	zero, 0
	end
	.balign	4096
	.zero	64
far:	j	near
