#!/bin/sh
# SPDX-License-Identifier: MIT
# Events of translated code are switched: switching.sh SWITCHING WAYMARK PROGRAMS
set -eu
switching=$(realpath "$1")
waymark=$(realpath "$2")
guest=$3
. "$(dirname "$(realpath "$0")")/lib.sh"

WAYMARK_TRACE=guest_hart_start,file=trace.ctf,full=block "$switching" "$guest/tests/integer.elf" "$guest/loop.elf"
"$waymark" print trace.ctf >lines

# 300 blocks twice; then the loop's, of which nobody knows how many, and those before it.
grep -q ' guest_block_exec .* pc 0x8000000c instructions 10$' lines || fail "the loop is not seen"
harts=$(sed -n 's/.* guest_block_exec \(cpu=[^ ]*\) .*/\1/p' lines | sort -u | wc -l)
[ "$harts" = 1 ] || fail "events of $harts harts, wanted those of one"
blocks=$(grep ' guest_block_exec ' lines | grep -vc ' pc 0x8000000c instructions 10')
[ "$blocks" -ge 600 ] && [ "$blocks" -le 603 ] || fail "$blocks blocks, wanted two times 300"
