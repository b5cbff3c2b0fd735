#!/bin/sh
# SPDX-License-Identifier: MIT
# An installed Waymark is all that a program needs: headers, library, tracetool and
# pkg-config module, wherever the tree is moved to.
. "$(dirname "$0")/common.sh"
meson install -C "$build" --no-rebuild --quiet --destdir "$tmp/root" </dev/null
module=$(find "$tmp/root" -name waymark.pc)
[ -n "$module" ] || fail "waymark.pc is not installed"
export PKG_CONFIG_PATH="${module%/*}"
make_example "$tmp/build" PKG_CONFIG="pkg-config --define-variable=prefix=${module%/lib*}"
cd "$tmp"
echo data >data
library=$(find "$tmp/root" -name 'libwaymark.so.*' | head -n 1)
LD_LIBRARY_PATH=${library%/*} ./build/blockcache -trace '*,file=a.trace' data >counts
bin=$(find "$tmp/root" -type d -name bin)
LD_LIBRARY_PATH=${library%/*} "$bin/waymark" print -e build/trace-events-all a.trace >a.txt
"$root/tools/compare-counts" counts a.txt

for file in $(cd "$root" && find include docs/man -name '*.[h1-8]' -o -name '*.def'); do
	find "$tmp/root" -name "${file##*/}*" | grep -q . || fail "$file is not installed"
done
