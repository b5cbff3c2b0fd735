#!/bin/sh
# SPDX-License-Identifier: MIT
# CMake: the file of docs/building.md builds a program; unsupported projects fail at configure
# time with one error that says what to do; versions, components, and an installed tree that was
# moved: cmake-errors.sh ROOT BUILD
. "$(dirname "$0")/common.sh"

mkdir -p project/sub project/cache
cd project
block cmake >CMakeLists.txt
echo 'cache_flush(int n) "n %d"' >cache/trace-events
block 'c main.c' >main.c
quietly cmake -S . -B built "-DCMAKE_PREFIX_PATH=$installed"
quietly cmake --build built
records built/program 'cache_flush n 7'

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(errors C)
include(case.cmake)
END
echo 'a(int n) "n %d"' >a.events
echo 'int main(void) { return 0; }' >main.c
echo 'add_library(deep STATIC ../main.c)' >sub/CMakeLists.txt
echo 'find_package(Waymark REQUIRED)' >find

configures() { # WHAT [cmake arguments], of the case in standard input
	what=$1
	shift
	cat >case.cmake
	cmake -S . -B built "-DCMAKE_PREFIX_PATH=$installed" "$@" >out 2>&1 || fail "$what: $(cat out)"
}
refused() { # MESSAGE [cmake arguments]: one error, of the case in standard input
	message=$1
	shift
	cat >case.cmake
	! cmake -S . -B built "-DCMAKE_PREFIX_PATH=$installed" "$@" >out 2>&1 ||
		fail "taken, and should be \"$message\": $(cat case.cmake)"
	tr -s ' \n' ' ' <out | grep -qF -- "$message" || fail "no \"$message\": $(cat out)"
	[ "$(grep -c '^CMake Error' out)" -eq 1 ] || fail "not one error: $(cat out)"
}
call() { # TARGET ARGUMENTS: a program p and this call
	printf 'find_package(Waymark REQUIRED)\nadd_executable(p main.c)\nwaymark_generate(%s)\n' "$*"
}

call p FILES a.events | configures 'the smallest call'
cmake --build built >out 2>&1 || fail "$(cat out)"
grep -q 'WAYMARK_LOG' built/waymark/p/trace-p.c || fail "log is not the backend where none is named"
! grep -q 'WAYMARK_CTF' built/waymark/p/trace-p.c || fail "ctf is a backend where none is named"
call p FILES a.events BACKENDS ctf,simple | configures 'commas' -DWAYMARK_BACKENDS=log

# Every backend that this system can have, in a project without C.
mkdir cxx
printf '#include "trace-p.h"\nint main() { trace_a(7); }\n' >cxx/main.cc
cat >cxx/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(cxx CXX)
find_package(Waymark REQUIRED)
set(CMAKE_CXX_FLAGS "-Wall -Wextra -Werror")
add_executable(p main.cc)
waymark_generate(p FILES ../a.events PROVIDER provided)
END
all=ctf,simple,log,syslog,ftrace,hitrace
[ ! -e "/usr/include/$(gcc -print-multiarch)/sys/sdt.h" ] || all=$all,dtrace
! pkg-config --exists lttng-ust || all=$all,ust
quietly cmake -S cxx -B cxx/built "-DCMAKE_PREFIX_PATH=$installed" -DWAYMARK_BACKENDS=$all
quietly cmake --build cxx/built --parallel 2
case $all in
*dtrace*) readelf -n cxx/built/p | grep -q 'Provider: provided' || fail 'PROVIDER is not that of the probe' ;;
*) echo 'systemtap-sdt-dev is not installed: not tested with probes' ;;
esac
case $all in
*ust*) nm cxx/built/p | grep -q 'lttng_ust_tracepoint_provided___a$' || fail 'there is no tracepoint' ;;
*) echo 'liblttng-ust-dev is not installed: not tested with it' ;;
esac

begin='waymark_generate(p):'
call p | refused "$begin FILES are missing"
call p FILES | refused "$begin a value is missing after FILES"
call p FILES '${EMPTY}' BACKENDS ctf | refused "$begin a value is missing after FILES"
call p FILES b.events | refused "$begin there is no $PWD/b.events"
call p FILES a.events BACKENDS | refused "$begin a value is missing after BACKENDS"
call p FILES a.events BACKENDS ctf bogus log | refused "$begin there is no backend 'bogus'; there are nop, ctf"
call p FILES a.events | refused "$begin there is no backend 'lgo'" -DWAYMARK_BACKENDS=lgo
call p a.events BACKENDS ctf | refused "$begin unknown argument 'a.events'; see" -DWAYMARK_BACKENDS=
call p FILES a.events GROUP "'a/b'" | refused "$begin GROUP ''a/b'' names a header: letters, digits"
call p FILES a.events PROVIDER 1st | refused "$begin PROVIDER '1st' is not an identifier of C"
{ call p FILES a.events; echo 'waymark_generate(p FILES a.events)'; } | refused "$begin it has a group 'p' already"
{ cat find; echo 'waymark_generate(nosuch FILES a.events)'; } | refused 'waymark_generate(nosuch): there is no such target'
{ call p FILES a.events; printf 'add_executable(q ALIAS p)\nwaymark_generate(q FILES a.events)\n'; } |
	refused 'waymark_generate(q): is an alias of p'
{ cat find; printf 'add_custom_target(docs)\nwaymark_generate(docs FILES a.events)\n'; } |
	refused 'waymark_generate(docs): nothing is compiled for this target'
{ cat find; printf 'add_library(i INTERFACE)\nwaymark_generate(i FILES a.events)\n'; } |
	refused 'waymark_generate(i): nothing is compiled for this target'
{ cat find; echo 'waymark_generate(Waymark::waymark FILES a.events)'; } |
	refused 'waymark_generate(Waymark::waymark): nothing is compiled for this target'
{ cat find; printf 'add_subdirectory(sub)\nwaymark_generate(deep FILES a.events)\n'; } |
	refused "waymark_generate(deep): call it in the directory of the target, $PWD/sub"

