#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts the instructions of a vCPU event's call with callgrind. Off for all vCPUs: as many as any
# event; on for all: hardly more than another event with the same arguments; on only for another
# vCPU: at most a search of the table more. cost.sh COST
set -eu
if ! command -v valgrind >/dev/null; then
	echo "skipped: valgrind is not installed"
	exit 77
fi
cost=$(realpath -e "$1")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
count=10000

# executed CASE: prints the instructions of its loop and all that it calls, less those of an empty
# loop.
executed() {
	rm -rf "$tmp/trace" "$tmp/out"
	valgrind --tool=callgrind --callgrind-out-file="$tmp/out" --toggle-collect="case_$1" \
		"$cost" $count "$tmp/trace" >/dev/null 2>"$tmp/err" || {
		cat "$tmp/err" >&2
		exit 1
	}
	sed -n 's/^\(summary\|totals\): \([0-9]*\).*/\2/p' "$tmp/out" | head -n 1
}

for case in nothing plain_off vcpu_off plain_on vcpu_on_for_all vcpu_on_for_another vcpu_on_for_it; do
	echo "$case $(executed $case)"
done >"$tmp/counts"
awk -v n=$count '
	$1 == "nothing" { nothing = $2; next }
	{
		each[$1] = ($2 - nothing) / n
		printf "%-22s %6.2f instructions\n", $1, each[$1]
	}
	function most(what, limit) {
		if (!(each[what] > 0 && each[what] <= limit)) {
			print what " executes more than " limit
			bad = 1
		}
	}
	END {
		most("vcpu_off", each["plain_off"])
		most("vcpu_on_for_all", each["plain_on"] + 6)
		most("vcpu_on_for_another", 70)
		most("vcpu_on_for_it", each["plain_on"] + 70)
		exit bad
	}' "$tmp/counts"
