#!/bin/sh
# SPDX-License-Identifier: MIT
# A trace of a guest agrees with the machine's counts: traces.sh RISCV WAYMARK PROGRAMS TESTS
set -eu
riscv=$(realpath "$1")
waymark=$(realpath "$2")
guest=$3
tests=$4
. "$(dirname "$(realpath "$0")")/lib.sh"

# trace NAME ARGUMENT...: runs the machine on `input` and prints its trace into `lines`
trace() {
	name=$1
	shift
	"$riscv" --count --trace "*,file=$name.ctf,full=block" "$@" >out 2>count <input
	"$waymark" print "$name.ctf" >lines
	! grep -q 'lost' lines || fail "events of $name are lost"
}

# sum NAME: adds up the numbers after that word
sum() {
	awk -v name="$1" '{ for (i = 1; i < NF; i++) if ($i == name) sum += $(i + 1) } END { print sum }'
}

# Nothing traps in this program: the hart has executed all instructions of its blocks.
: >input
trace hello "$guest/hello.elf"
executed=$(sed -n 's/hart 0: \(.*\) instructions/\1/p' count)
blocks=$(grep ' guest_block_exec ' lines | sum instructions)
[ "$executed" = "$blocks" ] || fail "$executed instructions, but blocks of $blocks"
grep -q " guest_hart_stop cpu=[^ ]* hart 0 executed $executed instructions" lines || fail "no count at the end"
grep -q ' guest_function 0x[0-9a-f]* main$' lines || fail "main is not named"
grep -q ' machine_start 1 harts, 16777216 bytes of memory, entry 0x80000000$' lines || fail "no start"
sent=$(grep ' guest_output ' lines | sed 's/.*0x//' | tr -d '\n')
[ "$sent" = "$(od -An -v -tx1 out | tr -d ' \n')" ] || fail "the console's bytes are others: $sent"
grep -q ' machine_stop status 0$' lines || fail "no end"

# A block is decoded before it runs, and only once while no event is switched.
awk '{ for (i = 1; i < NF; i++) { if ($i ~ /^guest_block_/) what = $i; if ($i == "pc") pc = $(i + 1) } }
	/ guest_block_trans / && decoded[pc]++ { exit 1 }
	/ guest_block_exec / && !decoded[pc] { exit 1 }' lines || fail "blocks are decoded too often, or too late"

# Each load and each store is recorded, also trapping ones: the handler's address is known.
trace memory "$tests/memory.elf"
loads=$(grep -c ' guest_memory_exec .* store 0$' lines)
[ "$loads" -ge 30 ] || fail "$loads loads"
grep -q ' guest_memory_exec .* address 0x[0-9a-f]* size 2 store 1$' lines || fail "no store of two bytes"
trace trap "$tests/trap.elf"
grep -q ' guest_memory_exec .* address 0xffffffffffffffff size 8 store 0$' lines || fail "a load that traps has no event"
grep -q ' guest_trap .* cause 5 pc 0x[0-9a-f]* value 0xffffffffffffffff$' lines || fail "the fault is missing"

# All harts start, sleep, and are woken. Each is a separate vCPU.
{ echo 2000 && head -c 2000 "$riscv"; } >input
trace sha256 --harts 4 "$guest/sha256.elf"
cpus=$(sed -n 's/.* guest_block_exec \(cpu=[^ ]*\) .*/\1/p' lines | sort -u | wc -l)
[ "$cpus" = 4 ] || fail "blocks of $cpus harts"
[ "$(grep -c ' guest_input ' lines)" = 2005 ] || fail "the console's input is not all traced"
for hart in 0 1 2 3; do
	grep -q " guest_hart_start cpu=[^ ]* hart $hart " lines || fail "hart $hart did not start"
	executed=$(sed -n "s/hart $hart: \(.*\) instructions/\1/p" count)
	grep -q " guest_hart_stop cpu=[^ ]* hart $hart executed $executed instructions" lines ||
		fail "hart $hart: the counts differ"
done
for hart in 1 2 3; do
	grep -q " clint_software hart $hart pending 1" lines || fail "hart $hart was not woken"
	grep -q " guest_hart_wait cpu=[^ ]* hart $hart " lines || fail "hart $hart did not sleep"
	grep -q " guest_interrupt cpu=[^ ]* hart $hart cause 3 " lines || fail "hart $hart took no interrupt"
done
grep -q ' guest_trap cpu=[^ ]* hart 0 cause 5 ' lines || fail "the fault of count_harts() is missing"
grep -q ' guest_mret cpu=[^ ]* hart 0 ' lines || fail "the return from the handler is missing"

# The timer's interrupt is raised at its time, and taken.
: >input
trace interrupt "$tests/interrupt.elf"
grep -q ' clint_expire hart 0, ' lines || fail "no timer expires"
grep -q ' guest_interrupt cpu=[^ ]* hart 0 cause 7 ' lines || fail "no timer interrupt is taken"
