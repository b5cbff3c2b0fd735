#!/bin/sh
# SPDX-License-Identifier: MIT
# Every public header compiles alone as C99 and C++11, without a warning: headers.sh INCLUDE
set -eu
include=$1
status=0
compilers=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# try HEADER COMPILER LANGUAGE STANDARD
try() {
	command -v "$2" >/dev/null || return 0
	compilers=$((compilers + 1))
	printf '#include <%s>\nextern int not_empty;\n' "$1" |
		"$2" -x "$3" "-std=$4" -Wall -Wextra -Wpedantic -Werror -I"$include" \
			-fsyntax-only - || {
		echo "$1 does not compile alone with $2 as $4"
		status=1
	}
}

# The header's own error names the missing package; tests/ust checks that.
without=
if ! echo '#include <lttng/ust-version.h>' | cc -E - >/dev/null 2>&1; then
	echo "waymark/ust.h is not tested: liblttng-ust-dev is missing"
	without=waymark/ust.h
fi
for header in $(cd "$include" && find . -name '*.h' | sed 's,^\./,,' | grep -vxF "$without" | sort); do
	try "$header" gcc c c99
	try "$header" gcc c gnu11
	try "$header" g++ c++ c++11
	try "$header" clang c c99
	try "$header" clang++ c++ c++11
done
echo "$compilers compilations"
[ "$compilers" -gt 0 ] || exit 1
exit $status
