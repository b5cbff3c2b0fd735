#!/bin/sh
# SPDX-License-Identifier: MIT
# StratoVirt's own declarations are read, strictly and leniently, and no event is missing;
# the only warnings are of messages that do print 0x twice.
#
#	stratovirt.sh DUMP_MODEL REPOSITORY

dump=$1
data=${WAYMARK_SHARED:-$2/../shared}/data/stratovirt
bad=0

if [ ! -d "$data" ]; then
	echo "skipped: no declarations of StratoVirt in $data"
	exit 77
fi
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

for mode in --max-args=10 --lenient; do
	found=0
	wanted=0
	for file in "$data"/*.toml; do
		"$dump" "$mode" "$file" >"$work/out" || bad=1
		found=$((found + $(grep -c '^[0-9]* [a-z0-9_]* [A-Z0-9_]* line=' "$work/out")))
		wanted=$((wanted + $(grep -c '^\[\[events\]\]' "$file")))
		grep -A3 'error:' "$work/out" && bad=1
		if [ "$mode" != --lenient ]; then
			twice=$(grep -o '0x{:#[xX]' "$file" | wc -l)
			warned=$(grep -c 'warning:.*printed twice' "$work/out")
			if [ "$warned" -ne "$twice" ] || [ "$(grep -c 'warning:' "$work/out")" -ne "$twice" ]; then
				echo "$file: $warned warnings of $twice messages"
				bad=1
			fi
		fi
	done
	echo "$mode: $found of $wanted events"
	[ "$found" -eq 243 ] && [ "$wanted" -eq 243 ] || bad=1
done
exit $bad
