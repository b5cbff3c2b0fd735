#!/bin/bash
# SPDX-License-Identifier: MIT
# control= loads the monitor's library and starts it, with a stub in its place:
# monitor.sh PROGRAM SILENT STUB UNTRACED PLUGIN [STATIC STATIC_WITH_STUB]
set -u
program=$(realpath "$1")
silent=$(realpath "$2")
stub=$(dirname "$(realpath "$3")")
untraced=$(realpath "$4")
plugin=$(realpath "$5")
name=$(basename "$program")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export STUB_MONITOR=$tmp/started
failures=0
unset WAYMARK_TRACE LD_LIBRARY_PATH

# expect WHAT STATUS STDERR STARTED COMMAND...: what it says, and what the stub notes.
expect() {
	local what=$1 status=$2 err=$3 started=$4
	shift 4
	rm -f "$STUB_MONITOR"
	"$@" >/dev/null 2>"$tmp/err"
	local got=$?
	touch "$STUB_MONITOR"
	sed -E -i 's/^[0-9]+@[0-9]+\.[0-9]{6}://' "$tmp/err"
	if [ $got -ne "$status" ] || [ "$(cat "$tmp/err")" != "$err" ] ||
		[ "$(cat "$STUB_MONITOR")" != "$started" ]; then
		printf '%s: status %s, wanted %s\n' "$what" "$got" "$status"
		diff <(echo "$err") "$tmp/err"
		diff <(echo "$started") "$STUB_MONITOR"
		failures=$((failures + 1))
	fi
}

with=(env "LD_LIBRARY_PATH=$stub")
disk='disk_read value=1'
expect "default" 0 "$disk" "on qmp NULL off" "${with[@]}" "$program" 'disk_read,control=on'
expect "all keys" 0 "" "/x/%d.sock hmp (qemu)  off" \
	"${with[@]}" "$program" 'control=/x/%d.sock,control-mode=hmp,control-prompt=(qemu) '
expect "StratoVirt's" 0 "" "stdio stratovirt NULL off" \
	"${with[@]}" "$program" 'control-mode=stratovirt,control=stdio'
expect "the last one of an option" 0 "" "./b qmp NULL off" "${with[@]}" "$program" 'control=./a,control=./b'
expect "one of each option" 0 "" $'./a qmp NULL off\n./b hmp NULL off' \
	"${with[@]}" "$program" control=./a control=./b,control-mode=hmp
expect "one of each of the variable" 0 "$disk" $'./a qmp NULL on\n./b hmp NULL on' \
	"${with[@]}" WAYMARK_TRACE='control=./a;control=./b,control-mode=hmp;disk_read,log.prefix=default' "$silent"
expect "a file, and events that the monitor is to switch" 0 "" "on qmp NULL off" \
	"${with[@]}" WAYMARK_TRACE="control=on,log.file=$tmp/later" "$silent"
expect "a program whose plug-ins alone have events" 0 "" "on qmp NULL none" \
	"${with[@]}" WAYMARK_TRACE=control=on "$untraced" "$plugin"
expect "no value" 1 "$name: control= needs on, stdio, fd:N or the path of a socket" "" \
	"${with[@]}" "$program" control=
place="is none of on, stdio and fd:N"
socket="A socket's name needs a '/', as in"
expect "on in capitals" 1 "$name: control=: 'On' $place; did you mean 'on'? $socket ./On" "" \
	"${with[@]}" "$program" control=On
expect "stdio misspelt" 1 "$name: control=: 'stido' $place; did you mean 'stdio'? $socket ./stido" "" \
	"${with[@]}" "$program" control=stido
expect "off" 1 "$name: control=: 'off' $place. $socket ./off" "" "${with[@]}" "$program" control=off
expect "a bare name, the variable" 0 \
	"waymark: WAYMARK_TRACE: control=: 'm-%d.sock' $place. $socket ./m-%d.sock"$'\n'"$disk" "" \
	"${with[@]}" WAYMARK_TRACE='control=m-%d.sock;disk_read' "$silent"
expect "no mode of that name" 1 "$name: control-mode=: 'json' is none of qmp, hmp, stratovirt" "" \
	"${with[@]}" "$program" control=on,control-mode=json
expect "mode alone" 1 "$name: control-mode= needs control=WHERE in the same option" "" \
	"${with[@]}" "$program" control-mode=hmp
expect "prompt alone" 1 "$name: control-prompt= needs control=WHERE in the same option" "on qmp NULL off" \
	"${with[@]}" "$program" 'control=on' 'control-prompt=>'
expect "a place that cannot be had" 1 "$name: control=: ./bad: it is taken" "" \
	"${with[@]}" "$program" "disk_*,control=./bad,log.file=$tmp/made"
[ ! -e "$tmp/made" ] || { echo "an option without its monitor made its file"; failures=$((failures + 1)); }
expect "the same for the variable" 0 $'waymark: WAYMARK_TRACE: control=: ./bad: it is taken\n'"$disk" \
	"on qmp NULL on" "${with[@]}" WAYMARK_TRACE='disk_read,control=./bad;control=on' "$silent"

# Where there is no such library.
if ldconfig -p 2>/dev/null | grep -q libwaymark-monitor; then
	echo "a monitor is installed on this system: not tested without it"
else
	absent="control=: libwaymark-monitor.so.0: cannot open shared object file: No such file or directory: \
install the library of Waymark's monitor, or name its directory in LD_LIBRARY_PATH"
	expect "absent" 1 "$name: $absent" "" "$program" "disk_*,control=on,log.file=$tmp/made"
	[ ! -e "$tmp/made" ] || { echo "an option without its library made its file"; failures=$((failures + 1)); }
	expect "absent, the variable" 0 "waymark: WAYMARK_TRACE: $absent"$'\n'"$disk" "" \
		env WAYMARK_TRACE='disk_read,control=on' "$silent"
fi
mkdir "$tmp/other"
if echo 'int other;' | cc -shared -fPIC -o "$tmp/other/libwaymark-monitor.so.0" -xc - 2>/dev/null; then
	expect "another library of that name" 1 \
		"$name: control=: libwaymark-monitor.so.0 has no waymark_monitor_start()" "" \
		env "LD_LIBRARY_PATH=$tmp/other" "$program" control=on
fi
expect "not asked for, not loaded" 0 "$disk" "" "${with[@]}" "$program" disk_read

if [ $# -gt 5 ]; then
	expect "static, without it" 0 "waymark: WAYMARK_TRACE: control=: libwaymark is part of the program, \
but the monitor is not: link it with -Wl,-u,waymark_monitor_start -lwaymark-monitor as well
$disk" "" "${with[@]}" WAYMARK_TRACE='disk_read,control=on' "$6"
	expect "static, with it" 0 "$disk" "on qmp NULL on" env WAYMARK_TRACE='disk_read,control=on' "$7"
fi
exit $((failures > 0))
