#!/bin/sh
# SPDX-License-Identifier: MIT
# An event that is declared `disable`, and any event of a nop build, leaves no
# instruction, no symbol and no string: neither where it is called nor in the
# generated source.
#
#	disabled_leaves_nothing.sh TRACETOOL ROOT
. "$(dirname "$0")/lib.sh"

if ! have gcc || ! have objdump || ! have nm; then
	echo "skipped: gcc or binutils is missing"
	exit 77
fi

cat >on.events <<'END'
canary_event(int canary_argument) "canary message %d"
END
sed 's/^/disable /' on.events >off.events
cat >call.c <<'END'
#include "trace-canary.h"
void call(int value);
void call(int value)
{
	trace_canary_event(value);
}
END
printf 'void call(int value);\nvoid call(int value)\n{\n\t(void)value;\n}\n' >no_call.c

build() # DECLARATIONS BACKENDS
{
	for format in h c; do
		"$tracetool" --format=$format --backends="$2" --group=canary \
			--output=trace-canary.$format --always "$1" || fail "$1 $2: tracetool"
	done
	gcc -std=gnu11 -O2 -g0 -I"$include" -I. -c call.c trace-canary.c || fail "$1 $2: gcc"
}

code() # OBJECT
{
	objdump -d --no-show-raw-insn "$1" | sed -n 's/^ .*:\t//p'
}

traces_in() # OBJECTS
{
	{ nm "$@" && strings -a -n 4 "$@"; } | grep -iE 'canary_|canary m|waymark' || true
}

gcc -std=gnu11 -O2 -g0 -c no_call.c || fail "no_call.c"

# The search works: it finds an enabled event.
build on.events log,simple
[ "$(code call.o)" != "$(code no_call.o)" ] || fail "an enabled event leaves no instruction"
[ -n "$(traces_in trace-canary.o)" ] || fail "an enabled event leaves no name"

for case in 'off.events log,simple' 'on.events nop' 'off.events nop'; do
	build $case
	[ "$(code call.o)" = "$(code no_call.o)" ] || fail "$case: the call is not empty"
	[ -z "$(code trace-canary.o)" ] || fail "$case: code in the source"
	found=$(traces_in call.o trace-canary.o)
	[ -z "$found" ] || fail "$case: left behind:" "$found"
done
finish
