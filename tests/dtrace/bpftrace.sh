#!/bin/bash
# SPDX-License-Identifier: MIT
# bpftrace switches events on by attaching, counts each one, prints their values like the
# log, and switches them off at its end.
#
#	bpftrace.sh TRACETOOL ROOT LIBWAYMARK
. "$(dirname "$0")/lib.sh"
need gcc
need_bpftrace
count=20000
patience=100
# bpftrace prints a line when it has attached, a feature for its own tests.
export __BPFTRACE_NOTIFY_PROBES_ATTACHED=1
generate dtrace,log,ctf
build program gcc -O2 || fail 'build'

# script_for OBJECT: prints a script that counts OBJECT's ticks until `done`
script_for()
{
	echo "usdt:$1:test:tick { @ticks = count(); } usdt:$1:test:done { exit(); }"
}

# counted FILE EXPECTED WHAT: compares the only map of bpftrace's output
counted()
{
	local found
	found=$(sed -n 's/^@ticks: //p' "$1")
	[ "$found" = "$2" ] || fail "$3: counted '$found', not $2: $(grep -v uprobe_events "$1")"
}

# went_on_and_off FILE WHAT: checks the states that the program saw
went_on_and_off()
{
	grep -v '^@\|^Attaching\|^$\|ERROR\|^open' "$1" | tr '\n' ' ' >states
	[ "$(cat states)" = 'state 00010000 state 00000000 ' ] || fail "$2: $(cat states)"
}

# say_attached: prints a line when bpftrace reports in `counted` that it is attached
say_attached()
{
	for _ in $(seq ${patience}0); do
		! grep -qs PROBES_ATTACHED counted || {
			echo attached
			return
		}
		sleep 0.1
	done
}

# by_path WHAT OBJECT PROGRAM...: bpftrace attaches before the program starts
by_path()
{
	local what=$1 object=$2
	shift 2
	: >counted
	timeout $patience bpftrace -e "$(script_for "$object")" >counted 2>&1 &
	local tracer=$!
	say_attached | timeout $patience "$@" >states_seen || {
		fail "$what: $(cat states_seen)"
		kill $tracer # it gets no `done` event, which would end it
	}
	wait $tracer || fail "$what: bpftrace: $(cat counted)"
	went_on_and_off states_seen "$what"
}

by_path 'by path' ./program ./program watch $count
counted counted $count 'by path'
by_path 'fork' ./program ./program fork $count
counted counted $((2 * count)) 'fork'

rm counted
say_attached | ./program watch $count >states_seen &
program=$!
until [ /proc/$program/exe -ef program ]; do # it is still a shell
	sleep 0.01
done
timeout $patience bpftrace -p $program -e "$(script_for ./program)" >counted 2>&1 || fail 'by pid'
wait $program || fail 'by pid: the program'
counted counted $count 'by pid'
went_on_and_off states_seen 'by pid'

# A shared object, linked and stripped. It is linked before libc, because a sanitizer in the
# library does not start if libc was found first.
gcc -O2 -fPIC -shared -I"$include" -I. -I"$here_dtrace" "$here_dtrace"/fire.c trace-test.c \
	"$library" -o libfire.so
gcc -O2 -I"$here_dtrace" "$here_dtrace"/program.c -L. -lfire -Wl,--no-as-needed "$library" \
	-Wl,-rpath,"$tmp" -o linked
strip libfire.so linked
by_path 'shared object' ./libfire.so ./linked watch $count
counted counted $count 'shared object'

# The generated script prints the same as the log, which receives each event at the same time.
"$tracetool" --format=bpftrace --backends=dtrace --group=test --binary=./program \
	--output=test.bt "$here_dtrace/trace-events" || fail 'the script'
WAYMARK_TRACE="*,backend=log" timeout $patience bpftrace -c './program values' test.bt >printed 2>errors
sed -n 's/^[0-9:.]* *[0-9]* *[0-9]* \([a-z]\)/\1/p' printed | grep -v '^EVENT' | sort >found
sed -n 's/^[0-9]*@[0-9.]*://p' errors | sort >expected
[ "$(wc -l <expected)" -eq 12 ] || fail "the log has $(wc -l <expected) lines, not 12: $(cat errors)"
diff expected found || fail 'the log (<) and bpftrace (>) differ'

# bpftrace reads six arguments; the script marks the missing ones.
timeout $patience bpftrace -c './program ten' test.bt 2>/dev/null | grep -q ' ten 1 2 3 4 5 six ? ? ? ?$' ||
	fail 'ten arguments'
finish
