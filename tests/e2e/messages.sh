#!/bin/sh
# SPDX-License-Identifier: MIT
# An event has one message: the log backend's line, written while the program runs, equals
# the line that `waymark print` makes of the recorded values.
#
#	messages.sh MESSAGES WAYMARK EVENTS
set -u
messages=$(realpath "$1")
waymark=$(realpath "$2")
events=$(realpath "$3")
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

WAYMARK_TRACE='msg_*,simple.file=trace,log.file=log' "$messages" || exit 1
"$waymark" print -e "$events" trace >printed || exit 1
sed 's/^[^:]*://' log >from_log
sed 's/^[^ ]* [^ ]* //' printed >from_trace
fired=$(wc -l <from_log)
if [ "$fired" -ne 20 ]; then
	echo "$fired lines in the log, not one for each of 20 events"
	exit 1
fi
diff -u from_log from_trace
