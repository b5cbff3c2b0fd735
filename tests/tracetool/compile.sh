#!/bin/sh
# SPDX-License-Identifier: MIT
# Events of every type, of 32 arguments, and of every backend, compile without a warning
# in every language and with every installed compiler, also with strict flags.
#
#	compile.sh TRACETOOL ROOT
. "$(dirname "$0")/lib.sh"

strict='-Wshadow -Wconversion -Wcast-qual -Wformat=2 -Wwrite-strings -Wundef'

printf 'many(int a1' >many.events
types='char short long int8_t uint16_t int64_t size_t bool'
n=1
while [ $n -lt 32 ]; do
	n=$((n + 1))
	printf ', %s a%s' "$(echo $types | cut -d' ' -f$((n % 8 + 1)))" $n
done >>many.events
echo ')' >>many.events
generate_c log,simple,syslog many many.events --max-args=32
generate_c log,simple types "$here/trace-events"
generate_c nop off "$here/trace-events"
toml=$here/golden/values.toml
generate_c ctf,ftrace,log,simple,syslog values "$toml"
generate_c nop values-off "$toml"
echo '#include "trace-off.h"
#include "trace-values-off.h"' >off-header.c
echo '#include "trace-types.h"
#include "trace-many.h"
#include "trace-values.h"' >header.c
sources='trace-types.c trace-many.c header.c trace-off.c off-header.c trace-values.c'
cp "$here/golden/values-ust-ust-events.h" trace-ust-values.h
cp "$here/golden/ust-ust-events.h" trace-ust-golden.h
for backend in $(usable); do
	generate_c "$backend" "$backend" "$here/golden/trace-events" --provider=golden \
		--ust-header=trace-ust-golden.h
	sources="$sources trace-$backend.c"
done
for backend in $(usable | grep -xE 'dtrace|ust'); do
	generate_c "$backend" "values-$backend" "$toml" --provider=golden \
		--ust-header=trace-ust-values.h
	sources="$sources trace-values-$backend.c"
done

{ compilers && compilers_of_32_bits; } | {
	while read -r compiler; do
		for source in $sources; do
			case $source$compiler in trace-*ust.c*-m32*) continue ;; esac # LTTng's headers
			echo "$compiler -c $source"
		done
	done
} >starts
[ "$(wc -l <starts)" -ge "$(echo $sources | wc -w)" ] || fail 'no compiler is here'
OPTIONS="$warnings $strict -I. -O1" I=$include xargs -P2 -I{} sh -c '
	{} $OPTIONS -I"$I" -o $$.o || {
		echo "FAILED: {}"
		exit 1
	}
	rm $$.o' <starts || fail 'not all of it compiles'
finish
