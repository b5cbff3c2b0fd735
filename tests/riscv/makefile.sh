#!/bin/sh
# SPDX-License-Identifier: MIT
# The machine's own Makefile builds it as a user does, with events and without: makefile.sh ROOT
# BUILD
. "$(dirname "$0")/../examples/common.sh"
guest=$root/examples/riscv/guest

for backends in ctf nop; do
	make -s -j2 -C "$root/examples/riscv" BUILD="$tmp/$backends" WAYMARK_BACKENDS=$backends \
		>"$tmp/log" 2>&1 || fail "it does not build with $backends: $(cat "$tmp/log")"
	[ ! -s "$tmp/log" ] || fail "warnings with $backends: $(cat "$tmp/log")"
	[ "$("$tmp/$backends/riscv" "$guest/hello.elf")" = 'Hello from hart 0' ] ||
		fail "it does not run with $backends"
done
"$tmp/ctf/riscv" -trace 'guest_block_exec,file='"$tmp/trace" "$guest/hello.elf" >"$tmp/out"
"$waymark" print "$tmp/trace" | grep -q ' guest_block_exec cpu=0x[0-9a-f]* pc 0x80000000 ' || fail "it is not traced"
