#!/bin/sh
# SPDX-License-Identifier: MIT
# A call site reads the tracepoint's own state in each kind of program, and the program
# exports no symbol of LTTng-UST's or of Waymark; the generated code compiles without a
# warning in every language; an error names a missing dependency.
#
#	modes.sh TRACETOOL ROOT LIBWAYMARK
library=$(realpath "$3")
. "$(dirname "$0")/lib.sh"
needs_ust

strict='-Wshadow -Wconversion -Wcast-qual -Wformat=2 -Wwrite-strings -Wundef'
generate log,simple,ust types "$here/trace-events" .
! have clang-format-14 || check_layout trace-*.[ch]

compilers >list
while read -r compiler; do
	for source in trace-types.c trace-ust-types.c; do
		$compiler $warnings $strict -fsyntax-only -I"$include" -I. $source ||
			fail "$compiler $source"
	done
done <list

# Sets the state as LTTng-UST sets it, without a session.
cat >main.c <<'END'
#include <stdio.h>
#include "trace-types.h"

void set(int state);

int main(void)
{
	int off = TRACE_BOOLS_STATE() != 0;

	set(1);
	printf("%d %d %d\n", off, TRACE_BOOLS_STATE() != 0, TRACE_CHARS_STATE() != 0);
	return 0;
}
END
cat >set.c <<'END'
#include "trace-ust-types.h"

void set(int state);
void set(int state)
{
	lttng_ust_tracepoint_types___bools.state = state;
}
END
try() # COMPILER FLAGS...
{
	"$@" $tsan $warnings -I"$include" -I. main.c set.c trace-types.c trace-ust-types.c "$library" \
		-llttng-ust -ldl -o program || fail "$*: does not link"
	found=$(LD_LIBRARY_PATH=${library%/*} ./program)
	[ "$found" = '0 1 0' ] || fail "$*: states are $found"
}

for compiler in gcc clang; do
	have $compiler || continue
	[ $compiler = gcc ] || [ ! "$tsan" ] || continue # whose TSan is another one
	try $compiler -O0
	try $compiler -O2 -fPIE -pie
	try $compiler -O3 -no-pie -fno-pie
	[ $compiler = clang ] && ! have ld.lld && [ ! -e /usr/lib/llvm-14/lib/LLVMgold.so ] ||
		try $compiler -O2 -flto
done
gcc -O2 -I"$include" -I. -fPIC -shared main.c set.c trace-types.c trace-ust-types.c -o seen.so \
	"$library" -llttng-ust || fail "shared library"
nm -D --defined-only seen.so | grep -E ' (waymark|lttng|trace)' && fail "symbols are seen outside"

# The group and events have names that GNU's C defines, as LTTng-UST does before 2.13.
printf 'unix(int linux, const char *unix) "%%d %%s"\nlinux(void) ""\ntracepoint(void)\n' >linux.events
generate ust linux linux.events .
for source in trace-linux.c trace-ust-linux.c; do
	gcc -std=gnu11 $warnings -c -I"$include" -I. $source || fail "names: $source"
done
for name in unix linux tracepoint; do
	nm trace-ust-linux.o | grep -q " lttng_ust_tracepoint_linux___$name$" || fail "names: $name"
done

# LTTng-UST is missing or too old.
mkdir -p old/lttng
printf '#define LTTNG_UST_MAJOR_VERSION 2\n#define LTTNG_UST_MINOR_VERSION 12\n' \
	>old/lttng/ust-version.h
gcc -I"$include" -I. -Iold -fsyntax-only trace-ust-types.c 2>err && fail "2.12 is taken"
grep -q 'needs LTTng-UST 2.13 or later: .*liblttng-ust-dev.*older' err || fail "2.12: $(cat err)"
mkdir libc
for header in /usr/include/*; do
	case $header in
	*/x86_64-linux-gnu | */lttng) ;;
	*) ln -s "$header" libc/ ;;
	esac
done
multiarch=/usr/include/$(gcc -print-multiarch)
for header in "$multiarch"/*; do
	[ "${header##*/}" = lttng ] || ln -sf "$header" libc/
done
gcc -nostdinc -isystem "$(gcc -print-file-name=include)" -isystem libc -I"$include" -I. -fsyntax-only \
	trace-types.c 2>err && fail "compiles without LTTng-UST"
grep -q 'needs LTTng-UST 2.13 or later: install liblttng-ust-dev' err || fail "none: $(cat err)"
generate log,simple none "$here/trace-events" .
gcc -nostdinc -isystem "$(gcc -print-file-name=include)" -isystem libc -I"$include" -I. $warnings \
	-fsyntax-only trace-ust-none.c || fail "without the backend it needs LTTng-UST"
finish
