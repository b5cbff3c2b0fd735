#!/bin/sh
# SPDX-License-Identifier: MIT
# Events of translated code are switched: switching.sh SWITCHING WAYMARK PROGRAMS
set -eu
switching=$(realpath "$1")
waymark=$(realpath "$2")
guest=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

WAYMARK_TRACE=guest_hart_start,file=trace.ctf,full=block "$switching" "$guest/tests/integer.elf" "$guest/loop.elf"
"$waymark" print trace.ctf >lines

# 300 blocks twice; then the loop's, of which nobody knows how many, and those before it.
grep -q ' guest_block_exec .* pc 0x8000000c instructions 10$' lines || {
	echo "the loop is not seen"
	exit 1
}
harts=$(sed -n 's/.* guest_block_exec \(cpu=[^ ]*\) .*/\1/p' lines | sort -u | wc -l)
[ "$harts" = 1 ] || { echo "events of $harts harts, wanted those of one" && exit 1; }
blocks=$(grep ' guest_block_exec ' lines | grep -vc ' pc 0x8000000c instructions 10')
[ "$blocks" -ge 600 ] && [ "$blocks" -le 603 ] || { echo "$blocks blocks, wanted two times 300" && exit 1; }
