#!/bin/bash
# SPDX-License-Identifier: MIT
# The -trace option and WAYMARK_TRACE in programs with the native trace: native.sh NATIVE ALL
# WAYMARK [LIBRARY]. ALL was built also with simple and log; LIBRARY, which is loaded before the
# program, with only these.
set -u
native=$(realpath "$1")
all=$(realpath "$2")
waymark=$(realpath "$3")
library=${4:+$(realpath "$4")}
. "$(dirname "$(realpath "$0")")/lib.sh"

# holds NAME TRACE LINES: the trace must be complete and have these events.
holds() {
	local lines
	lines=$("$waymark" print "$2" 2>&1 | sed -E 's/^[0-9.]+ [0-9]+ //')
	[ "$lines" = "$3" ] || fail "$1: $2 holds '$lines', not '$3'"
}

there="exists already; remove it, or set replace=on"
disk=$'disk_read value=1\ndisk_write value=2'
name=$(basename "$native")

expect "default name" 0 "" "$native" 'disk_*'
holds "default name" "trace-$last.ctf" "$disk"
expect "file=" 0 "" "$native" 'disk_*,file=one'
holds "file=" one "$disk"
expect "ctf.file=" 0 "" "$native" 'disk_*,ctf.file=two/'
holds "ctf.file=" two "$disk"
expect "nothing on" 0 "" "$native" file=none
[ ! -e none ] || fail "a trace without an event was made"

for key in file ctf.file; do
	expect "$key= of a trace" 1 "$name: $key=: one: $there" "$native" "*,$key=one"
	holds "$key= of a trace" one "$disk"
	: >plain
	expect "$key= of a file" 1 "$name: $key=: plain: $there" "$native" "*,$key=plain,replace=off"
	expect "$key= without directory" 1 \
		"$name: $key=: gone/x: cannot make the trace: No such file or directory" \
		"$native" "*,$key=gone/x"
done
ln -s nowhere link
expect "file= of a dangling link" 1 "$name: file=: link: $there" "$native" '*,file=link'
[ ! -e nowhere ] || fail "a trace was made at the end of a link"
expect "an error changes nothing" 1 "$name: ctf.file=: one: $there" \
	"$native" 'disk_*,flush=1,simple.file=made,log.file=made,ctf.file=one'
[ ! -e made ] || fail "an option with an error made its file"

# Only a trace is replaced, and only on request.
expect "replace=on" 0 "" "$native" 'net_*,file=one,replace=on'
holds "replace=on" one "net_read value=3"
expect "replace=on holds for later options" 0 "" "$native" replace=on 'disk_*,file=one'
holds "replace=on holds for later options" one "$disk"
expect "replace=off takes it back" 1 "$name: file=: one: $there" "$native" replace=on 'file=one,replace=off'
expect "replace=on with no trace there" 0 "" "$native" 'disk_*,file=three,replace=on'
holds "replace=on with no trace there" three "$disk"
expect "replace=on of a file" 1 "$name: file=: plain: not replaced: Not a directory" \
	"$native" '*,file=plain,replace=on'
expect "replace=on of a link" 1 "$name: file=: link: not replaced: Not a directory" \
	"$native" '*,file=link,replace=on'
mkdir empty
not="not replaced: it is not a trace, or holds other files too"
expect "replace=on of a directory" 1 "$name: file=: empty: $not" "$native" '*,file=empty,replace=on'
: >three/notes
expect "replace=on of a trace with notes" 1 "$name: file=: three: $not" \
	"$native" '*,file=three,replace=on'
holds "replace=on of a trace with notes" three "$disk"

# The environment reaches programs that start each other: they must not stop each other.
expect "environment" 0 "" env WAYMARK_TRACE='disk_*,file=env' "$native"
holds "environment" env "$disk"
for key in file ctf.file; do
	expect "environment, name taken, $key=" 0 \
		"waymark: the trace is $tmp/env.<pid>: the requested name is taken" \
		env WAYMARK_TRACE="net_*,$key=env" "$native"
	holds "environment, name taken, $key=" "env.$last" "net_read value=3"
done
holds "environment, name taken" env "$disk"
expect "environment, replace=on" 0 "" env WAYMARK_TRACE='net_*,file=env,replace=on' "$native"
holds "environment, replace=on" env "net_read value=3"
expect "environment, replace=on of a directory" 0 "waymark: WAYMARK_TRACE: ctf.file=: empty: $not" \
	env WAYMARK_TRACE='disk_*,ctf.file=empty,replace=on' "$native"
for path in . .. empty/ /dev/null; do
	WAYMARK_TRACE="disk_*,file=$path" "$native" 2>said || fail "environment, file=$path: exit $?"
	grep -q '^waymark: WAYMARK_TRACE: file=: .*: cannot be a trace: name a directory that does not exist yet$' said ||
		fail "environment, file=$path: $(cat said)"
done
[ "$(ls -A empty)" = "" ] || fail "a trace without a name"
expect "environment, file= at no place" 0 \
	"waymark: WAYMARK_TRACE: file=: gone/x: No such file or directory" \
	env WAYMARK_TRACE='disk_*,file=gone/x' "$native"
