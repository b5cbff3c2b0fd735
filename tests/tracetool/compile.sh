#!/bin/sh
# SPDX-License-Identifier: MIT
# The golden files, and an event of 32 arguments, compile without a warning in
# every language and with every compiler that is here, also with strict flags.
. "$(dirname "$0")/lib.sh"

strict='-Wshadow -Wconversion -Wcast-qual -Wformat=2 -Wwrite-strings -Wundef'

cp "$here"/golden/*.[ch] .
printf 'many(int a1' >many.events
types='char short long int8_t uint16_t int64_t size_t bool'
n=1
while [ $n -lt 32 ]; do
	n=$((n + 1))
	printf ', %s a%s' "$(echo $types | cut -d' ' -f$((n % 8 + 1)))" $n
done >>many.events
echo ')' >>many.events
for format in h c; do
	"$tracetool" --format=$format --backends=log,simple,syslog --group=many --max-args=32 \
		--output=trace-many.$format many.events || fail "32 arguments: $format"
done
echo '#include "nop-types.h"' >nop-header.c
echo '#include "trace-types.h"
#include "trace-many.h"' >header.c
sed -i 's/trace-types.h/nop-types.h/' nop-types.c
sed -i 's/trace-types.h/syslog-types.h/' syslog-types.c

{ compilers && compilers_of_32_bits; } | {
	while read -r compiler; do
		for source in trace-types.c trace-many.c nop-types.c syslog-types.c header.c nop-header.c; do
			$compiler $warnings $strict -I"$include" -I. -O1 -c $source -o out.o ||
				fail "$compiler $source"
		done
	done
	finish
}
