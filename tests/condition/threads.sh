#!/bin/sh
# SPDX-License-Identifier: MIT
# threads.sh PROGRAM WAYMARK MIB: no event is recorded that none of the conditions lets pass, and replaced
# conditions are freed: at most so many MiB become resident.
set -eu
program=$1
waymark=$2
most=$3
changes=${CHANGES:-10000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

grown=$("$program" "$work/t.ctf" "$changes")
if [ "$grown" -gt "$most" ]; then
	echo "$grown MiB became resident in $changes changes"
	exit 1
fi
kept=$("$waymark" print "$work/t.ctf" | grep -c ' wide_if k ')
wrong=$("$waymark" print --where='k % 2 != 0 && k % 3 != 0' "$work/t.ctf" 2>/dev/null | grep -c ' wide_if k ' || true)
if [ "$kept" -lt 1000 ] || [ "$wrong" -gt 0 ]; then
	echo "$kept events, $wrong of them wrong"
	exit 1
fi
echo "$kept events"
