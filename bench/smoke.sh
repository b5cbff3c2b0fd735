#!/bin/sh
# SPDX-License-Identifier: MIT
# The benchmarks run, the reader counts the recorded events, every table is printed; speed is not
# tested: smoke.sh ARGUMENTS-OF-RUN.PY
set -eu
here=$(dirname "$0")
[ "$1" = --programs ]
programs=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$here/run.py" "$@" --tiny --without=lttng --directory="$tmp" >"$tmp/out" 2>&1 || {
	cat "$tmp/out"
	exit 1
}
for topic in 'Into memory' 'To the disk' Latency 'Inside work' Threads Disabled Reading Analysing; do
	grep -q "^### $topic" "$tmp/out" || {
		cat "$tmp/out"
		echo "there is no table \"$topic\""
		exit 1
	}
done
# Without LTTng there may be no trace for babeltrace2.
if sed '/^### Reading/,$d' "$tmp/out" | grep '| -  *|'; then
	echo "something was not measured"
	exit 1
fi
grep -q 'none missing: [1-9]' "$tmp/out"
for row in 'full=discard *| ctf' 'full=overwrite *| ctf' 'full=block *| ctf' '1 thread *| fprintf'; do
	grep -q "^| two_u64, $row " "$tmp/out" || {
		echo "there is no row \"$row\""
		exit 1
	}
done
# DPDK may be missing; then the reason must be printed.
if ! grep -q '^| u64_str, 1 thread *| dpdk ' "$tmp/out" && ! grep 'not measured: dpdk: .' "$tmp/out"; then
	echo "neither a row nor a reason for dpdk"
	exit 1
fi
# Another tracer may be missing; then the reason must be printed.
"$here/filters.py" --tiny --programs="$programs" >"$tmp/filters" 2>&1 || {
	cat "$tmp/filters"
	exit 1
}
for tool in Waymark LTTng-UST bpftrace ftrace; do
	grep -q "^| $tool .*[0-9]" "$tmp/filters" || grep "^\* not here: $tool, .*: ." "$tmp/filters" || {
		cat "$tmp/filters"
		echo "neither a row nor a reason for $tool"
		exit 1
	}
done
rows=$(sed -n '/^### Guest code/,/^### Reading/p' "$tmp/out" | grep -c -E '^\| (loop|sha256) ') || rows=0
[ "$rows" = 8 ] || {
	cat "$tmp/out"
	echo "of the guests there are $rows rows, wanted 8"
	exit 1
}
if grep 'not measured: target' "$tmp/out" | grep -v -e x_babeltrace2 -e guest.loop; then
	exit 1
fi
