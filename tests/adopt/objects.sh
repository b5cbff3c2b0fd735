#!/bin/sh
# SPDX-License-Identifier: MIT
# Objects with events that are linked into several programs, by the rules of docs/building.md for
# make, meson and CMake: each program records the events of the object and its own. Without
# trace-GROUP.o the linker fails with the message that the document names: objects.sh ROOT BUILD
. "$(dirname "$0")/common.sh"

mkdir project project/cache
cd project
block 'c main.c' >main.c
block meson-options >meson_options.txt
for way in make meson cmake; do
	case $way in
	make) file=Makefile ;;
	meson) file=meson.build ;;
	cmake) file=CMakeLists.txt ;;
	esac
	{ block $way && block $way 'Objects in several programs'; } >$file
done
cat >cache/trace-events <<'END'
cache_flush(unsigned int blocks) "%u dirty blocks"
cache_store(int n) "n %d"
END
cat >store.c <<'END'
#include "trace-cache.h"

void store(int n);
void store(int n)
{
	trace_cache_store(n);
}
END
for name in server client; do
	cat >$name.c <<'END'
#include "trace-cache.h"

void store(int n);

int main(void)
{
	store(3);
	trace_cache_flush(5);
	return 0;
}
END
done

# programs DIRECTORY: checks the traces of all three
programs() {
	records "$1/program" 'cache_flush 7 dirty blocks'
	for name in server client; do
		records "$1/$name" 'cache_flush 5 dirty blocks'
		grep -q ' cache_store n 3$' "$tmp/events" || fail "$1/$name: not the object's event: $(cat "$tmp/events")"
	done
}

quietly make -j4
programs .
! cc server.o store.o $(pkg-config --libs waymark) -o without >"$tmp/out" 2>&1 || fail "linked without trace-cache.o"
symbol=$(sed -n 's/.*`undefined reference` to `\([a-z_]*\)`.*/\1/p' "$root/docs/building.md")
grep -q "undefined reference to .${symbol}cache_" "$tmp/out" || fail "not as building.md says, $symbol: $(cat "$tmp/out")"
quietly make -s
quietly meson setup by-meson -Dbackends=ctf
quietly ninja -C by-meson
programs by-meson
quietly cmake -S . -B by-cmake "-DCMAKE_PREFIX_PATH=$installed"
quietly cmake --build by-cmake
programs by-cmake
