#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts the instructions of enabled trace points of waymark/scope.h and of declared events;
# fails if a scope takes more than 1.4 times as many, or another point more than its limit.
# points.sh PROGRAM
set -eu
if ! command -v valgrind >/dev/null; then
	echo "valgrind is not installed"
	exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
count=1000

valgrind --tool=callgrind --callgrind-out-file="$tmp/out" "$1" path="$tmp/trace" \
	count=$count rounds=2 >/dev/null 2>"$tmp/errors" || {
	cat "$tmp/errors"
	exit 1
}
# Three runs of each: a warm-up and two rounds.
callgrind_annotate --inclusive=yes --threshold=100 "$tmp/out" |
	sed -n 's/^ *\([0-9,]*\) .*:\(site\|declared\)_\([a-z0-9]*\) .*/\3 \2 \1/p' |
	tr -d , | sort | awk -v n=$((count * 3)) '
	BEGIN { limits["instant"] = limits["counter"] = 1.75; limits["string"] = 1.85 }
	{ cost[$2, $1] = $3 / n; cases[$1] }
	END {
		printf "%-10s %8s %8s %6s\n", "", "site", "declared", "ratio"
		for (c in cases) {
			ratio = cost["site", c] / cost["declared", c]
			printf "%-10s %8.1f %8.1f %6.2f\n", c, cost["site", c], cost["declared", c], ratio
			failed = failed || ratio > (c in limits ? limits[c] : 1.4)
			rows++
		}
		exit !(rows == 10 && !failed)
	}'
