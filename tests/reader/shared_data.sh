#!/bin/sh
# SPDX-License-Identifier: MIT
# Logs that QEMU itself wrote, if they are installed: shared_data.sh ROOT COMMANDS
set -u
data=${WAYMARK_SHARED:-$1/../shared}/data/qemu-simpletrace
commands=$2
events=$data/trace-events-all-10.2-i386-softmmu
if ! [ -r "$events" ]; then
	echo "skipped: $data is not there (set WAYMARK_SHARED)"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
	echo "FAILED: $*"
	failed=1
}

"$commands/simpletrace" "$events" "$data/small.trace" >"$work/small" || fail "small.trace"
cmp "$work/small" "$data/small.simpletrace.txt" || fail "small.trace differs from QEMU's decode"

lines=$("$commands/simpletrace" "$events" "$data/medium.trace" | wc -l)
[ "$lines" = 15829 ] || fail "medium.trace has $lines lines"
lines=$("$commands/waymark" print -e "$events" "$data/medium.trace" | wc -l)
[ "$lines" = 15829 ] || fail "medium.trace has $lines messages"
"$commands/waymark" print -e "$events" "$data/medium.trace" 2>&1 >/dev/null | grep . &&
	fail "medium.trace prints without a note"

"$commands/simpletrace" "$events" "$data/truncated.trace" >"$work/truncated" 2>"$work/err" &&
	fail "truncated.trace succeeds"
grep -q 'ends at byte 1000000,' "$work/err" || fail "truncated.trace does not say where"
lines=$(wc -l <"$work/truncated")
[ "$lines" = 7763 ] || fail "truncated.trace has $lines whole records"
exit "$failed"
