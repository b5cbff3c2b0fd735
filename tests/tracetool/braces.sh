#!/bin/sh
# SPDX-License-Identifier: MIT
# The generated code of events in TOML hands the runtime the right values and the
# right bytes (braces.c), with every compiler that is here.
. "$(dirname "$0")/lib.sh"

if [ "$(printf '\1\0' | od -An -tu2 | tr -d ' ')" != 1 ]; then
	echo "skipped: braces.c decodes little-endian records only"
	exit 77
fi
cp "$here/braces.c" "$here/stub_runtime.h" .
generate_c ctf,log,syslog values "$here/golden/values.toml"
for compiler in gcc clang; do
	have $compiler || continue
	for optimise in -O0 -O2 '-O1 -fsanitize=undefined -fno-sanitize-recover'; do
		$compiler -std=gnu11 $warnings $optimise -I"$include" -I. braces.c trace-values.c \
			-o values || fail "$compiler $optimise"
		./values >found || fail "$compiler $optimise: exit $?"
		diff -u "$here/braces.expected" found || fail "$compiler $optimise: values differ"
	done
done
finish
