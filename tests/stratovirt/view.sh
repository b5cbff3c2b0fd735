#!/bin/sh
# SPDX-License-Identifier: MIT
# The timeline of a trace with all events of StratoVirt's declarations is what SQL says.
#
#	view.sh TRACETOOL ROOT LIBWAYMARK WAYMARK
library=$(realpath "$3")
waymark=$(realpath "$4")
. "$2/tests/tracetool/lib.sh"
. "$root/tests/stratovirt/fire.sh"
export LD_LIBRARY_PATH="${library%/*}"
unset WAYMARK_TRACE WAYMARK_LOG_LEVEL MALLOC_PERTURB_

build_fire
WAYMARK_TRACE='ctf.file=trace.ctf,log.prefix=none,log.file=log' ./fire || fail 'the program'
events=$(grep -c '^\[[a-z0-9_]*\] ' log)
drawn=$(python3 "$root/tests/view/kinds.py" "$waymark" --traces trace.ctf)
case $? in
	0) ;;
	77) echo "$drawn" && exit 77 ;;
	*) fail "$drawn" ;;
esac
echo "$drawn" | grep -q ", $events events" || fail "$events events in the log: $drawn"
finish
