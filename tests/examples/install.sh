#!/bin/sh
# SPDX-License-Identifier: MIT
# `make install` prints the installation's place in few lines, programs are built with it as
# docs/building.md describes, each function has a manual page, and `make uninstall` removes
# everything.
. "$(dirname "$0")/common.sh"
unset LD_LIBRARY_PATH
make -s -C "$root" BUILD="$tmp/built" >"$tmp/out" 2>&1 || fail "make: $(tail -n 20 "$tmp/out")"
prefix=$tmp/prefix
make -C "$root" install BUILD="$tmp/built" PREFIX="$prefix" >"$tmp/out" 2>&1 ||
	fail "make install: $(cat "$tmp/out")"
[ "$(wc -l <"$tmp/out")" -le 20 ] || fail "make install prints $(wc -l <"$tmp/out") lines"

module=$(find "$prefix" -name waymark.pc)
export PKG_CONFIG_PATH="${module%/*}"
make_example "$tmp/example" LDFLAGS="-Wl,-rpath,${module%/pkgconfig/*}"
echo data >"$tmp/data"
"$tmp/example/blockcache" -trace "*,file=$tmp/a.ctf" "$tmp/data" >/dev/null
"$prefix/bin/waymark" info "$tmp/a.ctf" >/dev/null

make -s -C "$root" uninstall PREFIX="$prefix" >"$tmp/out" 2>&1 || fail "make uninstall: $(cat "$tmp/out")"
[ ! -e "$prefix" ] || fail "make uninstall leaves $(find "$prefix")"
