#!/bin/sh
# SPDX-License-Identifier: MIT
# A generated header includes little: of libc only headers of types, of Waymark at most 3
# headers and 350 lines, without the header's own events.
#
#	header_is_light.sh TRACETOOL ROOT
. "$(dirname "$0")/lib.sh"

if ! have gcc; then
	echo "skipped: gcc is missing"
	exit 77
fi
echo 'empty(void)' >one.events
"$tracetool" --format=h --backends=log,simple --group=one --output=trace-one.h one.events ||
	fail "no header"
echo '#include "trace-one.h"' >user.c
ours=$(gcc -std=gnu11 -I"$include" -I. -M user.c | tr ' \\' '\n\n' | grep "^$include" | sort -u)
count=$(echo "$ours" | wc -l)
lines=$(cat $ours trace-one.h | wc -l)
echo "$count headers of ours, $lines lines"
[ "$count" -ge 1 ] && [ "$count" -le 3 ] || fail "$count headers of ours:" $ours
[ "$lines" -le 350 ] || fail "$lines lines"

# Only headers of libc that Waymark's headers include directly may be included.
cat $ours trace-one.h | sed -n 's/^#[ \t]*include[ \t]*<\([^>]*\)>.*/\1/p' | sort -u >named
grep -v '^waymark/' named >libc
for header in $(cat libc); do
	case $header in
	stdint.h | stddef.h | stdbool.h | inttypes.h | sys/types.h) ;;
	*) fail "a generated header pulls in <$header>" ;;
	esac
done
[ -s libc ] || fail "no header of libc was seen: the test is blind"
finish
