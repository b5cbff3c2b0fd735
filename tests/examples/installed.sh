#!/bin/sh
# SPDX-License-Identifier: MIT
# A program needs only an installed Waymark: headers, library, tracetool and pkg-config
# module, also after the installed tree is moved.
. "$(dirname "$0")/common.sh"
meson install -C "$build" --no-rebuild --quiet --destdir "$tmp/root" </dev/null
module=$(find "$tmp/root" -name waymark.pc)
[ -n "$module" ] || fail "waymark.pc is not installed"
export PKG_CONFIG_PATH="${module%/*}"
make_example "$tmp/build" PKG_CONFIG="pkg-config --define-variable=prefix=${module%/lib*}"
cd "$tmp"
echo data >data
library=$(find "$tmp/root" -name 'libwaymark.so.*' | head -n 1)
LD_LIBRARY_PATH=${library%/*} ./build/blockcache -trace '*,file=a.ctf' data >counts
bin=$(find "$tmp/root" -type d -name bin)
LD_LIBRARY_PATH=${library%/*} "$bin/waymark" print a.ctf >a.txt
"$root/tools/compare-counts" counts a.txt

# A page of several functions is found by each function's name.
names=0
for page in "$root"/docs/man/*.3; do
	for name in $(sed -n '/^\.Sh SYNOPSIS/q; s/^\.Nm \([A-Za-z0-9]*_[A-Za-z0-9_]*\).*/\1/p' "$page"); do
		link=$(find "$tmp/root" -name "$name.3")
		[ -n "$link" ] && [ "$(readlink "$link")" = "${page##*/}" ] && [ -f "$link" ] ||
			fail "no manual page $name.3"
		names=$((names + 1))
	done
done
[ "$names" -gt 150 ] || fail "only $names names of manual pages"

# Completions find the programs that they call.
offered=$(bash -c 'complete() { :; }; source "$1" && PATH=$2:$PATH sh "$_waymark_complete" tracetool --form' bash \
	"$(find "$tmp/root" -path "*/completions/tracetool")" "$bin") || offered=
case $offered in *--format=*) ;; *) fail "no completion of tracetool: $offered" ;; esac

for file in trace-events.vim trace-events-mode.el; do
	find "$tmp/root" -name "$file" | grep -q /share/ || fail "$file is not installed"
done
for file in $(cd "$root" && find include docs/man -name '*.[h1-8]' -o -name '*.def'); do
	find "$tmp/root" -name "${file##*/}*" | grep -q . || fail "$file is not installed"
done
