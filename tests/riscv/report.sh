#!/bin/sh
# SPDX-License-Identifier: MIT
# riscv-report prints from a trace what the guest did: report.sh RISCV REPORT WAYMARK PROGRAMS TESTS
set -eu
riscv=$(realpath "$1")
report=$(realpath "$2")
waymark=$(realpath "$3")
guest=$4
tests=$5
. "$(dirname "$(realpath "$0")")/lib.sh"

# run ARGUMENT...: runs the machine on `input`, traced into `trace`, and writes the report to `out`
run() {
	"$riscv" --count --trace "guest_*,file=trace,replace=on,full=block" "$@" >printed 2>count <input
	"$report" trace >out
}

# Prints the table of harts: instructions by the trace, and by the machine's count.
harts() {
	awk 'NF == 0 { inside = 0 } inside { print $1, $3, $4 } /^hart +cpu/ { inside = 1 }' out
}
same_harts() {
	sed -n 's/^hart \(.*\): \(.*\) instructions$/\1 \2 \2/p' count >wanted
	harts | cmp -s - wanted || fail "$1: instructions are not $(cat wanted)"
}

# Prints the tree of a hart: calls and names, indented.
path() {
	awk -v hart="hart $1: its path" 'NF == 0 { inside = 0 } inside && $1 != "calls" {
		at = index($0, $4) + length($4); print $1 substr($0, at) } $0 == hart { inside = 1 }' out
}

cat >wanted.path <<'END'
1  _start
1    main
2      print
1      print_number
1    machine_exit
END
: >input
run "$guest/hello.elf"
same_harts hello
path 0 | cmp -s - wanted.path || fail "hello: its path is $(path 0)"
sed '1,/^the guest printed$/d' out | cmp -s - printed || fail "hello: it printed $(cat printed)"
! grep -q lost out || fail "hello: nothing is lost"

# The input's length determines the calls; an interrupted function continues after the handler.
{ echo 20000 && head -c 20000 "$riscv"; } >input
run --trace=-guest_memory_\* "$guest/sha256.elf"
same_harts sha256
[ "$(path 0 | awk '$2 == "hash_block" { sum += $1 } END { print sum }')" = 313 ] || fail "blocks of SHA-256: $(path 0)"
path 0 | grep -q '^20006  *read_byte$' || fail "read_byte: $(path 0)"
grep -q '^ *[1-9].* trap_entry (trap or interrupt)$' out || fail "the fault of count_harts() is missing"
sed '1,/^the guest printed$/d' out | cmp -s - printed || fail "sha256: it printed $(cat printed)"

# Traps in the middle of blocks, interrupts, self-modifying code.
: >input
for program in trap interrupt code; do
	run "$tests/$program.elf"
	same_harts $program
done

{ echo 20000 && head -c 20000 "$riscv"; } >input
run --harts 4 --trace=-guest_memory_\* "$guest/sha256.elf"
same_harts 'four harts'
for hart in 1 2 3; do
	path $hart | grep -q '^1    hart_main$' || fail "hart $hart has no path"
	path $hart | grep -q '^1      hash_share$' || fail "hart $hart did not hash: $(path $hart)"
done

# Events are missing: the report says so, and counts the others.
{ echo 100000 && head -c 100000 "$riscv"; } >input
"$riscv" --count --trace "guest_*,file=gaps,buffer=1M" "$guest/sha256.elf" >printed 2>count <input
"$report" gaps >out
grep -q '^[1-9][0-9]* events and 0 packets of events are lost: counts are too low, paths have holes$' out || fail "no word of the losses"
[ "$(harts | awk '{ print ($2 < $3) }')" = 1 ] || fail "nothing is lost, or more is counted than there was"
[ "$(path 0 | wc -l)" -gt 3 ] || fail "a trace with gaps has no path"

# A killed machine also leaves a trace, which ends at some point.
timeout -s KILL 100 sh -c 'echo $$ >pid; exec "$0" "$@"' "$riscv" --trace "guest_*,file=killed,buffer=1M,full=block" \
	"$guest/loop.elf" >printed 2>&1 </dev/null &
machine=$!
until "$waymark" print killed 2>/dev/null | head -n 2000 | grep -q guest_block_exec; do
	sleep 0.1
done
kill -9 "$(cat pid)"
wait $machine 2>>printed || :
"$waymark" recover killed >recovered || fail "recover: $(cat recovered)"
"$report" killed >out
harts | grep -q '^0 [1-9][0-9]* ?$' || fail "the killed hart: $(harts)"
path 0 | head -n 1 | grep -q '^1  _start$' || fail "the killed hart's path: $(path 0)"

# refused MESSAGE TRACE: riscv-report fails with one clear line
refused() {
	! "$report" "$2" >out 2>error || fail "$2 is taken for a trace of the machine"
	[ "$(wc -l <error)" = 1 ] && [ ! -s out ] && grep -q "^riscv-report: .*$1" error || fail "$2: wanted '$1', not: $(cat error)"
}
mkdir empty
refused 'empty: ' empty
"$riscv" --trace "machine_*,file=others" "$guest/hello.elf" >printed
refused "others: no events of a guest's harts" others
refused 'none: .*No such file' none
echo 'this is no trace' >text
refused 'text: ' text
: >nothing
refused 'nothing: ' nothing
! "$report" >out 2>error || fail "it needs a trace"
grep -q '^usage: riscv-report TRACE$' error || fail "no usage: $(cat error)"
