#!/bin/sh
# SPDX-License-Identifier: MIT
# The generated code passes the right values, text and bytes to the runtime, for every type: from
# trace-events declarations (values.c) or TOML (braces.c), with every installed compiler.
#
#	values.sh TRACETOOL ROOT values|braces
program=$3
. "$(dirname "$0")/lib.sh"

if [ "$(printf '\1\0' | od -An -tu2 | tr -d ' ')" != 1 ]; then
	echo "skipped: $program.c decodes little-endian records only"
	exit 77
fi
cp "$here/$program.c" "$here/stub_runtime.h" .
case $program in
values) generate_c log,simple types "$here/trace-events" ;;
braces) generate_c ctf,log,syslog values "$here/golden/values.toml" ;;
esac
for compiler in gcc clang; do
	have $compiler || continue
	for optimise in -O0 -O2 '-O1 -fsanitize=undefined -fno-sanitize-recover'; do
		$compiler -std=gnu11 $warnings $optimise -I"$include" -I"$root/src" -I. $program.c trace-*.c \
			"$root/src/rt/site/declared.c" -o program || fail "$compiler $optimise"
		./program >found || fail "$compiler $optimise: exit $?"
		diff -u "$here/$program.expected" found || fail "$compiler $optimise: values differ"
	done
done
finish
