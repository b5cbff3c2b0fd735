#!/bin/bash
# SPDX-License-Identifier: MIT
# The -trace option and WAYMARK_TRACE at a program's command line: option.sh PROGRAM SILENT
# UNTRACED. UNTRACED has only events of backends without files.
set -u
program=$(realpath "$1")
silent=$(realpath "$2")
untraced=$(realpath "$3")
name=$(basename "$program")
. "$(dirname "$(realpath "$0")")/lib.sh"

# says NAME STATUS STDOUT STDERR COMMAND...: expects this status and output of COMMAND.
says() {
	local what=$1 out=$3
	expect "$1" "$2" "$4" "${@:5}"
	if [ "$(cat out)" != "$out" ]; then
		fail "$what: prints otherwise"
		diff <(echo "$out") out
	fi
}

list=$'disk_read\ndisk_write\nnet_read'
disk=$'disk_read value=1\ndisk_write value=2'

says "no option" 0 "" "" "$program"
says "implied key" 0 "" "$disk" "$program" 'disk_*'
says "minus" 0 "" "disk_write value=2" "$program" 'disk_*' '-disk_read'
says "repetition in one option" 0 "" "$disk"$'\nnet_read value=3' "$program" 'disk_*,enable=net_read'
says "help lists" 0 "$list" "" "$program" help
says "? lists" 0 "$list" "" "$program" '?'
says "enable=help lists" 0 "$list" "" "$program" enable=help
says "help among others lists" 0 "$list" "" "$program" 'disk_*,help'
keys="there are dialect=, enable=, events=, backend=, file=, ctf.file=, simple.file=, log.file=, log.prefix=, syslog.rate=, ftrace.style=, ftrace.instance=, buffer=, full=, jail=, snapshot=, rotate=, keep=, replace=, flush=, crash=, string=, leftovers=, stats=, control=, control-mode=, control-prompt=, help"
says "unknown key" 1 "" "$name: Invalid parameter 'bogus'; $keys" "$program" bogus=1
says "an error changes nothing" 1 "" "$name: Invalid parameter 'fiel'; did you mean 'file='?" \
	"$program" 'disk_*,fiel=x,log.file=made'
[ ! -e made ] || fail "an option with an error made its file"
says "unknown name" 0 "" "$name: warning: trace event 'nosuch' does not exist" "$program" nosuch
says "a warning is one line" 0 "" "$name: warning: trace event 'a\\nb' does not exist" "$program" $'a\nb'
says "pattern without match" 0 "" "$name: warning: no trace event matches 'nosuch*'" "$program" 'nosuch*'
says "pattern without match, off" 0 "" "" "$program" '-nosuch*'
says "mistyped name" 0 "" "$name: warning: trace event 'disk_raed' does not exist
$name: warning: did you mean 'disk_read' instead of 'disk_raed'?" "$program" disk_raed
vain="no effect so far: no loaded event was built with the backend"
fileless="file=x: option not supported by the selected tracing backends: no loaded event was built with ctf, simple or log"
only=", only with 'log'"
says "backend= limits" 0 "" "$name: warning: backend=: $vain 'simple'$only" "$program" 'disk_*,backend=simple'
says "backends that do not exist" 0 "" "$name: warning: backend=: $vain 'ctf'$only
$name: warning: backend=: $vain 'syslog'$only" "$program" 'disk_*,backend=syslog+ctf'
says "keys of the native trace alone" 0 "" "$name: warning: rotate=: $vain 'ctf'$only" "$program" rotate=1M
says "all of one backend is one line" 0 "" \
	"$name: warning: backend=, ctf.file=, rotate=, replace=: $vain 'ctf'$only" \
	"$program" 'disk_*,backend=ctf,ctf.file=vain,rotate=1M,replace=on'
says "rate of a backend that is not there" 0 "" \
	"$name: warning: syslog.rate=: $vain 'syslog'$only" "$program" syslog.rate=10
says "file of a backend that is not there" 0 "" \
	"$name: warning: simple.file=: $vain 'simple'$only" "$program" simple.file=vain
says "file of a backend that is not there" 0 "" \
	"$(basename "$untraced"): warning: log.file=: $vain 'log'" \
	"$untraced" log.file=vain
[ ! -e vain ] || fail "a file was made that nothing can write to"
says "unknown backend" 1 "" "$name: backend=: unknown backend 'lgo'" "$program" 'a,backend=lgo'

says "enable_events" 0 "" "$disk" "$program" 'enable:disk_*'
says "enable_events minus" 0 "" "disk_write value=2" "$program" 'enable:disk_*' enable:-disk_read
says "enable_events pattern without match" 0 "" "" "$program" 'enable:nosuch*'
says "enable_events help" 0 "$list" "" "$program" enable:help
says "enable_events ?" 0 "$list" "" "$program" 'enable:?'
says "enable_events unknown" 0 "" "$name: warning: trace event 'x' does not exist" "$program" enable:x

printf '# some\ndisk_*\n\n-disk_read\r\nnet_read' >list
says "events=" 0 "" $'disk_write value=2\nnet_read value=3' "$program" events=list
says "missing events file" 1 "" "$name: events=: gone: No such file or directory" "$program" events=gone
says "directory" 1 "" "$name: events=: /: Is a directory" "$program" events=/
if [ "$(id -u)" -ne 0 ]; then
	: >secret && chmod 0 secret
	says "unreadable" 1 "" "$name: events=: secret: Permission denied" "$program" events=secret
