#!/bin/sh
# SPDX-License-Identifier: MIT
# The demo ends with equal counts, and the commands that README.md shows after it work.
. "$(dirname "$0")/common.sh"
unset LD_LIBRARY_PATH
"$root/tools/demo" "$build" >"$tmp/out" || fail "$(tail -n 30 "$tmp/out")"
[ "$(tail -n 1 "$tmp/out")" = "the counts of program and reader are equal" ] ||
	fail "wrong last line: $(tail -n 1 "$tmp/out")"
[ "$(wc -l <"$tmp/out")" -lt 120 ] || fail "the demo prints more than two screens"

awk '/^By hand/ { wanted = 1 } /^```/ { inside = wanted && /sh/; if (!inside && n) exit; next }
	inside { n++; print }' "$root/README.md" >"$tmp/commands"
grep -q 'waymark print' "$tmp/commands" || fail "no commands found in README.md"
rm -rf "$build/demo/my.ctf"
ln -s "$build" "$tmp/build"
cd "$tmp"
sh -e "$tmp/commands" >"$tmp/out" || fail "a command of README.md failed"
grep -q ' cache_miss request ' "$tmp/out" || fail "no event decoded: $(cat "$tmp/out")"

cd "$build/demo"
rm -r my.ctf
grep "^WAYMARK_TRACE='cache" "$root/README.md" >"$tmp/commands"
sh -e "$tmp/commands" >"$tmp/out" || fail "the command with WAYMARK_TRACE of README.md failed"
"$waymark" print my.ctf | grep -q " cache_miss request " || fail "the command with WAYMARK_TRACE of README.md records nothing"

# The program finds its monitor, which README.md uses.
WAYMARK_TRACE=control=on ./blockcache -n 1 data >"$tmp/out" 2>&1 || fail "it does not run with control=on"
! grep -q waymark-monitor "$tmp/out" || fail "$(cat "$tmp/out")"
