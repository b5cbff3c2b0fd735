#!/bin/sh
# SPDX-License-Identifier: MIT
# The build files and commands of docs/building.md build programs that are traced.
. "$(dirname "$0")/common.sh"
. "$root/tests/adopt/block.sh"
cd "$tmp"

# traced PROGRAM: it records the event of main.c in a native trace.
traced() {
	WAYMARK_TRACE='cache_*,file=t.ctf,replace=on' "$1" 2>log || fail "$1 does not run: $(cat log)"
	[ ! -s log ] || fail "$1 has something to say: $(cat log)"
	"$waymark" print t.ctf | grep -q ' cache_flush 7 dirty blocks$' || fail "$1 is not traced"
}

generate() { # GROUP DECLARATIONS
	for format in h c; do
		"$build/src/cmd/tracetool" --format=$format --backends=ctf --group="$1" "$2" \
			"build/trace-$1.$format"
	done
}

mkdir cache
cp "$root/examples/blockcache/cache/trace-events" cache
block 'c main.c' >main.c

block make >Makefile
make -s >out 2>&1 || fail "the Makefile of building.md: $(cat out)"
traced ./program
ldd ./program | grep -q libwaymark || fail "--libs does not link the shared library"
rm -r build main.o program

block meson >meson.build
block meson-options >meson_options.txt
{ meson setup built -Dbackends=ctf && ninja -C built; } >out 2>&1 || fail "the meson.build of building.md: $(cat out)"
traced built/program

# The same with a directory of TOML files, to which files are added.
mkdir directory directory/trace
cd directory
toml() { # EVENT
	printf '[[events]]\nname = "%s"\nargs = "blocks: u32"\nmessage = "{}"\nenabled = true\n' "$1" \
		>"trace/$1.toml"
	printf '#include "trace-vm.h"\nint main(void)\n{\n\ttrace_%s(7);\n\treturn 0;\n}\n' "$1" >main.c
}
records() { # EVENT PROGRAM
	WAYMARK_TRACE="$1,file=t.ctf,replace=on" "$2" || fail "$2 does not run"
	"$waymark" info t.ctf >out || fail "$2 is not traced"
	grep -q "$1" out || fail "$2 does not record $1: $(cat out)"
}
block make 'A directory of TOML files' >Makefile
block meson 'A directory of TOML files' >meson.build
toml vm_first
echo 'int beside;' >trace.c # of which make would make a program called trace
make -s >out 2>&1 || fail "the Makefile of a directory: $(cat out)"
records vm_first ./program
{ meson setup built && ninja -C built; } >out 2>&1 || fail "the meson.build of a directory: $(cat out)"
sleep 1
toml vm_added
make -s >out 2>&1 || fail "the Makefile of a directory with one file more: $(cat out)"
records vm_added ./program
ninja -C built >out 2>&1 || fail "the meson.build of a directory with one file more: $(cat out)"
records vm_added built/program
cd ..

mkdir build
generate cache cache/trace-events
cp main.c main.cc
block sh 'C++' >commands
sh -e commands
traced ./program
c++ -x c++ -std=c++11 -Ibuild $(pkg-config --cflags waymark) -c build/trace-cache.c
c++ main.o trace-cache.o $(pkg-config --libs waymark) -o program
traced ./program

cat >points.c <<'END'
#include <waymark/scope.h>
#define CATEGORIES(C) C(Net, true, "a network")
WAYMARK_CATEGORIES(CATEGORIES);
int main(void)
{
	WAYMARK_SCOPE(Net, "a packet");
	return 0;
}
END
cp points.c points.cc
block sh 'Trace points without a declaration' >commands
sh -e commands
WAYMARK_TRACE='Net,file=points.ctf' ./points || fail "points does not run"
"$waymark" print points.ctf | grep -q 'Net:a packet' || fail "points is not traced"
WAYMARK_TRACE='Net' ./points-log 2>log
grep -q 'Net Enter: a packet$' log || fail "points-log is not traced: $(cat log)"
! nm points-nothing | grep 'waymark_[^c]' || fail "trace points without a backend leave something"

cc -Ibuild $(pkg-config --cflags waymark) -c main.c build/trace-cache.c
block sh 'Static programs' >commands
sh -e commands
for program in ./program-static ./program-archive ./program-monitored; do
	traced $program
	if ldd $program 2>&1 | grep -q libwaymark; then
		fail "$program needs the shared library"
	fi
done

WAYMARK_TRACE="control=$tmp/monitor.sock" ./program-static 2>out
grep -q 'waymark_monitor_start' out || fail "not said what to link for the monitor: $(cat out)"
WAYMARK_TRACE="control=$tmp/none/monitor.sock" ./program-monitored 2>out
grep -q "$tmp/none" out || fail "the monitor that is linked was not asked: $(cat out)"

if command -v rustc >/dev/null; then
	block rust Rust >main.rs
	block sh Rust >commands
	sh -e commands
	traced ./program
else
	echo "rustc is not installed: not tested with it"
fi

echo 'plug_work(int n) "n %d"' >trace-events
generate plug trace-events
cat >plug.c <<'END'
#include "trace-plug.h"

void plug(void);
void plug(void)
{
	trace_plug_work(3);
}
END
cat >host.c <<'END'
#include <dlfcn.h>

int main(void)
{
	void *handle = dlopen("./plug.so", RTLD_NOW);
	void (*plug)(void) = handle ? (void (*)(void))dlsym(handle, "plug") : 0;

	if (!plug) {
		return 1;
	}
	plug();
	return dlclose(handle);
}
END
block sh Plug-ins >commands
sh -e commands
cc host.c -o host
WAYMARK_TRACE='plug_*,ctf.file=plug.ctf' ./host 2>log || fail "the host of the plug-in fails: $(cat log)"
"$waymark" print plug.ctf | grep -q ' plug_work n 3$' || fail "the plug-in is not traced: $(cat log)"
