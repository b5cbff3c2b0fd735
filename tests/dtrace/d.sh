#!/bin/sh
# SPDX-License-Identifier: MIT
# dtrace(1) accepts the provider in D: with all types of arguments and, if they are installed,
# with QEMU's declarations, which also give a script for bpftrace, and sources with a note for
# each probe (5.0).
#
#	d.sh TRACETOOL ROOT LIBWAYMARK
. "$(dirname "$0")/lib.sh"
need gcc dtrace readelf nm

# make_d OUTPUT PROVIDER FILE...
make_d()
{
	output=$1
	provider=$2
	shift 2
	"$tracetool" --format=d --backends=dtrace --group=test --provider="$provider" \
		--output="$output" "$@" 2>/dev/null || fail "$output"
}

# takes FILE PROVIDER COUNT: dtrace(1) makes COUNT probes and semaphores from FILE
takes()
{
	for parser in '' --no-pyparsing; do
		[ "$parser" ] || [ "$3" -lt 100 ] || continue # that many take long
		dtrace $parser -h -s "$1" -o out.h >messages 2>&1 && [ ! -s messages ] ||
			fail "dtrace $parser -h $1: $(head -n 5 messages)"
		found=$(grep -cE "^DTRACE_PROBE[0-9]* ?\($2, ?[a-zA-Z0-9_]+" out.h)
		[ "$found" -eq "$3" ] || fail "dtrace $parser -h $1: $found probes, not $3"
	done
	[ "$3" -lt 100 ] || return 0
	dtrace -G -s "$1" -o out.o >messages 2>&1 || fail "dtrace -G $1: $(cat messages)"
	[ "$(nm out.o | grep -c " [A-Z] $2_.*_semaphore")" -eq "$3" ] || fail "dtrace -G $1: semaphores"
}

make_d test.d test "$here_dtrace/trace-events"
takes test.d test 10
cat >expected <<'E_O_D'
	probe keywords(int self_, int string_, int64_t n, void *p, int8_t s);
E_O_D
grep 'probe keywords' test.d | diff expected - || fail 'keywords and types of D'
grep -q 'probe done();' test.d || fail 'no arguments'
! grep -q never test.d || fail 'a disabled event has a probe'
make_d types.d types "$here/trace-events"
takes types.d types "$(grep -cE '^[a-z]' "$here/trace-events" | awk '{ print $1 - 1 }')"
make_d golden.d golden "$here/golden/trace-events"
takes golden.d golden 13

echo 'disable off(int n) "%d"' >off.events
make_d off.d off off.events
[ -f off.d ] && [ ! -s off.d ] || fail 'no event is on, and there is text'

# The object of dtrace(1) can be linked to a program that already has the probes.
cp "$here_dtrace"/trace-events .
for format in h c; do
	"$tracetool" --format=$format --backends=dtrace --group=test --output=trace-test.$format \
		trace-events || fail $format
done
dtrace -G -s test.d -o test-d.o && build program gcc -O2 test-d.o || fail 'linked with dtrace -G'
./program plain 1 || fail 'linked with dtrace -G: run'

"$tracetool" --format=bpftrace --backends=dtrace --group=test trace-events >out 2>err &&
	fail 'bpftrace without --binary'
grep -q -- '--binary is required' err || fail "bpftrace without --binary: $(cat err)"

old=$data/qemu-5.0
new=$data/qemu-simpletrace/trace-events-all-10.2-i386-softmmu
if [ ! -d "$old" ] || [ ! -f "$new" ]; then
	echo "not tested: no QEMU declarations under $data"
	finish
fi

# qemu NAME FILE...: generates one source, provider and script for all files
qemu()
{
	name=$1
	shift
	for format in h c d bpftrace; do
		"$tracetool" --format=$format --backends=dtrace --group=$name --provider=qemu \
			--binary=/usr/bin/qemu-system-x86_64 --output=trace-$name.$format "$@" \
			2>/dev/null || fail "$name: $format"
	done
	probes=$(grep -c '^	probe ' trace-$name.d)
	[ "$probes" -gt 2000 ] || fail "$name: $probes probes"
	[ "$(grep -c '^usdt:' trace-$name.bpftrace)" -eq "$probes" ] || fail "$name: the script"
	[ "$(grep -c "BPFTRACE_MAX_PROBES=$probes" trace-$name.bpftrace)" -eq 3 ] ||
		fail "$name: the script does not say how to have so many probes"
	takes trace-$name.d qemu "$probes"
}

# notes NAME: the program of those sources has as many probes as the provider in D
notes()
{
	name=$1
	gcc -std=c99 -O0 $warnings -I"$include" -I. -c trace-$name.c && echo 'int main(void) { return 0; }' |
		gcc -x c - -x none trace-$name.o "$library" -o qemu || fail "$name: compile"
	[ "$(readelf -n qemu 2>/dev/null | grep -c 'Provider: qemu')" -eq "$probes" ] || fail "$name: notes"
	./qemu || fail "$name: run"
}

qemu old $(find "$old" -type f | sort)
notes old
qemu new "$new"
finish