# Missing dependencies of backends, independent of this system.
call p FILES a.events BACKENDS ftrace | sed '1i set(CMAKE_SYSTEM_NAME FreeBSD)' |
	refused "$begin backend ftrace: not available on FreeBSD"
for row in 'dtrace sys/sdt.h systemtap-sdt-dev' 'syslog syslog.h libc6-dev'; do
	set -- $row
	call p FILES a.events BACKENDS $1 | sed '1i set(CMAKE_REQUIRED_FLAGS -nostdinc)' |
		refused "$begin backend $1: <$2> is missing; install $3"
done
call p FILES a.events BACKENDS ctf ust | sed '1i set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_CURRENT_SOURCE_DIR})' |
	sed '1i set(ENV{PKG_CONFIG_PATH} ${CMAKE_CURRENT_SOURCE_DIR})' |
	refused "$begin backend ust: lttng-ust >=2.13 is missing; install liblttng-ust-dev"

# Versions and components.
echo 'find_package(Waymark 0.1.0 EXACT REQUIRED COMPONENTS reader monitor tracetool)' |
	configures 'this version, all components'
for version in 0.1 0 0.1...0.9 0.0.5...1; do
	echo "find_package(Waymark $version REQUIRED)" | configures "version $version"
done
for version in 0.2 1 0.0 0.1.1 0.1.0.1 '0.0.5...<0.1' '0.2...0.9'; do
	echo "find_package(Waymark $version REQUIRED)" | refused 'version: 0.1.0'
done
echo 'find_package(Waymark REQUIRED COMPONENTS reader bogus)' |
	refused 'it has no component bogus; it has reader, monitor, tracetool'
printf 'set(CMAKE_SIZEOF_VOID_P 2)\nfind_package(Waymark REQUIRED)\n' | refused 'version: 0.1.0 ('

# In another place: all components, some components, and through a link like /lib.
cp -R "$installed" moved
ln -s moved/lib lib
cat >libraries.cmake <<'END'
find_package(Waymark REQUIRED)
foreach(name waymark waymark-static reader reader-static monitor monitor-static)
  get_target_property(at Waymark::${name} IMPORTED_LOCATION)
  if(NOT EXISTS ${at} OR NOT at MATCHES "/moved/")
    message(FATAL_ERROR "${name} at ${at}")
  endif()
endforeach()
if(NOT WAYMARK_TRACETOOL MATCHES "/moved/bin/")
  message(FATAL_ERROR "tracetool is ${WAYMARK_TRACETOOL}")
endif()
END
for place in "$PWD/moved" "$PWD"; do
	configures "found below $place" "-DWaymark_DIR=" "-DCMAKE_PREFIX_PATH=$place" <libraries.cmake
done
rm moved/bin/tracetool "$(find moved -name libwaymark-monitor.so)"
set -- "-DWaymark_DIR=" "-DCMAKE_PREFIX_PATH=$PWD/moved"
call p FILES a.events | refused "$begin tracetool is missing" "$@"
echo 'find_package(Waymark REQUIRED COMPONENTS monitor)' |
	refused 'its component monitor is not installed below' "$@"
echo 'find_package(Waymark REQUIRED COMPONENTS tracetool)' |
	refused 'its component tracetool is not installed below' "$@"
printf 'find_package(Waymark COMPONENTS bogus)\nif(Waymark_FOUND)\nmessage(FATAL_ERROR found)\nendif()\n' |
	configures 'not required, not found' "$@"

# A tracetool for another machine does not run here.
printf 'set(CMAKE_CROSSCOMPILING TRUE)\nset(CMAKE_PROGRAM_PATH)\n' >cross
{ cat cross; call p FILES a.events; } | configures 'cross, with one in PATH' "$@"
grep -q "^WAYMARK_TRACETOOL:.*=$installed/bin/tracetool" built/CMakeCache.txt || fail "cross: it is another tracetool"
