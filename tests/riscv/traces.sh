#!/bin/sh
# SPDX-License-Identifier: MIT
# What a trace tells of a guest agrees with what happened: traces.sh RISCV WAYMARK PROGRAMS [OPTION]
set -eu
riscv=$(realpath "$1")
waymark=$(realpath "$2")
guest=$3
option=${4:-}
. "$(dirname "$(realpath "$0")")/lib.sh"

less=

# trace NAME ARGUMENT...: runs the machine and prints its trace, of $events, into `lines`
events='*'
trace() {
	name=$1
	shift
	"$riscv" $option --count --trace "$events,file=$name.ctf,full=block" $less "$@" >out 2>count </dev/null
	"$waymark" print "$name.ctf" >lines
	! grep -q 'lost' lines || fail "events of $name are lost"
}

# sum NAME: of the numbers behind that word
sum() {
	awk -v name="$1" '{ for (i = 1; i < NF; i++) if ($i == name) sum += $(i + 1) } END { print sum }'
}

# Nothing traps in there: what the blocks have is what the hart has executed.
trace hello "$guest/hello.elf"
executed=$(sed -n 's/hart 0: \(.*\) instructions/\1/p' count)
blocks=$(grep ' guest_block_exec ' lines | sum instructions)
[ "$executed" = "$blocks" ] || fail "$executed instructions, but blocks of $blocks"
grep -q " guest_hart_stop cpu=[^ ]* hart 0 executed $executed instructions" lines || fail "no count at the end"
grep -q ' guest_function 0x[0-9a-f]* main$' lines || fail "main is not named"
grep -q ' loader_entry 0x80000000$' lines || fail "no entry"
sent=$(grep ' console_write ' lines | sed 's/.*0x//' | tr -d '\n')
[ "$sent" = "$(od -An -v -tx1 out | tr -d ' \n')" ] || fail "the console's bytes are others: $sent"
grep -q ' machine_stop status 0$' lines || fail "no end"

# Accesses to memory would be most of what programs that compute leave.
less='--trace=-guest_memory_*'

# Each request is submitted, begun and completed, in this order, and has one number.
head -c 100000 "$riscv" >disk
trace sha256 --disk disk "$guest/sha256.elf"
grep -q ' guest_function 0x[0-9a-f]* hash_block$' lines || fail "the functions of a program with .bss are not named"
awk '/ guest_disk_(submit|begin|complete) /{
	for (i = 1; i < NF; i++) {
		if ($i ~ /^guest_disk_/) what = $i
		if ($i == "request") id = $(i + 1) + 0
	}
	seen[id] = seen[id] " " what
}
END {
	for (id in seen) {
		if (seen[id] != " guest_disk_submit guest_disk_begin guest_disk_complete") exit 1
		count++
	}
	exit count != 25
}' lines || fail "requests are not as they should be: $(grep " guest_disk_" lines)"
grep -q ' guest_interrupt cpu=[^ ]* hart 0 cause 11 ' lines || fail "the disk did not interrupt"

# All harts, and who woke them. Each is a vCPU of its own.
trace harts --harts 4 "$guest/harts.elf"
cpus=$(sed -n 's/.* guest_block_exec \(cpu=[^ ]*\) .*/\1/p' lines | sort -u | wc -l)
[ "$cpus" = 4 ] || fail "blocks of $cpus harts"
for hart in 0 1 2 3; do
	grep -q " guest_hart_start cpu=[^ ]* hart $hart " lines || fail "hart $hart did not start"
	executed=$(sed -n "s/hart $hart: \(.*\) instructions/\1/p" count)
	grep -q " guest_hart_stop cpu=[^ ]* hart $hart executed $executed instructions" lines ||
		fail "hart $hart: the counts differ"
done
for hart in 1 2 3; do
	grep -q " clint_software hart $hart pending 1" lines || fail "hart $hart was not woken"
	grep -q " guest_hart_wait cpu=[^ ]* hart $hart " lines || fail "hart $hart did not sleep"
	grep -q " guest_interrupt cpu=[^ ]* hart $hart cause 3 " lines || fail "hart $hart did not notice"
done
grep -q ' guest_trap cpu=[^ ]* hart 0 cause 5 ' lines || fail "the fault is missing"
grep -q ' guest_mret cpu=[^ ]* hart 0 ' lines || fail "the way back is missing"

# Interpreted and translated, a guest's blocks and accesses are the same.
less=
guest_events() {
	sed -n 's/.* \(guest_[a-z_]*\) cpu=[^ ]*/\1/p' lines
}
for program in hello tests/memory tests/atomic tests/trap tests/code; do
	trace "$(basename $program).1" "$guest/$program.elf"
	guest_events >events
	grep -q '^guest_memory_exec ' events || fail "$program: no accesses"
	trace "$(basename $program).2" --interpret "$guest/$program.elf"
	guest_events | cmp - events || fail "$program: translated, its events are others"
done
