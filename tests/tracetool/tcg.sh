#!/bin/sh
# SPDX-License-Identifier: MIT
# The four formats for hosts with QEMU's helpers, together in such a host (tcg_host.h): the
# events of translate.c fire as they do with translate-h; 32-bit guests, hosts of the older
# interface, and all tcg and vcpu events of QEMU 5.0 compile. In C only, like those hosts.
#
#	tcg.sh TRACETOOL ROOT
. "$(dirname "$0")/lib.sh"

strict='-Wshadow -Wconversion -Wformat=2 -Wwrite-strings -Wundef -Wcast-qual'
headers="-I$include -I. -Itcg_host"
cp -r "$here/translate.c" "$here/tcg_host.h" "$here/translated.h" "$here/tcg_host" .
mkdir tcg_host/trace

# generate BACKENDS EVENTS: makes all files of the host
generate()
{
	generate_c "$1" guest "$2"
	while read -r format file; do
		"$tracetool" --format="$format" --backends="$1" --group=guest "$2" \
			"tcg_host/trace/$file" || fail "$format for $1"
	done <<-E_O_F
		tcg-h generated-tcg-tracers.h
		tcg-helper-h generated-helpers.h
		tcg-helper-c generated-helpers.c
		tcg-helper-wrapper-h generated-helpers-wrappers.h
	E_O_F
	echo '#include "trace/generated-tcg-tracers.h"' >trace-tcg.h
}

c_compilers()
{
	! have gcc || echo 'gcc -std=gnu11'
	! have clang || echo 'clang -std=c99'
}

# compile WHAT SOURCE FLAG...: compiles with every compiler, without a warning
compile()
{
	what=$1 source=$2
	shift 2
	c_compilers >compilers
	while read -r compiler; do
		$compiler $warnings $strict $headers "$@" -c "$source" -o out.o ||
			fail "$compiler, $what: $source"
	done <compilers
}

helpers=tcg_host/trace/generated-helpers.c
echo '#include "tcg_host.h"
int main(void) { check_host(); (void)registers; execute(NULL); return 0; }' >idle.c

# A helper has at most 7 arguments: more are refused, with their position.
generate nop "$here/translate.events"
"$tracetool" --format=tcg-h --backends=log --group=guest "$here/translate.events" refused 2>said &&
	fail 'an event that no helper can have is taken'
grep -q "translate.events:5:5: error: 'wide_exec' has 10 arguments" said || fail "$(cat said)"
[ ! -e refused ] || fail 'there is a header with what no helper can have'
compile 'nop' $helpers
compile 'nop' idle.c

grep -v '^tcg wide' "$here/translate.events" >some.events
generate log some.events
compile 'guest of 32 bits' $helpers -DTARGET_LONG_BITS=32
compile 'guest of 32 bits' translate.c -DTARGET_LONG_BITS=32 "-DHOST=\"tcg_host.h\""
compile 'host before 4.1' $helpers -DOLD_HOST
c_compilers >compilers
while read -r compiler; do
	$compiler $warnings $strict $headers "-DHOST=\"tcg_host.h\"" translate.c trace-guest.c $helpers \
		-o translate && ./translate >found || fail "$compiler: translate.c"
	diff -u "$here/tcg.expected" found || fail "$compiler: what is printed differs"
done <compilers

if [ ! -d "$data/qemu-5.0" ]; then
	echo "skipped: no QEMU declarations under $data"
	[ $failures -ne 0 ] || exit 77
	finish
fi
(cd "$data/qemu-5.0" && grep -rhE '^(disable +|vcpu +|tcg +)*(vcpu|tcg) ' . | sort) >qemu.events
[ "$(wc -l <qemu.events)" -eq 6 ] || fail "$(wc -l <qemu.events) events of QEMU 5.0, not 6"
for backends in log nop; do
	generate $backends qemu.events
	"$tracetool" --format=translate-h --backends=$backends --group=guest qemu.events \
		translate-h.h || fail "translate-h for $backends"
	echo '#include "translate-h.h"' >translate-h.c
	compile "QEMU 5.0, $backends" $helpers
	compile "QEMU 5.0, $backends" idle.c
	compile "QEMU 5.0, $backends" trace-guest.c
	compile "QEMU 5.0, $backends" translate-h.c
done
finish
