#!/bin/sh
# SPDX-License-Identifier: MIT
# Eight threads record a million events each at full speed: every event is in the trace or
# counted by a gap, in order; also around a fork, before an abort and with a full disk. The
# program reports as many losses as the reader counts.
#
#	storm.sh STORM AUDIT EVENTS RUNS
set -u
storm=$(realpath "$1")
audit=$(realpath "$2")
events=$(realpath "$3")
runs=$4
threads=8
steps=1000000
[ -z "${WAYMARK_SANITIZER-}" ] || steps=50000
bad=0
work=$(mktemp -d) || exit 99
trap 'umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 99

# expect NAME STATUS WAY OPTIONS: runs storm in the way named
expect() {
	name=$1
	wanted=$2
	shift 2
	rm -f storm.trace*
	WAYMARK_TRACE="storm_*,backend=simple,$2" "$storm" $threads "$steps" "$1" 2>messages
	status=$?
	if [ "$status" -ne "$wanted" ]; then
		echo "$name: exit status $status, not $wanted"
		cat messages
		bad=1
	fi
}

# check NAME TRACE
check() {
	"$audit" $threads "$steps" "$events" "$2" >found 2>&1 || bad=1
	lost=$(sed -n 's/.* and \([0-9]*\) lost .*/\1/p' found)
	if [ "${lost:-0}" -gt 0 ] && ! grep -q "$lost" messages; then
		echo "$1: $lost events were lost, and the program did not say so:"
		cat messages
		bad=1
	fi
	echo "$1: $(cat found)" # also when all is well: the long form shows what was lost
}

# The sum must be right although the file's last records did not fit.
storm_on_a_full_disk() {
	expect "full disk" 0 exit file=small/storm.trace
	check "full disk" small/storm.trace
	grep -q "No space left on device" messages || {
		echo "full disk: the program did not say so"
		bad=1
	}
	rm -f small/*
}

storm_around_a_fork() {
	expect fork 0 fork file=storm.trace
	check "fork, parent" storm.trace
	for child in storm.trace.*; do
		check "fork, child" "$child"
	done
}

can_fork=yes
if [ -n "${WAYMARK_SANITIZER-}" ]; then
	can_fork=
	echo "fork: not run, sanitizers may leave their own locks held in a child"
fi
mkdir small
can_fill=yes
if [ "$(id -u)" -ne 0 ] || ! mount -t tmpfs -o size=16m none small 2>/dev/null; then
	can_fill=
	echo "full disk: not run, it needs the right to mount a tmpfs"
fi

run=0
while [ $run -lt "$runs" ] && [ $bad -eq 0 ]; do
	run=$((run + 1))
	expect exit 0 exit file=storm.trace
	check exit storm.trace
	[ -z "$can_fork" ] || storm_around_a_fork
	expect abort 134 abort file=storm.trace
	check abort storm.trace
	expect "small buffer" 0 exit file=storm.trace,buffer=1M
	check "small buffer" storm.trace
	[ -z "$can_fill" ] || storm_on_a_full_disk
done
exit $bad
