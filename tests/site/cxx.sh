#!/bin/sh
# SPDX-License-Identifier: MIT
# Trace points of C++: in inline functions and templates that several units and a plug-in share, in
# lambdas, members, constructors. Each is registered once in a program or library, has the expected
# records, ends its scope when an exception leaves it, and is unregistered and registered with its
# plug-in.
#
#	cxx.sh TRACETOOL ROOT LIBWAYMARK.SO LIBWAYMARK.A [COMPILER...]
shared=$(realpath "$3")
static=$(realpath "$4")
. "$(dirname "$0")/../tracetool/lib.sh"
libraries=$(dirname "$shared")
sources=$root/tests/site
warnings="$warnings -Wshadow -Wconversion -Wsign-compare"
shift 4

# build COMPILER [OPTION...]: builds ./cxx from both units
build()
{
	compiler=$1
	shift
	$compiler $warnings -DWAYMARK_SCOPES=ctf,log -I"$include" "$@" -c "$sources/cxx.cc" &&
		$compiler $warnings -DWAYMARK_SCOPES=ctf,log -I"$include" "$@" -c "$sources/cxx-other.cc"
}

plugin() # COMPILER [OPTION...]
{
	compiler=$1
	shift
	$compiler $warnings -DPLUGIN -DWAYMARK_SCOPES=ctf,log -I"$include" "$@" -fPIC -shared \
		"$sources/cxx-other.cc" -o plugin.so "$shared" || return
	# A unique symbol would prevent unloading.
	! readelf -Ws plugin.so | grep UNIQUE
}

# run EXPECTED [PLUGIN...]: checks the program's output, and the printed trace
run()
{
	expected=$1
	shift
	LD_LIBRARY_PATH=$libraries WAYMARK_TRACE='*,backend=log' ./cxx "$@" >out 2>err || fail "exit $?"
	sed -i 's/^[0-9]*@[0-9.]*://; s/^-*[0-9]* Net/Net/' err
	cat out err | diff "$expected" - || fail 'other events than expected'
}

# The plug-in is loaded twice, with the same result.
sed -n '/^with the plug-in/,/^Net/p' "$sources/cxx.expected" | sed '/^Net/d' >coming
sed -n '/^Net/,$p' "$sources/cxx.expected" >fired
sed '/^with the plug-in/,$d' "$sources/cxx.expected" >begins
{
	sed '/:caught/d; /:outer/d' begins # without exceptions
	sed '/outer/,/caught/d' fired
} >plain
sed -n '/^Net Enter: inline.*x: 2/,/^Net Exit: other/p;/^Net Exit: other/q' fired |
	sed -n '/x: 2/,$p' >second
cat begins coming coming fired second second >twice
cat begins fired >once

# The linker removes unreferenced sections, as lld does by default.
apart='-ffunction-sections -fdata-sections'
unused=-Wl,--gc-sections,-z,start-stop-gc

check() # COMPILER
{
	build $1 -std=c++11 -O0 && $1 cxx.o cxx-other.o -o cxx "$shared" -ldl && plugin $1 -std=c++11 -O0 &&
		run "$tmp/twice" ./plugin.so ./plugin.so || fail "$1 -O0"
	build $1 -std=c++14 -O2 -fPIE $apart && $1 -pie $unused cxx.o cxx-other.o -o cxx "$shared" -ldl &&
		plugin $1 -std=c++20 -O2 $apart $unused && run "$tmp/twice" ./plugin.so ./plugin.so || fail "$1 -O2 -pie"
	build $1 -std=c++17 -O3 -flto && $1 -O3 -flto cxx-other.o cxx.o -o cxx "$shared" -ldl &&
		run "$tmp/once" || fail "$1 -O3 -flto"
	[ -z "${WAYMARK_SANITIZER-}" ] || return 0 # it is in no static program
	build $1 -std=c++20 -Os -fno-exceptions -fno-rtti -fno-pie &&
		$1 -static cxx.o cxx-other.o -o cxx "$static" -lpthread 2>errors &&
		run "$tmp/plain" || fail "$1 -Os -static"
}

for compiler in "$@"; do
	have $compiler || { echo "skipped: $compiler is missing"; exit 77; }
	check $compiler
done
finish
