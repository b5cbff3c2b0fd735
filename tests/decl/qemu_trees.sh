#!/bin/sh
# SPDX-License-Identifier: MIT
# QEMU's own declarations, 5.0 as separate files and 10.2 in one, are read without an error,
# strictly and leniently, and no event is missing.
#
#	qemu_trees.sh DUMP_MODEL REPOSITORY

dump=$1
data=${WAYMARK_SHARED:-$2/../shared}/data
old=$data/qemu-5.0
new=$data/qemu-simpletrace/trace-events-all-10.2-i386-softmmu
bad=0

if [ ! -d "$old" ] || [ ! -f "$new" ]; then
	echo "skipped: no QEMU declarations under $data"
	exit 77
fi

# One event a line, and one more for each `tcg`.
check() # FILE
{
	wanted=$(awk '!/^[ \t]*(#|$)/ { n++ } /^[a-z ]*tcg / { n++ } END { print n + 0 }' "$1")
	for mode in --max-args=10 --lenient; do
		found=$("$dump" "$mode" "$1" | grep -c '^[0-9]* [A-Za-z0-9_]* [A-Z0-9_]* line=')
		if ! "$dump" "$mode" --quiet "$1" >/dev/null || [ "$found" -ne "$wanted" ]; then
			echo "$1: $mode: $found of $wanted events"
			"$dump" "$mode" --quiet "$1" | grep -A3 'error:'
			bad=1
		fi
	done
}

files=0
for file in $(find "$old" -type f) "$new"; do
	check "$file"
	files=$((files + 1))
done
echo "$files files"
[ "$files" -eq 75 ] || bad=1
exit $bad
