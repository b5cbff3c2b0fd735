#!/bin/sh
# SPDX-License-Identifier: MIT
# Trace points of C record the same with every compiler, standard and option, and compile without a
# warning; without backends they record, evaluate and link nothing.
#
#	forms.sh TRACETOOL ROOT LIBWAYMARK.SO LIBWAYMARK.A COMPILER
shared=$(realpath "$3")
static=$(realpath "$4")
. "$(dirname "$0")/../tracetool/lib.sh"
sources=$root/tests/site
compiler=$5
warnings="$warnings -Wshadow -Wconversion -Wsign-compare -Wcast-qual -Wundef -Wstrict-prototypes
	-Wmissing-prototypes -Wredundant-decls"

# recorded LIBRARY OPTION...
recorded()
{
	library=$1
	shift
	$compiler $warnings -DWAYMARK_SCOPES=ctf,log -I"$include" "$@" "$sources/forms.c" -o forms \
		"$library" -lpthread || fail "$*"
	LD_LIBRARY_PATH=$(dirname "$shared") WAYMARK_TRACE='*,backend=log' ./forms 2>out || fail "$*: exit $?"
	sed 's/^[0-9]*@[0-9.]*://; s/^-*[0-9]* Net/Net/' out | diff "$sources/forms.expected" - || fail "$*"
}

nothing() # OPTION...
{
	$compiler $warnings -I"$include" "$@" "$sources/forms.c" -o forms || fail "nop $*"
	./forms 2>out || fail "nop $*: exit $?"
	[ "$(cat out)" = 'calls: 0' ] || fail "nop $*: $(cat out)"
	! nm forms | grep waymark_ | grep -v ' waymark_category_\| waymark_scope_none' || fail "nop $*"
}

have $compiler || { echo "skipped: $compiler is missing"; exit 77; }
recorded "$shared" -std=c99 -O0
recorded "$shared" -std=c99 -O2 -fPIE -pie
# Sanitizers do not work in static programs.
[ "${WAYMARK_SANITIZER-}" ] || recorded "$static" -std=gnu11 -O1 -static
recorded "$shared" -std=gnu11 -O2 -flto -fPIC
recorded "$shared" -std=gnu2x -O3 -fno-pie -no-pie
recorded "$shared" -std=gnu2x -Os -ffunction-sections -Wl,--gc-sections
nothing -std=c99 -O0
nothing -std=gnu2x -O2
finish