expect "a bad option's file is not taken" 0 "waymark: WAYMARK_TRACE: keep= needs rotate=SIZE in the same option" \
	env WAYMARK_TRACE='file=kept,keep=2;disk_*' "$native"
[ ! -e kept ] || fail "the file of an option with an error was taken"
expect "option after environment" 0 "" env WAYMARK_TRACE='disk_*,file=of_env' "$native" file=of_option
holds "option after environment" of_option "$disk"

# A file that was made for a library's events does not prevent the program's trace.
if [ -n "$library" ]; then
	expect "file= moves on" 0 "" env LD_PRELOAD="$library" WAYMARK_TRACE='disk_*,file=moved' "$native"
	holds "file= moves on" moved "$disk"
	echo mine >mine
	expect "file= moves on, name taken" 0 "waymark: the trace is $tmp/mine.<pid>: the requested name is taken" \
		env LD_PRELOAD="$library" WAYMARK_TRACE='backend=log;disk_*,file=mine' "$native"
	[ -s mine ] || fail "a file that was there is gone or empty"
else
	echo "file= that moves on is not tested: not with sanitizers"
fi

# file= applies to the first of ctf, simple, log.
expect "file= with all backends" 0 "" "$all" 'disk_*,file=c,simple.file=s,log.file=l,log.prefix=none'
holds "file= with all backends" c "$disk"
[ "$(cat l)" = "$disk" ] || fail "log.file= holds $(cat l)"
[ -f s ] && [ -s s ] || fail "simple.file= made no file"
expect "one backend of all" 0 "" "$all" 'disk_*,backend=ctf,file=d'
holds "one backend of all" d "$disk"


# With backend= it applies to the first of the named ones.
for run in option environment; do
	expect_run() {
		local what=$1 trace=$2
		shift 2
		if [ $run = option ]; then
			expect "$what, $run" 0 "" "$all" "$trace" "$@"
		else
			expect "$what, $run" 0 "" env WAYMARK_TRACE="$trace${1:+;$1}" "$all"
		fi
	}
	expect_run "backend=simple" "disk_*,backend=simple,file=$run.s"
	[ -s "$run.s" ] || fail "$run: backend=simple,file= made no file"
	expect_run "backend=log" "disk_*,file=$run.l,backend=log,log.prefix=none"
	[ "$(cat "$run.l")" = "$disk" ] || fail "$run: backend=log,file= holds $(cat "$run.l")"
	expect_run "backend=log+simple" "disk_*,backend=log+simple,file=$run.ls,log.file=$run.log"
	[ "$(head -c 8 "$run.ls" | od -An -tx1)" = " ff ff ff ff ff ff ff ff" ] ||
		fail "$run: backend=log+simple,file= is not the file of simple"
	[ -s "$run.log" ] || fail "$run: log.file= next to file= made no file"

	# Of several file= and ctf.file= the last one counts, in one option and across options.
	expect_run "ctf.file= after file=" "net_*,log.file=/dev/null,file=$run.1,ctf.file=$run.2"
	holds "ctf.file= after file=, $run" "$run.2" "net_read value=3"
	[ ! -e "$run.1" ] || fail "$run: the file= before ctf.file= was made"
	expect_run "file= after ctf.file=" "net_*,log.file=/dev/null,ctf.file=$run.3,file=$run.4"
	holds "file= after ctf.file=, $run" "$run.4" "net_read value=3"
	[ ! -e "$run.3" ] || fail "$run: the ctf.file= before file= was made"
	expect_run "later ctf.file=" "net_*,log.file=/dev/null,file=$run.5" "ctf.file=$run.6"
	holds "later ctf.file=, $run" "$run.6" "net_read value=3"
	expect_run "later file=" "net_*,log.file=/dev/null,ctf.file=$run.7" "file=$run.8"
	holds "later file=, $run" "$run.8" "net_read value=3"
	expect_run "later backend=,file=" "net_*,log.file=/dev/null,file=$run.9" "backend=ctf,file=$run.10"
	holds "later backend=,file=, $run" "$run.10" "net_read value=3"
	[ ! -e "$run.5" ] && [ ! -e "$run.7" ] && [ ! -e "$run.9" ] || fail "$run: an earlier file was made"
done

# All keys of the backend are accepted; an error is reported before anything changes.
expect "all keys" 0 "" "$native" \
	'disk_*,file=e,buffer=2M,full=overwrite,snapshot=USR2,rotate=1M,keep=2,flush=1,leftovers=0,crash=off'
holds "all keys" e "$disk"
expect "full=block" 0 "" "$native" 'disk_*,file=f,full=block'
holds "full=block" f "$disk"
expect "snapshot= alone" 1 "$name: snapshot= needs full=overwrite, in this option or an earlier one" \
	"$native" '*,file=g,snapshot=USR2'
expect "snapshot= behind full=" 0 "" "$native" full=overwrite 'disk_*,file=g,snapshot=USR2'
finish
