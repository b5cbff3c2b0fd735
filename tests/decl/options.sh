#!/bin/sh
# SPDX-License-Identifier: MIT
# The caller sets the limit of arguments; the highest is 32.
#
#	options.sh DUMP_MODEL

dump=$1
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

event() # ARGUMENTS
{
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++) list = list (i ? ", " : "") "int a" i
		print "e(" list ")"
	}' >"$work/events"
}

accepts() # ARGUMENTS LIMIT
{
	event "$1"
	"$dump" --max-args="$2" --quiet "$work/events" >"$work/out" ||
		{ echo "$1 arguments refused at the limit $2"; exit 1; }
}

refuses() # ARGUMENTS LIMIT
{
	event "$1"
	if "$dump" --max-args="$2" --quiet "$work/events" >"$work/out"; then
		echo "$1 arguments accepted at the limit $2"
		exit 1
	fi
	grep -q 'error: more than' "$work/out" || exit 1
}

accepts 10 0
refuses 11 0
accepts 11 11
refuses 12 11
accepts 32 32
refuses 33 32
refuses 33 100
refuses 2 1
