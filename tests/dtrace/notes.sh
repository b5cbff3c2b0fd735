#!/bin/sh
# SPDX-License-Identifier: MIT
# Each event has one probe note, with the arguments in their own types and a semaphore in
# the upper half of the event's state word, for every way to compile and link the program.
#
#	notes.sh TRACETOOL ROOT LIBWAYMARK
. "$(dirname "$0")/lib.sh"
need gcc readelf nm
generate dtrace,log

# semaphores FILE: prints `<event> <address>` of each note, sorted
semaphores()
{
	readelf -n "$1" 2>/dev/null | sed -n 's/^ *Name: //p; s/.*Semaphore: 0x0*//p' |
		paste - - | sort
}

# state_halves FILE: prints `<event> <address + 2>` of each state word
state_halves()
{
	nm "$1" | sed -n 's/^\([0-9a-f]*\) [a-zA-Z] waymark_state_/\1 /p' |
		while read -r address name; do
			printf '%s\t%x\n' "$name" $((0x$address + 2))
		done | sort
}

# check FILE WHAT
check()
{
	semaphores "$1" >notes
	state_halves "$1" >halves
	[ "$(wc -l <notes)" -eq 10 ] || fail "$2: $(wc -l <notes) notes, not 10"
	diff notes halves >difference || fail "$2: semaphores (<) are no state halves (>)
$(cat difference)"
}

for compiler in gcc clang; do
	have $compiler || continue
	for options in -O0 '-O2 -fno-pie -no-pie' '-O3 -g -std=c99 -D_GNU_SOURCE'; do
		build program $compiler $options || fail "$compiler $options"
		check program "$compiler $options"
	done
	$compiler -O2 -fPIC -shared -I"$include" -I. -I"$here_dtrace" "$here_dtrace"/fire.c \
		trace-test.c "$library" -o shared.so || fail "$compiler: shared"
	check shared.so "$compiler, a shared object"
done
# Each function and each word in a separate unit, and all in one unit.
for options in '-O1 -flto=2 -flto-partition=max' '-O2 -flto=2 -fPIC -shared'; do
	build program gcc $options 2>/dev/null || fail "gcc $options"
	check program "gcc $options"
done
if have clang && have ld.lld; then
	build program clang -flto -O2 -fuse-ld=lld && check program 'clang -flto'
fi

# In C++ as well.
for compiler in g++ clang++; do
	have $compiler || continue
	$compiler -x c++ -std=c++11 -O2 $warnings -I"$include" -I. -c trace-test.c -o cxx.o ||
		fail "$compiler"
	gcc -I"$include" -I. -I"$here_dtrace" "$here_dtrace"/program.c "$here_dtrace"/fire.c cxx.o \
		"$library" -o program || fail "$compiler: link"
	check program "$compiler"
done

# Each argument in its own size and sign.
build program gcc -O0
readelf -n program 2>/dev/null | grep -A2 'Name: narrow$' | sed -n 's/.*Arguments: //p' |
	tr ' ' '\n' | sed 's/@.*//' | tr '\n' ' ' >types
[ "$(cat types)" = '1 -1 -1 1 -2 2 ' ] || fail "narrow has types $(cat types)"
readelf -n program 2>/dev/null | grep -A2 'Name: wide$' | sed -n 's/.*Arguments: //p' |
	tr ' ' '\n' | sed 's/@.*//' | tr '\n' ' ' >types
[ "$(cat types)" = '-4 4 -8 8 8 8 ' ] || fail "wide has types $(cat types)"

# Stripping keeps the notes.
semaphores program >before
strip program
semaphores program | diff before - || fail 'stripped'

# More arguments than a probe can have are refused if the event has a probe.
printf 'many(int a' >many.events
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do printf ', int a%s' $i; done >>many.events
echo ')' >>many.events
"$tracetool" --max-args=13 --format=c --backends=dtrace many.events >out 2>err &&
	fail '13 arguments'
grep -q "many.events:1:1: error: 'many' has 13 arguments, but the backend dtrace takes 12" err ||
	fail "13 arguments: $(cat err)"
[ ! -s out ] || fail 'something was written of 13 arguments'
"$tracetool" --max-args=13 --format=c --backends=log many.events >out || fail '13 of log'

# Without <sys/sdt.h> the compiler's error names the package to install.
echo '#undef __has_include
#define __has_include(x) 0
#include <waymark/probe.h>' >missing.c
gcc -I"$include" -Wno-builtin-macro-redefined -fsyntax-only missing.c 2>err && fail 'no sdt.h'
grep -q 'install systemtap-sdt-dev' err || fail "no sdt.h: $(cat err)"
finish
