#!/bin/sh
# SPDX-License-Identifier: MIT
# A native trace has exactly the events of the vCPUs that had them on: harts.sh HARTS WAYMARK
set -eu
harts=$(realpath -e "$1")
waymark=$(realpath -e "$2")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
count=5000
status=0

"$harts" "$tmp/trace" $count >"$tmp/cpus"
"$waymark" print "$tmp/trace" >"$tmp/text"
i=0
for want in $((2 * count)) $((3 * count)) $((3 * count)) 0; do
	i=$((i + 1))
	cpu=$(sed -n "${i}p" "$tmp/cpus")
	got=$(grep -c "guest_step.*cpu=$cpu " "$tmp/text" || true)
	if [ "$got" -ne "$want" ]; then
		echo "vCPU $((i - 1)) ($cpu): $got events, not $want"
		status=1
	fi
done
if [ "$(wc -l <"$tmp/text")" -ne $((8 * count)) ]; then
	echo "there are others:"
	grep -v guest_step "$tmp/text" | head -n 5
	status=1
fi
exit $status
