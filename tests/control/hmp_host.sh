#!/bin/bash
# SPDX-License-Identifier: MIT
# A program with QEMU's monitor commands: its trace file, its reports, its -d trace:
# hmp_host.sh ALL SIMPLE LOG UNTRACED EMPTY WAYMARK; ALL was built with ctf, simple and log,
# and EMPTY has no events.
set -u
all=$(realpath "$1")
simple=$(realpath "$2")
log=$(realpath "$3")
untraced=$(realpath "$4")
empty=$(realpath "$5")
waymark=$(realpath "$6")
. "$(dirname "$(realpath "$0")")/lib.sh"

# prints NAME STATUS STDOUT STDERR COMMAND...
prints() {
	local what=$1 out=${3//DIR/$tmp}
	expect "$1" "$2" "$4" "${@:5}"
	if [ "$(cat out)" != "${out//<pid>/$last}" ]; then
		fail "$what: prints otherwise"
		diff <(echo "${out//<pid>/$last}") out
	fi
}

events() {
	"$waymark" print -e events "$1" 2>&1 | sed -E 's/^[0-9.]+ [0-9]+ //'
}
printf 'disk_read(int value) "value=%%d"\ndisk_write(int value) "value=%%d"\n' >events
disk=$'disk_read value=1\ndisk_write value=2'

# The files of ctf and of simple.
for program in "$all" "$simple"; do
	rm -rf one two trace-*
	suffix=.ctf
	[ "$program" = "$all" ] || suffix=
	only=ctf made="make the trace"
	[ "$program" = "$all" ] || only=simple made="open the trace file"
	prints "$only: a file that is named" 0 "Trace file \"DIR/one\" on." "" \
		"$program" "disk_*,backend=$only" -- set=one fire status flush
	[ "$(events one)" = "$disk" ] || fail "$only: one holds $(events one)"
	prints "$only: off and on" 0 $'it was on\n'"Trace file \"DIR/two\" off."$'\nit was off' "" \
		"$program" "disk_*,backend=$only,file=two" -- fire off status fire on fire
	[ "$(events two | grep -v -i 'lost\|gap\|overwritten')" = "$disk"$'\n'"$disk" ] ||
		fail "$only: two holds $(events two)"
	prints "$only: the default name" 0 "Trace file \"DIR/trace-<pid>$suffix\" on." "" \
		"$program" "disk_*,backend=$only" -- set fire status
	[ "$(events "trace-$last$suffix")" = "$disk" ] || fail "$only: the default file"
	prints "$only: a name that cannot be" 0 \
		"Trace file \"DIR/three\" on." \
		"$(basename "$program"): $tmp/gone/x: cannot $made: No such file or directory" \
		"$program" "disk_*,backend=$only,file=three" -- set=gone/x fire status
	rm -rf three
done
none="there is no trace file: no loaded event was built with ctf or simple"
for program in "$log" "$untraced"; do
	prints "no trace file" 0 "it was off" "$(printf '%s\n' \
		"$(basename "$program"): $none" "$(basename "$program"): $none" \
		"$(basename "$program"): $none")" \
		"$program" -- status on set=x flush
	[ ! -e x ] || fail "a file was made that nothing writes to"
done

# -d trace: applies only to the log, if the program has it.
mkdir empty && cd empty || exit 1
prints "-d trace: of several backends" 0 "" "$disk" "$all" -- 'trace:disk_*' fire
prints "-d trace:- of several backends" 0 "" "disk_write value=2" \
	"$all" -- 'trace:disk_*' trace:-disk_read fire
[ -z "$(find . ! -name out ! -name err -type d -mindepth 1)" ] || fail "-d trace: made a trace: $(ls)"
cd .. || exit 1
prints "-d trace: without a log" 0 "" "" "$simple" file=four -- 'trace:disk_*' fire
[ "$(events four)" = "$disk" ] || fail "four holds $(events four)"

# The program prints reports and lists; a list for its monitor does not end it.
prints "help of a command line" 0 $'disk_read\ndisk_write' "" "$all" -- trace:help fire status
prints "help of a monitor" 0 $'(hmp) disk_read\n(hmp) disk_write\n(hmp) disk_read\n(hmp) disk_write\nit was on' "" \
	"$all" -- monitor trace:help 'option:?' off
prints "help of a monitor without events" 0 "(hmp) no trace events are loaded
(hmp) error of '': there is no trace file: no loaded event was built with ctf or simple
it was off" "" "$empty" -- monitor trace:help off
prints "a report of the program's" 1 "(hmp) error of 'bogus=1': Invalid parameter 'bogus'; $(
	"$all" bogus=1 2>&1 | sed 's/.*; //')" "" "$all" -- monitor option:bogus=1 status
prints "a warning of the program's" 0 "(hmp) warning of 'nosuch': trace event 'nosuch' does not exist" \
	"" "$all" -- monitor option:nosuch
printf 'disk_read\n/(/\n' >list
prints "the place in an events file" 1 "(hmp) error of 'events=list': events=: list:2: $(
	"$all" events=list 2>&1 | sed 's/.*list:2: //')" "" "$all" -- monitor option:events=list
prints "the monitor's file" 0 \
	"(hmp) error of 'gone/x': DIR/gone/x: cannot make the trace: No such file or directory
(hmp) Trace file \"DIR/five\" on." "" \
	"$all" file=five -- monitor set=gone/x status
finish
