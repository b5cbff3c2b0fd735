#!/bin/sh
# SPDX-License-Identifier: MIT
# waymark/scope.h includes little: of libc only headers of types and string.h, and no header of
# Waymark's runtime.
#
#	header_is_light.sh TRACETOOL ROOT
. "$(dirname "$0")/../tracetool/lib.sh"

have gcc || { echo "skipped: gcc is missing"; exit 77; }
for backends in ctf nop; do
	for language in c c++; do
		echo '#include <waymark/scope.h>' | gcc -x $language -I"$include" -DWAYMARK_SCOPES=$backends -M - |
			tr ' \\' '\n\n' | grep "^$include" | sort -u >ours
		# Lines of code, macros included: comments cost a compiler nothing.
		lines=$(echo '#include <waymark/scope.h>' | gcc -x $language -I"$include" -DWAYMARK_SCOPES=$backends -E -dD - |
			awk -v ours="\"$include" '/^# [0-9]/ { is_ours = index($3, ours) == 1; next } is_ours && NF' | wc -l)
		echo "$backends, $language: $(wc -l <ours) headers of ours, $lines lines of code"
		[ "$(wc -l <ours)" -ge 1 ] && [ "$(wc -l <ours)" -le 14 ] || fail "$(cat ours)"
		[ "$lines" -le 770 ] || fail "$lines lines of code"
		cat $(cat ours) | sed -n 's/^#[ \t]*include[ \t]*<\([^>]*\)>.*/\1/p' | grep -v '^waymark/' | sort -u >libc
		for header in $(cat libc); do
			case $header in
			stdint.h | stddef.h | stdbool.h | inttypes.h | string.h | sys/types.h) ;;
			*) fail "waymark/scope.h pulls in <$header>" ;;
			esac
		done
		[ -s libc ] || fail 'no header of libc was seen: the test is blind'
	done
done
finish
