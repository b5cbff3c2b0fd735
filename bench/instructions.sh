#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts the instructions of a call whose event is off; fails above 3.
# instructions.sh DISABLED
set -eu
if ! command -v valgrind >/dev/null; then
	echo "valgrind is not installed"
	exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
count=100000

# executed LOOP: prints the number of instructions of a whole run.
executed() {
	valgrind --tool=callgrind --callgrind-out-file="$tmp/out" "$program" "$1" "$count" \
		>/dev/null 2>&1
	sed -n 's/^\(summary\|totals\): \([0-9]*\).*/\2/p' "$tmp/out" | head -n 1
}

program=$1
plain=$(executed plain)
traced=$(executed traced)
awk -v n="$count" -v plain="$plain" -v traced="$traced" 'BEGIN {
	each = (traced - plain) / n
	printf "a disabled site executes %.2f instructions\n", each
	exit !(each > 0 && each < 3.005)
}'