fi

says "file= is the log's without simple" 0 "" "" "$program" 'disk_*,log.prefix=none,file=one'
says "its lines" 0 "$disk" "" cat one
says "last file= wins, also over one without" 0 "" "" \
	"$program" 'disk_*,file=first,log.prefix=none' file=second net_read
says "its lines" 0 "$disk"$'\nnet_read value=3' "" cat second
says "log.file= appends" 0 "" "" "$program" 'disk_read,log.prefix=none,log.file=one'
says "its lines" 0 "$disk"$'\ndisk_read value=1' "" cat one
says "comma in a file name" 0 "" "" "$program" 'disk_read,log.prefix=none,file=a,,b'
says "its lines" 0 "disk_read value=1" "" cat a,b
says "file that cannot be opened" 1 "" "$name: file=: /nonexistent/x: No such file or directory" \
	"$program" file=/nonexistent/x
for key in simple.file log.file; do
	says "$key= that cannot be opened" 1 "" \
		"$name: $key=: /nonexistent/x: No such file or directory" \
		"$program" "disk_*,$key=/nonexistent/x"
done
says "file= without a backend" 1 "" \
	"$(basename "$untraced"): $fileless" \
	"$untraced" file=x

says "environment alone" 0 "" "disk_read value=1" env WAYMARK_TRACE='disk_*' "$silent"
says "file= of the environment" 0 "" "" env WAYMARK_TRACE='*,file=env,log.prefix=none' "$silent"
says "its lines" 0 $'disk_read value=1\nnet_read value=2' "" cat env
says "several options" 0 "" "net_read value=2" \
	env WAYMARK_TRACE=$'disk_*;log.file=/dev/stderr;-disk_read\nnet_read' "$silent"
says "semicolon in a file name" 0 "" "" \
	env WAYMARK_TRACE='*,log.prefix=none,log.file=a;;b' "$silent"
says "its lines" 0 $'disk_read value=1\nnet_read value=2' "" cat 'a;b'
says "a bad option voids itself only" 0 "" \
	"waymark: WAYMARK_TRACE: Invalid parameter 'bogus'; $keys"$'\ndisk_read value=1' \
	env WAYMARK_TRACE='*,bogus=1;disk_*' "$silent"
says "unknown names" 0 "" \
	$'waymark: WAYMARK_TRACE: no such trace events so far: \'a\', \'b\', \'c*\'\ndisk_read value=1' \
	env WAYMARK_TRACE='a,enable=b,enable=c*;disk_read' "$silent"
says "unknown names, many" 0 "" \
	"waymark: WAYMARK_TRACE: no such trace events so far: '1', '2', '3', '4', '5', '6', '7', '8' and 2 more" \
	env WAYMARK_TRACE='1;2;3;4;5;6;7;8;9;10' "$silent"
says "mistyped name, environment" 0 "" \
	"waymark: WAYMARK_TRACE: no such trace event so far: 'disk_rad' (did you mean 'disk_read'?)" \
	env WAYMARK_TRACE=disk_rad "$silent"
says "mistyped case" 0 "" \
	"waymark: WAYMARK_TRACE: no such trace event so far: 'DISK_READ' (did you mean 'disk_read'?)" \
	env WAYMARK_TRACE=DISK_READ "$silent"
alloff="waymark: WAYMARK_TRACE: no event is switched on so far: an option begins with a pattern, \
as in '*,file=...'"
for option in file=quiet log.file=quiet 'file=quiet;log.prefix=iso' backend=log -disk_read,file=quiet; do
	says "no pattern: $option" 0 "" "$alloff" env WAYMARK_TRACE="$option" "$silent"
done
says "settings alone" 0 "" "" env WAYMARK_TRACE=log.prefix=iso "$silent"
says "a pattern in another option" 0 "" "" env WAYMARK_TRACE='file=loud;disk_*;-*' "$silent"
for key in file simple.file log.file; do
	says "bad $key= voids its option" 0 "" \
		"waymark: WAYMARK_TRACE: $key=: /nonexistent/x: No such file or directory
net_read value=2" \
		env WAYMARK_TRACE="disk_*,$key=/nonexistent/x;net_*" "$silent"
done
says "backend and file in vain, environment" 0 "" \
	"waymark: WAYMARK_TRACE: backend=: $vain 'ctf'$only
waymark: WAYMARK_TRACE: simple.file=: $vain 'simple'$only" \
	env WAYMARK_TRACE='*,backend=ctf;simple.file=vain' "$silent"
[ ! -e vain ] || fail "the environment made a file that nothing can write to"
says "bad file" 0 "" $'waymark: WAYMARK_TRACE: file=: /nonexistent/x: No such file or directory\ndisk_read value=1' \
	env WAYMARK_TRACE='disk_read;file=/nonexistent/x' "$silent"
says "file= without a backend, environment" 0 "" \
	"waymark: WAYMARK_TRACE: $fileless" \
	env WAYMARK_TRACE=file=x "$untraced"
says "help in the environment" 0 "" "waymark: WAYMARK_TRACE: help is for the -trace option" \
	env WAYMARK_TRACE=help "$silent"
says "option after environment" 0 "" "" \
	env WAYMARK_TRACE='*,file=of_env,log.prefix=none' "$program" file=of_option
says "its lines" 0 "$disk"$'\nnet_read value=3' "" cat of_option

finish
