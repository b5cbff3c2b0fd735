#!/bin/bash
# SPDX-License-Identifier: MIT
# control= loads the monitor's library and starts the monitor, which a stub replaces here:
# monitor.sh PROGRAM SILENT STUB UNTRACED PLUGIN [STATIC STATIC_WITH_STUB]
set -u
program=$(realpath "$1")
silent=$(realpath "$2")
stub=$(dirname "$(realpath "$3")")
untraced=$(realpath "$4")
plugin=$(realpath "$5")
static=${6:+$(realpath "$6")}
static_with_stub=${7:+$(realpath "$7")}
name=$(basename "$program")
. "$(dirname "$(realpath "$0")")/lib.sh"
export STUB_MONITOR=$tmp/started
unset LD_LIBRARY_PATH

# starts NAME STATUS STDERR STARTED COMMAND...: runs COMMAND, and expects STARTED from the stub.
starts() {
	local what=$1 started=$4
	rm -f "$STUB_MONITOR"
	expect "$1" "$2" "$3" "${@:5}"
	touch "$STUB_MONITOR"
	if [ "$(cat "$STUB_MONITOR")" != "$started" ]; then
		fail "$what: starts otherwise"
		diff <(echo "$started") "$STUB_MONITOR"
	fi
}

with=(env "LD_LIBRARY_PATH=$stub")
disk='disk_read value=1'
starts "default" 0 "$disk" "on qmp NULL off" "${with[@]}" "$program" 'disk_read,control=on'
starts "all keys" 0 "" "/x/%d.sock hmp (qemu)  off" \
	"${with[@]}" "$program" 'control=/x/%d.sock,control-mode=hmp,control-prompt=(qemu) '
starts "StratoVirt's" 0 "" "stdio stratovirt NULL off" \
	"${with[@]}" "$program" 'control-mode=stratovirt,control=stdio'
starts "StratoVirt's of 2023" 0 "" "stdio stratovirt-2023 NULL off" \
	"${with[@]}" "$program" 'control-mode=stratovirt-2023,control=stdio'
starts "the last one of an option" 0 "" "./b qmp NULL off" "${with[@]}" "$program" 'control=./a,control=./b'
starts "one of each option" 0 "" $'./a qmp NULL off\n./b hmp NULL off' \
	"${with[@]}" "$program" control=./a control=./b,control-mode=hmp
starts "one of each of the variable" 0 "$disk" $'./a qmp NULL on\n./b hmp NULL on' \
	"${with[@]}" WAYMARK_TRACE='control=./a;control=./b,control-mode=hmp;disk_read,log.prefix=default' "$silent"
starts "a file, and events that the monitor is to switch" 0 "" "on qmp NULL off" \
	"${with[@]}" WAYMARK_TRACE="control=on,log.file=$tmp/later" "$silent"
starts "a program whose plug-ins alone have events" 0 "" "on qmp NULL none" \
	"${with[@]}" WAYMARK_TRACE=control=on "$untraced" "$plugin"
starts "no value" 1 "$name: control= needs on, auto, stdio, fd:N or the path of a socket" "" \
	"${with[@]}" "$program" control=
place="is not one of on, auto, stdio and fd:N"
socket="A socket's name needs a '/', as in"
starts "on in capitals" 1 "$name: control=: 'On' $place; did you mean 'on'? $socket ./On" "" \
	"${with[@]}" "$program" control=On
starts "stdio misspelt" 1 "$name: control=: 'stido' $place; did you mean 'stdio'? $socket ./stido" "" \
	"${with[@]}" "$program" control=stido
starts "off" 1 "$name: control=: 'off' $place. $socket ./off" "" "${with[@]}" "$program" control=off
starts "a bare name, the variable" 0 \
	"waymark: WAYMARK_TRACE: control=: 'm-%d.sock' $place. $socket ./m-%d.sock"$'\n'"$disk" "" \
	"${with[@]}" WAYMARK_TRACE='control=m-%d.sock;disk_read' "$silent"
starts "no mode of that name" 1 "$name: control-mode=: 'json' is not one of qmp, hmp, stratovirt, stratovirt-2023" "" \
	"${with[@]}" "$program" control=on,control-mode=json
starts "mode alone" 1 "$name: control-mode= needs control=WHERE in the same option" "" \
	"${with[@]}" "$program" control-mode=hmp
starts "prompt alone" 1 "$name: control-prompt= needs control=WHERE in the same option" "on qmp NULL off" \
	"${with[@]}" "$program" 'control=on' 'control-prompt=>'
starts "an address that is taken" 1 "$name: control=: ./bad: it is taken" "" \
	"${with[@]}" "$program" "disk_*,control=./bad,log.file=$tmp/made"
[ ! -e "$tmp/made" ] || fail "an option without its monitor made its file"
starts "the same for the variable" 0 $'waymark: WAYMARK_TRACE: control=: ./bad: it is taken\n'"$disk" \
	"on qmp NULL on" "${with[@]}" WAYMARK_TRACE='disk_read,control=./bad;control=on' "$silent"

starts "if it can be had" 0 "$disk" "on qmp NULL on" "${with[@]}" WAYMARK_TRACE='control=auto;disk_read' "$silent"

# Without an installed monitor library.
if ldconfig -p 2>/dev/null | grep -q libwaymark-monitor; then
	echo "a monitor is installed on this system: not tested without it"
else
	absent="control=: libwaymark-monitor.so.0: cannot open shared object file: No such file or directory: \
install the library of Waymark's monitor, or name its directory in LD_LIBRARY_PATH"
	starts "absent" 1 "$name: $absent" "" "$program" "disk_*,control=on,log.file=$tmp/made"
	[ ! -e "$tmp/made" ] || fail "an option without its library made its file"
	starts "absent, the variable" 0 "waymark: WAYMARK_TRACE: $absent"$'\n'"$disk" "" \
		env WAYMARK_TRACE='disk_read,control=on' "$silent"
	starts "absent, and not needed" 0 "$disk" "" "$program" "disk_read,control=auto"
	starts "absent, and not needed by the variable" 0 "$disk" "" \
		env WAYMARK_TRACE='control=auto;disk_read' "$silent"
fi
mkdir "$tmp/other"
if echo 'int other;' | cc -shared -fPIC -o "$tmp/other/libwaymark-monitor.so.0" -xc - 2>/dev/null; then
	starts "another library of that name" 1 \
		"$name: control=: libwaymark-monitor.so.0 has no waymark_monitor_start()" "" \
		env "LD_LIBRARY_PATH=$tmp/other" "$program" control=on
fi
starts "not asked for, not loaded" 0 "$disk" "" "${with[@]}" "$program" disk_read

if [ "$static" ]; then
	starts "static, without it" 0 "waymark: WAYMARK_TRACE: control=: libwaymark is part of the program, \
but the monitor is not: link it with -Wl,-u,waymark_monitor_start -lwaymark-monitor as well
$disk" "" "${with[@]}" WAYMARK_TRACE='disk_read,control=on' "$static"
	starts "static, without what it does not need" 0 "$disk" "" \
		env WAYMARK_TRACE='control=auto;disk_read' "$static"
	starts "static, with it" 0 "$disk" "on qmp NULL on" env WAYMARK_TRACE='disk_read,control=on' "$static_with_stub"
fi
finish
