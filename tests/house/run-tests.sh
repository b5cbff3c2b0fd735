#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/run-tests closes with the counts, tells why tests were skipped and what
# failed, and fails when one did: run-tests.sh ROOT
set -eu
root=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cat >"$tmp/meson.build" <<'END'
project('sample')
sh = find_program('sh')
test('passes', sh, args: ['-c', 'true'])
test('is skipped', sh, args: ['-c', 'echo the moon is down; exit 77'])
test('fails', sh, args: ['-c', 'echo wanted 1, got 2; exit 3'], suite: 'bad')
END
meson setup "$tmp/build" "$tmp" >/dev/null

fail() {
	echo "$1:"
	cat "$tmp/out"
	exit 1
}

if "$root/tools/run-tests" "$tmp/build" >"$tmp/out" 2>&1; then
	fail "a failure went unnoticed"
fi
[ "$(tail -n 1 "$tmp/out")" = "1 passed, 1 failed, 1 skipped" ] || fail "wrong closing line"
grep -q 'skipped: is skipped: the moon is down' "$tmp/out" || fail "no reason of the skipped test"
grep -q 'FAILED: fails' "$tmp/out" || fail "the failed test is not named"
grep -q 'wanted 1, got 2' "$tmp/out" || fail "no output of the failed test"

"$root/tools/run-tests" "$tmp/build" --no-suite bad >"$tmp/out" 2>&1 || fail "failed without failures"
[ "$(tail -n 1 "$tmp/out")" = "1 passed, 0 failed, 1 skipped" ] || fail "wrong closing line"
