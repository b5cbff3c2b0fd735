#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/abi reports additions to a library, and fails for changes that may break programs: a
# removed function, a changed struct or number of public headers: abi.sh ROOT
set -eu
root=$(realpath -e "$1")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
command -v abidw >/dev/null || { echo "abigail-tools is not installed"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "the ABI is compared on x86-64"; exit 77; }

# A tree of small libraries instead of Waymark's.
cd "$tmp"
mkdir -p tools packaging/abi include/waymark debian build/src/rt build/src/mon build/src/api build/packaging
cp "$root/tools/abi" tools
cp "$root/packaging/abi/private.suppr" packaging/abi
printf "project('small', 'c',\n  version: '0.1.0',\n)\nsoversion = '0'\n" >meson.build
: >debian/libwaymark0.symbols
header='struct thing { int first; long second; }; int waymark_take(struct thing *t); int waymark_more(void);'
take='int waymark_take(struct thing *t) { return t->first; }'
more='int waymark_more(void) { return 1; }'
names='waymark_take; waymark_more;'
room=16

# build [FLAGS]: builds the libraries from the variables above.
build() {
	echo "$header" >include/waymark/thing.h
	echo "WAYMARK_0 { global: $names local: *; };" >map
	echo "#include <waymark/thing.h>
$take
$more" | cc "${1--g}" -Iinclude -shared -fPIC -xc - -o build/src/rt/libwaymark.so -Wl,--version-script=map -Wl,-soname,libwaymark.so.0
	echo "char constants[$room];" | cc -g -shared -xc - -o build/packaging/libwaymark-generated.so
	for library in mon/libwaymark-monitor api/libwaymark-reader; do
		echo 'int same;' | cc -g -shared -xc - -o "build/src/$library.so"
	done
}

fail() {
	echo "$*"
	cat out
	exit 1
}

# refused TEXT WHAT: tools/abi fails with TEXT and a remedy.
refused() {
	if tools/abi build >out 2>&1; then
		fail "$2: not refused"
	fi
	grep -q "$1" out || fail "$2: not told"
	grep -q 'raise `soversion`' out || fail "$2: not said what to do"
}

passes() {
	tools/abi build >out 2>&1 || fail "$*: refused"
}

build
tools/abi build --update
passes "nothing changed"
[ ! -s out ] || fail "nothing changed, and it talks"
grep -q '^ waymark_take@WAYMARK_0 0.1.0$' debian/libwaymark0.symbols || fail "no list of symbols"

was=$names more= names='waymark_take;'
build
refused 'waymark_more' "a function that went"
more='int waymark_more(void) { return 1; }' names=$was

was=$header header=$(echo "$header" | sed 's/int first;/int first; int other;/; s/$/ /')
build
refused 'int other' "a struct that changed"
header=$was room=24
build
refused '16 to 24' "a number that changed"
room=16

more="$more int waymark_new(void); int waymark_new(void) { return 2; }" names="$names waymark_new;"
build
passes "a function that came"
grep -q 'waymark_new' out || fail "a function that came: not told"
sed -i 's/0.1.0/0.2.0/' meson.build
tools/abi build --update
grep -q '^ waymark_take@WAYMARK_0 0.1.0$' debian/libwaymark0.symbols || fail "an old function came anew"
grep -q '^ waymark_new@WAYMARK_0 0.2.0$' debian/libwaymark0.symbols || fail "the new function's version"

build -g0
status=0
tools/abi build >out 2>&1 || status=$?
[ $status = 77 ] && grep -q 'debug information' out || fail "without debug information: $status"
