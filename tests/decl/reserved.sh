#!/bin/sh
# SPDX-License-Identifier: MIT
# No event may have the name of a trace_* function of trace/control.h.
#
#	reserved.sh DUMP_MODEL REPOSITORY

dump=$1
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
bad=0

names=$(grep -oE '\btrace_[a-z0-9_]+' "$2/include/trace/control.h" | sed 's/^trace_//' | sort -u)
[ -n "$names" ] || exit 1
for name in $names; do
	echo "$name(int a)" >"$work/events"
	if "$dump" --quiet "$work/events" >/dev/null; then
		echo "$name: missing in src/model/reserved.def"
		bad=1
	fi
done
exit $bad
