#!/bin/sh
# SPDX-License-Identifier: MIT
# `make demo-riscv` compares the trace with the machine's counts, prints at most two screens,
# and leaves its trace: demo.sh ROOT BUILD
. "$(dirname "$0")/../examples/common.sh"
unset LD_LIBRARY_PATH
"$root/tools/demo-riscv" "$build" >"$tmp/out" 2>&1 || fail "$(tail -n 30 "$tmp/out")"
[ "$(grep -c '^equal: ' "$tmp/out")" = 3 ] || fail "not all is compared: $(tail -n 5 "$tmp/out")"
# Interrupts come at any time: a busy host prints more lines about them.
[ "$(grep -vc 'trap_' "$tmp/out")" -lt 110 ] || fail "the demo prints more than two screens"
[ -d "$build/demo-riscv/demo.ctf" ] || fail "it does not leave its trace"
grep -q '      hash_block$' "$tmp/out" || fail "the guest's path is missing: $(cat "$tmp/out")"

# The demo fails if the counts differ.
mkdir "$tmp/bin"
printf '#!/bin/sh\necho 0\n' >"$tmp/bin/sha256sum"
chmod +x "$tmp/bin/sha256sum"
! PATH="$tmp/bin:$PATH" "$root/tools/demo-riscv" "$build" >"$tmp/out" 2>&1 || fail "it does not see that digests differ"
grep -q "^SHA-256 of each half, " "$tmp/out" || fail "it does not say which differ: $(tail -n 5 "$tmp/out")"
