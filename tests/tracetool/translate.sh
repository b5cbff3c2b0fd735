#!/bin/sh
# SPDX-License-Identifier: MIT
# Events of translated code, with a translator of translate.c: one half fires at translation;
# a call of the other is translated only while that is on for the CPU, and fires with the
# CPU and the values of each execution; every type of argument arrives, in C and C++.
# Unused headers, and headers of disabled events, make no warning.
#
#	translate.sh TRACETOOL ROOT
. "$(dirname "$0")/lib.sh"

strict='-Wshadow -Wconversion -Wcast-qual -Wformat=2 -Wwrite-strings -Wundef'

# generate GROUP BACKENDS: makes trace-GROUP.h, .c and GROUP/trace-tcg.h
generate()
{
	generate_c "$2" "$1" "$here/translate.events" '--vcpu-type=struct hart *'
	mkdir "$1"
	"$tracetool" --format=translate-h --backends="$2" --group="$1" \
		'--vcpu-type=struct hart *' "$here/translate.events" "$1/trace-tcg.h" ||
		fail "translate-h for $2"
}

cp "$here/translate.c" "$here/translate_host.h" "$here/translated.h" .
generate on log
generate off nop
echo '#include "trace-tcg.h"' >idle.c
# Links without the runtime and without waymark_translate_call().
cat >off.c <<-E_O_F
	#include "trace-tcg.h"
	int main(void)
	{
		trace_nothing_tcg();
		trace_baz_tcg(NULL, 0, 1);
		return 0;
	}
E_O_F

compilers_of_32_bits >compilers32
while read -r compiler; do
	$compiler $warnings $strict -I"$include" -I. -Ion -c idle.c -o idle.o || fail "$compiler idle.c"
done <compilers32

compilers | {
	while read -r compiler; do
		flags="$warnings $strict -O1 -I$include -I."
		$compiler $flags -Ion -c idle.c -o idle.o || fail "$compiler idle.c"
		$compiler $flags -Ioff -c idle.c -o idle.o || fail "$compiler idle.c, off"
		$compiler $flags -Ioff off.c -o idle && ./idle || fail "$compiler off.c"
		$compiler $flags -Ion -DHOST='"translate_host.h"' translate.c trace-on.c -o translate || {
			fail "$compiler translate.c"
			continue
		}
		./translate >found || fail "$compiler: exit $?"
		diff -u "$here/translate.expected" found || fail "$compiler: what is printed differs"
	done
	finish
}
