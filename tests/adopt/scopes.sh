#!/bin/sh
# SPDX-License-Identifier: MIT
# Every way to adopt Waymark gives the compiler the same default backends of trace points:
# scopes.sh ROOT BUILD
. "$(dirname "$0")/common.sh"

wanted=-DWAYMARK_SCOPES_DEFAULT=$(pkg-config --variable=scopes waymark)

# says WAY FILE: FILE must contain exactly the wanted line
says() {
	said=$(grep -o -e '-DWAYMARK_SCOPES_DEFAULT=[a-z,]*' "$2" | sort -u)
	[ "$said" = "$wanted" ] || fail "$1: '$said', not '$wanted'"
}

pkg-config --cflags waymark >flags
says 'pkg-config, for make and meson' flags
pkg-config --define-variable=scopes=ctf,log --cflags waymark >flags
grep -q -e '-DWAYMARK_SCOPES_DEFAULT=ctf,log' flags || fail "pkg-config, with others: $(cat flags)"

# blockcache uses Waymark like any project that has it as a subproject.
python3 -c 'import json, sys
for made in json.load(sys.stdin):
    if "examples/blockcache/" in made["file"]:
        print(made["command"])' <"$build/compile_commands.json" >flags
says 'meson, subproject' flags

command -v cmake >/dev/null || { echo "skipped: cmake is missing"; exit 77; }
for library in waymark waymark-static; do
	mkdir $library
	cat >$library/CMakeLists.txt <<-END
		cmake_minimum_required(VERSION 3.20)
		project(points C)
		set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
		find_package(Waymark REQUIRED)
		add_executable(points points.c)
		target_link_libraries(points Waymark::$library)
	END
	echo 'int main(void) { return 0; }' >$library/points.c
	quietly cmake -DCMAKE_PREFIX_PATH="$installed" -S $library -B $library/built
	says "CMake, $library" $library/built/compile_commands.json
done
