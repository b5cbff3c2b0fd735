#!/bin/sh
# SPDX-License-Identifier: MIT
# meson: the files of docs/building.md build a program with an installed Waymark, and with
# Waymark as a subproject, where it needs nothing but a compiler. That takes a while to be
# built, and is only configured without the last argument: meson.sh ROOT BUILD [subproject]
. "$(dirname "$0")/common.sh"

part=${3-}
mkdir project project/cache project/subprojects
cd project
block meson >meson.build
block meson-options >meson_options.txt
echo 'cache_flush(unsigned int blocks) "%u dirty blocks"' >cache/trace-events
cat >main.c <<'END'
#include "trace-cache.h"

int main(void)
{
	trace_cache_flush(7);
	return 0;
}
END

# The backends are changed, which is log where none is named.
installed() {
	quietly meson setup built
	quietly ninja -C built
	logs built/program 'cache_flush 7 dirty blocks'
	quietly meson configure built -Dbackends=ctf
	quietly ninja -C built
	records built/program 'cache_flush 7 dirty blocks'
	readelf -d built/program | grep -q 'NEEDED.*libwaymark.so.0' || fail "not the shared library"
	ninja -C built | grep -q 'no work to do' || fail "made again though nothing changed"
	echo 'cache_flush(unsigned int blocks) "%u blocks"' >cache/trace-events
	quietly ninja -C built
	records built/program 'cache_flush 7 blocks'
}

[ "$part" = subproject ] || installed

# A subproject, on a system that has nothing else: not ours, nor what its tests need.
ln -s "$root" subprojects/waymark
block ini | sed 's/^\[wrap-git\]/[wrap-file]/; /^url/d; /^revision/d' >subprojects/waymark.wrap
cat >>meson.build <<'END'
executable('program-static', 'main.c', traced, dependencies: dependency('waymark', static: true))
executable('points', 'points.c', dependencies: waymark)
executable('points-static', 'points.c', dependencies: dependency('waymark', static: true))
executable('reader', 'reader.c', dependencies: dependency('waymark-reader'))
find_program('tracetool') # Waymark's own: there is none installed
monitor = dependency('waymark-monitor', required: false)
if monitor.found()
  error('a monitor without jansson')
endif
END
sed -i "s/^waymark = .*/waymark = dependency('waymark', default_options: ['scopes=log'])/" meson.build
cat >points.c <<'END'
#include <waymark/scope.h>
#define CATEGORIES(C) C(Net, true, "a network")
WAYMARK_CATEGORIES(CATEGORIES);
int main(void)
{
	WAYMARK_INSTANT(Net, "a packet");
	return 0;
}
END
printf '#include <waymark/reader.h>\nint main(void) { return !waymark_reader_error; }\n' >reader.c
unset LD_LIBRARY_PATH
mkdir bin
ln -s /bin/false bin/cmake
quietly env PATH="$tmp/project/bin:${PATH#*:}" PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR="$tmp" \
	meson setup within -Dbackends=ctf -Ddebug=false -Doptimization=0
! grep -E 'cmocka|lttng|clang|valgrind|valac' "$tmp/out" || fail "asked for, and only tests need it"
grep -q 'waymark found: NO' "$tmp/out" || fail "it is no subproject: $(cat "$tmp/out")"
ninja -C within -t targets all >targets
! grep -E 'waymark/(tests|bench|examples)/' targets || fail "our tests are built in the subproject"
[ "$part" = subproject ] || exit 0

quietly ninja -C within program program-static points points-static reader
records within/program 'cache_flush 7 dirty blocks'
records within/program-static 'cache_flush 7 dirty blocks'
for points in within/points within/points-static; do
	WAYMARK_TRACE=Net $points 2>said
	grep -q 'Net Instant: a packet$' said || fail "$points: scopes=log is lost: $(cat said)"
done
readelf -d within/program | grep -q 'RUNPATH.*subprojects/waymark' || fail "not the subproject's library"
! readelf -d within/program-static | grep libwaymark || fail "static: true takes the shared library"
