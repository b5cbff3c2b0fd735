#!/bin/sh
# SPDX-License-Identifier: MIT
# An event with an unwatched probe executes as many instructions as an event without a probe.
#
#	cost.sh TRACETOOL ROOT LIBWAYMARK
. "$(dirname "$0")/lib.sh"
need gcc valgrind
[ -z "${WAYMARK_SANITIZER-}" ] || {
	echo "skipped: valgrind runs no program with a sanitizer in it"
	exit 77
}

# executed BACKENDS COUNT: prints the instructions of a run that fires COUNT ticks
executed()
{
	valgrind --tool=callgrind --callgrind-out-file=out ./"$1" plain "$2" >/dev/null 2>&1
	sed -n 's/^\(summary\|totals\): \([0-9]*\).*/\2/p' out | head -n 1
}

for backends in log log,dtrace; do
	generate $backends
	build "$backends" gcc -O1 -fno-tree-vectorize || fail "$backends"
done
# per_round BACKENDS: prints the instructions of a round of the loop, in hundredths
per_round()
{
	echo $((($(executed "$1" 100000) - $(executed "$1" 0)) / 1000))
}

log=$(per_round log)
dtrace=$(per_round log,dtrace)
echo "a round of a loop with an event that is off: $log / 100 instructions, with a probe $dtrace"
[ "$log" -ge 300 ] && [ "$dtrace" -eq "$log" ] || fail 'the probe costs instructions'
finish
