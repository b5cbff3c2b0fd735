#!/bin/sh
# SPDX-License-Identifier: MIT
# Its own Makefile builds the machine as a user does, with events and without:
# makefile.sh ROOT BUILD
. "$(dirname "$0")/../examples/common.sh"
guest=$root/examples/riscv/guest

for backends in ctf nop; do
	make -s -j2 -C "$root/examples/riscv" BUILD="$tmp/$backends" WAYMARK_BACKENDS=$backends \
		>"$tmp/log" 2>&1 || fail "it does not build with $backends: $(cat "$tmp/log")"
	[ ! -s "$tmp/log" ] || fail "warnings with $backends: $(cat "$tmp/log")"
	[ "$("$tmp/$backends/riscv" "$guest/hello.elf")" = 'Hello from hart 0' ] ||
		fail "it does not run with $backends"
	for program in tests/memory tests/atomic loop; do
		"$tmp/$backends/riscv" --dump-code "$tmp/dump" "$guest/$program.elf"
		cat "$tmp/dump" >>"$tmp/$backends.code"
	done
done
if [ "$(uname -m)" = x86_64 ]; then
	[ "$(wc -l <"$tmp/nop.code")" -gt 100 ] || fail "hardly anything is translated"
	cmp "$tmp/nop.code" "$tmp/ctf.code" || fail "events that are off change the code"
fi
"$tmp/ctf/riscv" -trace 'guest_block_exec,file='"$tmp/trace" "$guest/hello.elf" >"$tmp/out"
"$waymark" print "$tmp/trace" | grep -q ' guest_block_exec cpu=0x[0-9a-f]* pc 0x80000000 ' || fail "it is not traced"
