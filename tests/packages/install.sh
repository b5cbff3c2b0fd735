#!/bin/sh
# SPDX-License-Identifier: MIT
# `make install` and `make uninstall`: any PREFIX and DESTDIR, a read-only build, twice, over an
# older version; finally all of Waymark's files are removed, and no others: install.sh ROOT BUILD
set -eu
root=$1
build=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export AS_BUILT=1 # other tests run in the build at the same time
unset DESTDIR PREFIX MAKEFLAGS MAKELEVEL
cd "$tmp"

fail() {
	echo "$*"
	[ ! -f "$tmp/out" ] || cat "$tmp/out"
	exit 1
}

# run TARGET [VARIABLE=VALUE...]
run() {
	target=$1
	shift
	make -s -f "$root/Makefile" "$target" BUILD="$build" "$@" >"$tmp/out" 2>&1
}

must() {
	run "$@" || fail "make $*: failed"
}

# is_gone DIRECTORY: it does not exist or is empty.
is_gone() {
	[ ! -e "$1" ] || [ -z "$(find "$1" -mindepth 1)" ] || fail "left: $(find "$1" -mindepth 1)"
}
ln -s "$root/tools" tools

# A prefix with a blank, twice, from a build that is only read.
touch stamp
prefix="$tmp/in a/new place"
must install PREFIX="$prefix"
[ "$(cat out)" = "installed below $prefix
what has to know of this place: docs/building.md, Install" ] || fail "make install does not say where"
library=$(find "$prefix" -name libwaymark.so.0) # where depends on the system
ls -i "$library" "$prefix/bin/waymark" >inodes
find "$prefix" | sort >first
must install PREFIX="$prefix"
find "$prefix" | sort | cmp -s - first || fail "installed twice it is another"
# Excluded: the log and lock of other tests, which run meson install at the same time.
find "$build/build.ninja" "$build/meson-private/coredata.dat" "$build/meson-info" \
	-newer stamp >changed 2>/dev/null || :
[ ! -s changed ] || fail "changed in the build: $(cat changed)"

# Running programs keep their libraries, because files are replaced, not overwritten.
ls -i "$library" "$prefix/bin/waymark" | cmp -s - inodes &&
	fail "a file was written over while programs may run it"

run install PREFIX="$tmp/it's here" && fail "installed where pkg-config finds nothing"
[ ! -e "$tmp/it's here" ] || fail "something is there all the same"

# A program finds the installation.
module=$(find "$prefix" -name waymark.pc)
export PKG_CONFIG_PATH="${module%/*}"
echo 'fired(int n) "n %d"' >trace-events
cat >main.c <<'END'
#include "trace-group.h"

int main(void)
{
	trace_fired(1);
	return 0;
}
END
cat >Makefile <<'END'
WAYMARK_BACKENDS = ctf
CPPFLAGS += -Ibuilt $(shell pkg-config --cflags waymark)
all: program
include $(shell pkg-config --variable=makerules waymark)
$(eval $(call waymark_group,group,trace-events,built))
program: main.c built/trace-group.h built/trace-group.c
	$(CC) $(CPPFLAGS) main.c built/trace-group.c $$(pkg-config --libs waymark) -o $@
END
sed -i 's|\$\$(pkg-config|$(shell pkg-config|' Makefile
make -s >out 2>&1 || fail "a program is not built with it"
LD_LIBRARY_PATH="${module%/pkgconfig*}" WAYMARK_TRACE='*,file=a.ctf' ./program
"$prefix/bin/waymark" print a.ctf | grep -q 'fired n 1' || fail "the program is not traced"

# Over an older version, whose file is removed; files of others stay.
mkdir "$prefix/share/gone" "$prefix/share/mine"
touch "$prefix/share/gone/older.so" "$prefix/share/mine/file"
printf 'share/gone/\nshare/gone/older.so\n' >>"$prefix/share/waymark/installed"
must install PREFIX="$prefix"
[ ! -e "$prefix/share/gone/older.so" ] || fail "an older version's file is still there"

# Names outside of the prefix in a record are ignored: root may use another user's record.
mkdir another another/empty
touch another/file
cp "$prefix/share/waymark/installed" good
for line in ../../another/file share/../../../another/file ../../another/empty/; do
	(cat good && echo "$line") >"$prefix/share/waymark/installed"
	run uninstall PREFIX="$prefix" && fail "uninstalled with $line"
	run install PREFIX="$prefix" && fail "installed over $line"
done
(cat good && echo "$tmp/another/empty/") >"$prefix/share/waymark/installed"
must uninstall PREFIX="$prefix"
[ "$(find another | sort | tr '\n' ' ')" = "another another/empty another/file " ] || fail "of another place there is $(find another)"
[ "$(find "$prefix" ! -type d)" = "$prefix/share/mine/file" ] || fail "left: $(find "$prefix" ! -type d)"
[ "$(find "$prefix" -type d | wc -l)" = 3 ] || fail "left: $(find "$prefix" -type d)"

if run uninstall PREFIX="$prefix"; then
	fail "uninstall without an installation succeeds"
fi
grep -q 'nothing is installed below' out || fail "not said that nothing is there"

# A folder of the prefix has become a link to another place: the files there stay, and the files
# that cannot be removed are named. For a folder that `make install` made, and a folder that
# existed before.
mkdir -p linked/bin
must install PREFIX="$tmp/linked"
mkdir -p away
cp -a linked/bin away/bin
cp -a linked/share away/share
mkdir away/share/waymark/empty
find away | sort >before
mv linked/bin kept-bin
mv linked/share/waymark kept-waymark
ln -s "$tmp/away/bin" linked/bin
ln -s "$tmp/away/share/waymark" linked/share/waymark
(cat kept-waymark/installed && echo share/waymark/empty/) >away/share/waymark/installed
run uninstall PREFIX="$tmp/linked" && fail "uninstalled through a link"
grep -qx "uninstall: $tmp/linked/bin/waymark is left: a folder on the way is a link" out ||
	fail "not said what is left"
find away | sort | cmp -s - before || fail "taken away in another place: $(find away | sort | comm -3 - before)"
[ -z "$(find linked -type f)" ] || fail "left: $(find linked -type f)"
grep -v '^bin/waymark$' kept-waymark/installed >away/share/waymark/installed
echo bin/gone >>away/share/waymark/installed
touch away/bin/gone
run install PREFIX="$tmp/linked" || :
[ -e away/bin/gone ] || fail "an older version's file was taken away in another place"

# Below a DESTDIR, also a relative one; the modules contain the path without DESTDIR.
must install DESTDIR=stage PREFIX=/opt/way
grep -qx 'prefix=/opt/way' "$(find stage -name waymark.pc)" || fail "the module does not name its prefix"
[ -x stage/opt/way/bin/waymark ] || fail "not below DESTDIR"
touch stage/opt/way/bin/waymark.new stage/opt/way/share/waymark/installed.new # killed there
must uninstall DESTDIR=stage PREFIX=/opt/way
is_gone stage
mkdir -p there/usr/share
must install DESTDIR="$tmp/there" PREFIX=/usr
must uninstall DESTDIR="$tmp/there" PREFIX=/usr
[ "$(find there | sort | tr '\n' ' ')" = "there there/usr there/usr/share " ] || fail "left: $(find there)"

# A file that a build installs elsewhere is an error.
mkdir far
cat >far/meson.build <<'END'
project('far')
install_data('waymark.pc', install_dir: 'lib/pkgconfig')
install_data('waymark.conf', install_dir: '/etc')
END
echo "prefix=/opt/far" | tee far/waymark.pc >far/waymark.conf
meson setup far far/build --prefix=/opt/far >out 2>&1 || fail "no build"
PREFIX="$tmp/moved" "$root/tools/install" "$tmp/far/build" >out 2>&1 && fail "installed without /etc/waymark.conf"
grep -q 'outside of its prefix /opt/far' out || fail "not said what lies elsewhere"
