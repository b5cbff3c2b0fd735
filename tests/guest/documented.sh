#!/bin/bash
# SPDX-License-Identifier: MIT
# The documented example gives the documented records, each event with the address of its
# CPU: in the backend's output, and in that of the tools that read it.
#
#	documented.sh TRACETOOL ROOT LIBWAYMARK WAYMARK SIMPLETRACE BACKEND
library=$(realpath "$3")
waymark=$(realpath "$4")
simpletrace=$(realpath "$5")
backend=$6
. "$(dirname "$0")/../tracetool/lib.sh"
here=$root/tests/guest
events=$here/documented.events
export LD_LIBRARY_PATH="${library%/*}"
unset WAYMARK_TRACE

skip() # REASON
{
	echo "skipped: $1"
	exit 77
}

need() # COMMAND...
{
	for command in "$@"; do
		have "$command" || skip "$command is missing"
	done
}

# build BACKENDS: builds the program
build()
{
	generate_c "$1" guest "$events"
	gcc $tsan $warnings -std=gnu11 -I"$include" -I. "$here/program.c" trace-guest.c "$library" \
		-o program || fail 'build'
}

# run PROGRAM OPTIONS: runs it with all events on
run()
{
	cpu=$(WAYMARK_TRACE="*,$2" "$1" 2>said) || fail "run: $(cat said)"
	[ ! -s said ] || fail "the program says: $(cat said)"
}

# shows WHAT FILE: FILE has one line per event, as documented
shows()
{
	printf '%s\n' 'foo a=d1' "bar cpu=$cpu a=d2" "baz_trans cpu=$cpu a=d3" \
		"baz_exec cpu=$cpu a=d3" | diff - "$2" || fail "$1: documented (<), found (>)"
}

backend_log()
{
	build log
	run ./program log.file=log,log.prefix=none
	shows log log
}

backend_ctf()
{
	build ctf
	run ./program ctf.file=trace.ctf
	"$waymark" print trace.ctf | sed 's/^ *[^ ]* *[^ ]* //' >found
	shows 'waymark print' found
	have babeltrace2 || skip 'babeltrace2 is missing'
	babeltrace2 trace.ctf | sed 's/^.* \([a-z_]*\): {[^}]*}, { \(.*\) }$/\1 \2/' >found
	shown=$(printf 'cpu = 0x%X' "$cpu") # it prints fields, not formats
	printf '%s\n' "foo a = $((0xd1))" "bar $shown, a = $((0xd2))" \
		"baz_trans $shown, a = $((0xd3))" "baz_exec $shown, a = $((0xd3))" |
		diff - found || fail 'babeltrace2: documented (<), found (>)'
}

backend_simple()
{
	build simple
	run ./program simple.file=trace
	"$waymark" print --declarations="$events" trace | sed 's/^ *[^ ]* *[^ ]* //' >found
	shows 'waymark print' found
	"$simpletrace" "$events" trace | sed 's/ [0-9.-]* pid=[0-9]*//; s/ a=0x/ a=/' >found
	shows simpletrace found
}

backend_rs()
{
	need rustc
	[ -z "${WAYMARK_SANITIZER-}" ] || skip 'rustc links no program with the sanitizers of gcc'
	generate_c log guest "$events"
	"$tracetool" --format=rs --backends=log --group=guest -o trace.rs "$events" || fail 'rs'
	cp "$here/main.rs" .
	gcc $warnings -O1 -I"$include" -I. -c trace-guest.c || fail 'gcc'
	env -u MALLOC_PERTURB_ rustc --edition=2021 -O -C link-arg=trace-guest.o \
		-C link-arg="$library" -o program main.rs || fail 'rustc'
	run ./program log.file=log,log.prefix=none
	shows rs log
}

backend_dtrace()
{
	need bpftrace
	echo '#include <sys/sdt.h>' | gcc -E - >probe 2>&1 || skip 'sys/sdt.h is missing'
	bpftrace -e 'BEGIN { exit(); }' >probe 2>&1 ||
		skip "bpftrace cannot run here: $(grep -m1 -i error probe)"
	build dtrace
	"$tracetool" --format=bpftrace --backends=dtrace --group=guest --binary=./program \
		--output=guest.bt "$events" || fail 'the script'
	timeout 60 bpftrace -c ./program guest.bt >printed 2>errors || fail "bpftrace: $(cat errors)"
	cpu=$(grep -o '^0x[0-9a-f]*$' printed)
	sed -n 's/^[0-9:.]* *[0-9]* *[0-9]* \([a-z]\)/\1/p' printed | grep -v '^EVENT' | sort >sorted
	sed -n '/foo/p' sorted >found
	sed -n '/bar/p; /baz_trans/p' sorted >>found
	sed -n '/baz_exec/p' sorted >>found
	shows bpftrace found
}

backend_"$backend"
finish
