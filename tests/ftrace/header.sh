#!/bin/sh
# SPDX-License-Identifier: MIT
# A disabled event costs the same with ftrace as with log, because the call site is the same; the
# source compiles in every language: header.sh TRACETOOL ROOT
. "$(dirname "$0")/../tracetool/lib.sh"

for backend in ftrace log; do
	for format in h c; do
		"$tracetool" --format=$format --backends=$backend --group=types \
			--output=$backend.$format "$here/trace-events" || fail "$backend $format"
	done
done
cmp ftrace.h log.h || fail "the header depends on the backend"

cp ftrace.h trace-types.h
{ compilers && compilers_of_32_bits; } | {
	while read -r compiler; do
		$compiler $warnings -I"$include" -I. -O1 -c ftrace.c -o out.o || fail "$compiler"
	done
	finish
}
