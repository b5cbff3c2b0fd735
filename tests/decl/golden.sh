#!/bin/sh
# SPDX-License-Identifier: MIT
# Every file below pass/ must be accepted, below fail/ refused, and every file of lenient/
# accepted by a lenient reader, each with exactly the output in the file next to it.
# UPDATE=1 writes that output.
#
#	golden.sh DUMP_MODEL FOLDER

dump=$1
here=$2
bad=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

check() # FILE EXPECTED_STATUS [OPTION]
{
	expected=${1%.*}.expected
	"$dump" $3 "$1" >"$work/out" 2>&1
	status=$?
	if [ "$status" -ne "$2" ]; then
		echo "$1: exit status $status, not $2"
		bad=1
	fi
	if [ -n "$UPDATE" ]; then
		cp "$work/out" "$expected"
	fi
	diff -u "$expected" "$work/out" || bad=1
}

for file in "$here"/pass/*/*.events "$here"/pass/*/*.toml; do
	check "$file" 0
done
for file in "$here"/fail/*/*.events "$here"/fail/*/*.toml; do
	check "$file" 1 --quiet
done
for file in "$here"/lenient/*.events "$here"/lenient/*.toml; do
	check "$file" 0 --lenient
done

# Counts every declaration: at least as many must fail as must pass.
count() # FOLDER
{
	{
		cat "$here/$1"/*/*.events
		grep -hoE '^\[\[|\{ *name' "$here/$1"/*/*.toml
	} | tr '\r\0' '\n\n' | grep -cv -e '^[[:blank:]]*$' -e '^[[:blank:]]*#'
}
passing=$(count pass)
failing=$(count fail)
echo "$passing declarations that pass, $failing that fail"
[ "$failing" -ge "$passing" ] || bad=1
exit $bad
