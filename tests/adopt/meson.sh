#!/bin/sh
# SPDX-License-Identifier: MIT
# meson: the unchanged files of docs/building.md build a program with an installed Waymark, and
# with Waymark as a subproject, from git or a folder, which needs only a compiler. The subproject
# builds slowly: without the last argument it is only configured:
# meson.sh ROOT BUILD [subproject]
. "$(dirname "$0")/common.sh"

part=${3-}
mkdir project project/cache project/subprojects
cd project
block meson >meson.build
block meson-options >meson_options.txt
echo 'cache_flush(unsigned int blocks) "%u dirty blocks"' >cache/trace-events
block 'c main.c' >main.c

# The backends are changed; the default is log.
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

# A subproject, on a system without an installed Waymark and without the packages that our tests
# need.
unset LD_LIBRARY_PATH
mkdir bin
ln -s /bin/false bin/cmake

alone() { # COMMAND...
	quietly env PATH="$tmp/project/bin:${PATH#*:}" PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR="$tmp" "$@"
}

# configured DIRECTORY: with a subproject, of which only the parts that users need are built
configured() {
	! grep -E 'cmocka|lttng|clang|valgrind|valac' "$tmp/out" || fail "asked for, and only tests need it"
	grep -q 'waymark found: NO' "$tmp/out" || fail "it is no subproject: $(cat "$tmp/out")"
	ninja -C "$1" -t targets all >targets
	! grep -E 'waymark/(tests|bench|examples)/' targets || fail "our tests are built in the subproject"
}

ln -s "$root" subprojects/waymark
block 'ini wrap-file' >subprojects/waymark.wrap
alone meson setup within -Dbackends=ctf -Ddebug=false -Doptimization=0
configured within

# Clones this tree, with the address and the tag of the document.
cloned() {
	(cd "$root" && git ls-files -z --cached --others --exclude-standard | xargs -0 cp -P --parents -t "$tmp/git")
	git -C "$tmp/git" add -A
	git -C "$tmp/git" -c user.name=test -c user.email=test commit -q -m test
	git -C "$tmp/git" tag TAG
	rm subprojects/waymark
	block 'ini wrap-git' >subprojects/waymark.wrap
	alone env GIT_CONFIG_COUNT=1 GIT_CONFIG_VALUE_0=https://HOST/waymark.git "GIT_CONFIG_KEY_0=url.$tmp/git.insteadOf" \
		meson setup cloned
	configured cloned
	[ -e subprojects/waymark/src ] || fail "git was not asked"
}
if git init -q "$tmp/git" && git -C "$root" rev-parse >/dev/null 2>&1; then
	cloned
else
	echo "no repository: not tested out of git"
fi

# Statements of the document that its files do not show.
mkdir "$tmp/others" "$tmp/others/subprojects"
cp -r cache main.c "$tmp/others"
cd "$tmp/others"
ln -s "$root" subprojects/waymark
block 'ini wrap-file' >subprojects/waymark.wrap
cat >meson.build <<'END'
project('others', 'c')
waymark = dependency('waymark', default_options: ['scopes=log'])
tracetool = find_program('tracetool') # the subproject's own: none is installed
traced = []
foreach format : ['h', 'c']
  traced += custom_target('trace-cache.' + format, input: 'cache/trace-events', output: 'trace-cache.' + format,
    command: [tracetool, '--format=' + format, '--backends=ctf', '--group=cache', '@INPUT@', '@OUTPUT@'])
endforeach
executable('program-static', 'main.c', traced, dependencies: dependency('waymark', static: true))
executable('points', 'points.c', dependencies: waymark)
executable('points-static', 'points.c', dependencies: dependency('waymark', static: true))
executable('reader', 'reader.c', dependencies: dependency('waymark-reader'))
monitor = dependency('waymark-monitor', required: false)
if monitor.found()
  error('a monitor without jansson')
endif
END
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
alone meson setup within -Ddebug=false -Doptimization=0
configured within
[ "$part" = subproject ] || exit 0

quietly ninja -C ../project/within program
records ../project/within/program 'cache_flush 7 dirty blocks'
quietly ninja -C within program-static points points-static reader
records within/program-static 'cache_flush 7 dirty blocks'
for points in within/points within/points-static; do
	WAYMARK_TRACE=Net $points 2>said
	grep -q 'Net Instant: a packet$' said || fail "$points: scopes=log is lost: $(cat said)"
done
readelf -d ../project/within/program | grep -q 'RUNPATH.*subprojects/waymark' || fail "not the subproject's library"
! readelf -d within/program-static | grep libwaymark || fail "static: true takes the shared library"
