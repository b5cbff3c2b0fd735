#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs and plug-ins with code generated for an older or newer ABI run: their events stay off,
# with one warning, and events of other objects are recorded:
# old-object.sh TRACETOOL ROOT WAYMARK LIBWAYMARK.SO
set -eu
tracetool=$(realpath "$1")
root=$(realpath "$2")
waymark=$(realpath "$3")
library=$(realpath -s "$4")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

fail() {
	echo "$*"
	cat said 2>/dev/null || :
	exit 1
}

abi=$(sed -n 's/^#define WAYMARK_ABI \([0-9]*\)$/\1/p' "$root/include/waymark/descriptor.h")
[ "$abi" -gt 0 ] || fail "there is no number in waymark/descriptor.h"
older=$((abi - 1)) newer=$((abi + 1))
for number in $older $abi $newer; do
	mkdir "include-$number"
	cp -r "$root/include/." "include-$number"
	sed -i "s/^#define WAYMARK_ABI .*/#define WAYMARK_ABI $number/" \
		"include-$number/waymark/descriptor.h"
done

# Two units and a plug-in, each with an event.
for unit in first second plugin; do
	echo "$unit(int n) \"n %d\"" >"$unit.events"
	for format in h c; do
		"$tracetool" --format=$format --backends=ctf,simple,log --group=$unit "$unit.events" \
			"trace-$unit.$format"
	done
done
cat >main.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include "trace-first.h"
#include "trace-second.h"

int main(int argc, char **argv)
{
	void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	void (*run)(int) = plugin ? (void (*)(int))dlsym(plugin, "run") : NULL;

	for (int i = 0; i < 10; i++) {
		trace_first(i);
		trace_second(i);
		if (run) {
			run(i);
		}
	}
	return puts(run || argc == 1 ? "ran" : dlerror()) < 0;
}
END
cat >plugin.c <<'END'
#include "trace-plugin.h"

void run(int n);

void run(int n)
{
	trace_plugin(n);
}
END

# build NUMBER: program-NUMBER and plugin-NUMBER.so
build() {
	cc -std=gnu11 -O1 -I "include-$1" -I . -o "program-$1" main.c trace-first.c trace-second.c \
		"$library" -Wl,-rpath,"$(dirname "$library")" -ldl
	cc -std=gnu11 -O1 -fPIC -shared -I "include-$1" -I . -o "plugin-$1.so" plugin.c trace-plugin.c \
		"$library" -Wl,-rpath,"$(dirname "$library")"
}

# runs BACKEND PROGRAM [PLUGIN]: it must run to its end, even with events off.
runs() {
	backend=$1
	shift
	rm -rf out
	WAYMARK_TRACE="*,backend=$backend,$backend.file=$tmp/out" "$@" >printed 2>said ||
		fail "$*: status $?"
	[ "$(cat printed)" = ran ] || fail "$*: printed $(cat printed)"
}

# refused NAME NUMBER: exactly one message is printed, and it contains both.
refused() {
	line="waymark: $1: its events are off: it was built for trace ABI $2, and this libwaymark has $abi;"
	[ "$(grep -c "^$line generate and build it anew\$" said)" = 1 ] || fail "$1 is not refused by one line"
	[ "$(grep -vc 'so far' said)" = 1 ] || fail "there are other messages"
}

# recorded EVENT COUNT: checks a native trace.
recorded() {
	[ "$("$waymark" print out | grep -c " $1 n ")" = "$2" ] || fail "$1: not $2 events"
}

build "$abi"
runs ctf ./program-"$abi" ./plugin-"$abi".so
recorded first 10
recorded plugin 10
for number in $older $newer; do
	build "$number"
	for backend in ctf simple log; do
		runs $backend ./program-"$number"
		refused ./program-"$number" "$number"
		[ ! -s out ] || fail "$backend: something is recorded"
	done
	runs ctf ./program-"$abi" ./plugin-"$number".so
	refused ./plugin-"$number".so "$number"
	recorded first 10
	recorded second 10
	recorded plugin 0
	runs ctf ./program-"$number" ./plugin-"$abi".so
	refused ./program-"$number" "$number"
	recorded first 0
	recorded plugin 10
done
