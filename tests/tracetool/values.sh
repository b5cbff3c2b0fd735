#!/bin/sh
# SPDX-License-Identifier: MIT
# The generated code hands the runtime the right text and the right bytes for
# values of every type (values.c), with every compiler that is here.
. "$(dirname "$0")/lib.sh"

if [ "$(printf '\1\0' | od -An -tu2 | tr -d ' ')" != 1 ]; then
	echo "skipped: values.c decodes little-endian records only"
	exit 77
fi
cp "$here/values.c" "$here/stub_runtime.h" .
generate_c log,simple types "$here/trace-events"
for compiler in gcc clang; do
	have $compiler || continue
	for optimise in -O0 -O2 '-O1 -fsanitize=undefined -fno-sanitize-recover'; do
		$compiler -std=gnu11 $warnings $optimise -I"$include" -I. values.c trace-types.c \
			-o values || fail "$compiler $optimise"
		./values >found || fail "$compiler $optimise: exit $?"
		diff -u "$here/values.expected" found || fail "$compiler $optimise: values differ"
	done
done
finish
