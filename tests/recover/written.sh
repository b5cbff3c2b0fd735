#!/bin/sh
# SPDX-License-Identifier: MIT
# babeltrace2 reads the traces of src/write, and prints nothing to stderr: written.sh PROGRAM
set -eu
program=$(realpath "$1")
command -v babeltrace2 >/dev/null || {
	echo "skipped: babeltrace2 is not installed (apt install babeltrace2)"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$program" trace
babeltrace2 --clock-seconds --no-delta trace >lines 2>errors
cat errors lines
[ ! -s errors ]

all='all: { cpu_id = 0, tid = 77 }, { a = -1, b = 65535, c = -1, d = 18446744073709551615, e = -1, f = 255, g = 0xFFFFFFFFFFFFFFFF, s_length = 3, s = "abc" }'
none='none: { cpu_id = 0, tid = 77 }, { }'
lengths='lengths: { cpu_id = 0, tid = 77 }, { s_length__ = 0, s = "", s_length = 5, s_length_ = 6 }'
host='a "host":back\slash
:(4242)' # what the metadata has as an octal escape
for n in 1 2 4; do
	printf '%s\n' "[1700000000.00000${n}005] $host $all" \
		"[1700000000.00000${n}006] $host $none" "[1700000000.00000${n}007] $host $lengths"
done | diff - lines
grep -qF '/* trace-events events:2: none(void) "ends *\/ a comment" */' trace/metadata
# The index contains every packet's position.
[ "$(od -An -tx1 -N16 trace/index/stream-1.idx | tr -d ' \n')" = c1f1dcc1000000010000000100000048 ]
[ "$(stat -c %s trace/index/stream-1.idx)" = $((16 + 4 * 72)) ]
[ "$(stat -c %s trace/stream-1)" = $((3 * 168 + 88)) ] # back to back
