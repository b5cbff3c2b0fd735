#!/bin/sh
# SPDX-License-Identifier: MIT
# CMake: find_package(Waymark) and waymark_generate(), with ninja and with make. Programs and
# libraries of every kind in C and C++ are traced, with several groups in one target and one group
# in several; generated files are made again when declarations, backends or tracetool change, and
# only then: cmake.sh ROOT BUILD GENERATOR
. "$(dirname "$0")/common.sh"
generator=$3

mkdir project project/trace
cd project
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(adopt C CXX)
find_package(Waymark 0.1 REQUIRED COMPONENTS tracetool)
set(CMAKE_C_FLAGS "-Wall -Wextra -Werror")
set(CMAKE_CXX_FLAGS "-Wall -Wextra -Werror")

add_library(io STATIC io.c)
waymark_generate(io FILES trace BACKENDS ctf,log)
add_library(net OBJECT net.c)
waymark_generate(net FILES net.events BACKENDS ctf)
add_library(shared SHARED shared.c)
waymark_generate(shared FILES cache.events BACKENDS ctf GROUP cache)

set(made ${CMAKE_CURRENT_BINARY_DIR}/made.events)
add_custom_command(OUTPUT ${made} DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/made.in
  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/made.in ${made})
add_executable(program main.c)
waymark_generate(program FILES cache.events ${made} GROUP cache BACKENDS ${BACKENDS})
waymark_generate(program FILES root.events)
target_link_libraries(program io net shared)

add_executable(mixed mixed.cc other.cc)
set_target_properties(mixed PROPERTIES UNITY_BUILD ON CXX_STANDARD 11)
waymark_generate(mixed FILES cache.events BACKENDS ctf GROUP cache STATIC)
waymark_generate(mixed FILES root.events BACKENDS ctf GROUP root STATIC)
END

source() { # FILE GROUP FUNCTION CALL
	printf '#include "trace-%s.h"\nvoid %s(void);\nvoid %s(void)\n{\n\t%s;\n}\n' \
		"$2" "$3" "$3" "$4" >"$1"
}
toml() { # EVENT
	printf '[[events]]\nname = "%s"\nargs = "n: u32"\nmessage = "{}"\nenabled = true\n' "$1" \
		>"trace/$1.toml"
}
toml io_first
echo 'net_send(int n) "n %d"' >net.events
echo 'cache_hit(int n) "n %d"' >cache.events
echo 'made_here(int n) "n %d"' >made.in
echo 'root_start(int n) "n %d"' >root.events
source io.c io io 'trace_io_first(1)'
source net.c net net 'trace_net_send(2)'
source shared.c cache shared 'trace_cache_hit(3)'
source other.cc root other 'trace_root_start(7)'
cat >main.c <<'END'
#include "trace-cache.h"
#include "trace-program.h"

void io(void);
void net(void);
void shared(void);

int main(void)
{
	trace_root_start(0);
	io();
	net();
	shared();
	trace_cache_hit(4);
	trace_made_here(5);
	return 0;
}
END
cat >mixed.cc <<'END'
#include "trace-cache.h"
void other();

int main()
{
	trace_cache_hit(8);
	other();
}
END

configure() { # [cmake arguments]
	quietly cmake -S . -B built -G "$generator" "-DCMAKE_PREFIX_PATH=$installed" "$@"
	! grep -i warning "$tmp/out" || fail "CMake warns: $(cat "$tmp/out")"
}
make_all() {
	quietly cmake --build built --parallel 4
	! grep -i warning "$tmp/out" || fail "a warning: $(cat "$tmp/out")"
}
makes_nothing() { # WHEN
	make_all
	! grep -qE 'Generating|Building|Linking' "$tmp/out" || fail "$1: made again: $(cat "$tmp/out")"
}
tick() { # until a file that is touched is newer than all that was built
	touch now
	while [ -n "$(find built -type f -newer now)" ] || [ ! now -nt built/program ]; do
		sleep 0.01
		touch now
	done
}

# A copy of tracetool that the test may touch.
cp "$installed/bin/tracetool" .
configure -DBACKENDS=ctf -DWAYMARK_BACKENDS=ctf "-DWAYMARK_TRACETOOL=$PWD/tracetool"
make_all
records built/program 'root_start n 0'
for line in 'io_first 1' 'net_send n 2' 'cache_hit n 3' 'cache_hit n 4' 'made_here n 5'; do
	grep -q " $line\$" "$tmp/events" || fail "no $line: $(cat "$tmp/events")"
done
(unset LD_LIBRARY_PATH; records built/program 'io_first 1')
records built/mixed 'cache_hit n 8'
grep -q ' root_start n 7$' "$tmp/events" || fail "not the second group: $(cat "$tmp/events")"
! readelf -d built/mixed | grep libwaymark || fail "STATIC takes the shared library"
grep -q '/\* root.events:1 \*/' built/waymark/program/trace-program.c || fail "not said where it is declared"
! grep -r "$tmp" built/waymark/program/*.[ch] || fail "places of this machine in what is generated"

# Files are made again when needed, and only then.
makes_nothing 'nothing changed'
tick
touch unrelated.c README trace-events
makes_nothing 'something else was touched'
touch io.c
make_all
! grep Generating "$tmp/out" || fail "a touched source makes it again"

tick
echo 'cache_hit(int n) "number %d"' >cache.events
echo 'made_here(int n) "maker %d"' >made.in
make_all
records built/program 'cache_hit number 3'
grep -q ' cache_hit number 4$' "$tmp/events" || fail "one of two targets is made again: $(cat "$tmp/events")"
grep -q ' made_here maker 5$' "$tmp/events" || fail "what a rule declares is not made again"
makes_nothing 'after changed declarations'

tick
toml io_second
source io.c io io 'trace_io_second(9)'
make_all
records built/program 'io_second 9'
rm trace/io_second.toml
tick
source io.c io io 'trace_io_first(10)'
touch trace
make_all
records built/program 'io_first 10'
! grep io_second built/waymark/io/trace-io.h || fail "the event of a file that is gone is there"
makes_nothing 'after a file came and went'

configure -DBACKENDS=log
make_all
logs built/program 'cache_hit number 4'
makes_nothing 'after other backends'

tick
touch tracetool
make_all
[ "$(grep -c Generating "$tmp/out")" -eq 14 ] || fail "a newer tracetool makes nothing again: $(cat "$tmp/out")"
