#!/bin/sh
# SPDX-License-Identifier: MIT
# Calls tracetool like QEMU's build: a group for each directory, one provider for all, a plain
# tapset for each program, and the two printing tapsets without a program. Notes, dtrace(1)'s
# provider, SystemTap and bpftrace use the provider's name of --provider.
#
#	provider.sh TRACETOOL ROOT LIBWAYMARK
library=$(realpath "$3")
export LD_LIBRARY_PATH="${library%/*}"
. "$(dirname "$0")/lib.sh"
for command in readelf dtrace; do
	have $command || skip "$command is missing"
done

echo 'io_read(int fd, const char *path) "fd %d path %s"' >io.events
echo 'net_send(uint64_t bytes) "bytes %" PRIu64' >net.events
cat >main.c <<'END'
#include "trace-io.h"
#include "trace-net.h"

int main(void)
{
	trace_io_read(3, "/dev/null");
	trace_net_send(1024);
	return 0;
}
END

# program NAME OPTION...: builds a program of both groups with its tapset in the folder NAME
program()
{
	name=$1
	shift
	mkdir "$name"
	for group in io net; do
		for format in h c d; do
			"$tracetool" --format=$format --backend=log,dtrace --group=$group "$@" \
				$group.events "$name/trace-$group.$format" || fail "$name: $format"
		done
	done
	gcc $tsan -O1 $warnings -I"$include" -I"$name" main.c "$name"/trace-*.c "$library" \
		-o "$name/program" || fail "$name: gcc"
	prefix="--group=all --probe-prefix=qemu.system.$name"
	"$tracetool" --format=stap --backend=log,dtrace $prefix --binary="$tmp/$name/program" "$@" \
		io.events net.events "$name/plain.stp" || fail "$name: stap"
	for format in log simpletrace; do
		"$tracetool" --format=$format-stap --backend=log,dtrace $prefix --binary= "$@" \
			io.events net.events "$name/$format.stp" || fail "$name: $format-stap"
	done
	"$tracetool" --format=bpftrace --backend=log,dtrace --group=all "$@" \
		--binary="$tmp/$name/program" io.events net.events "$name/script.bt" || fail "$name: bpftrace"
}

# providers NAME: prints the providers in the notes, once each
providers()
{
	readelf -n "$1/program" 2>/dev/null | sed -n 's/.*Provider: //p' | sort -u | tr '\n' ' '
}

# resolved NAME PROBES COUNT: SystemTap finds COUNT marks for the probes
resolved()
{
	systemtap -p2 -I "$1" -e "probe qemu.system.$1.$2 { }" >found 2>err
	[ "$(grep -c '^process(' found)" -eq "$3" ] || fail "$1: $2: not $3 marks: $(cat found err)"
}

program qemu --provider=qemu
[ "$(providers qemu)" = 'qemu ' ] || fail "notes of $(providers qemu)"
for group in io net; do
	dtrace -h -s qemu/trace-$group.d -o probes.h || fail "dtrace: $group"
	grep -q '^#define QEMU_' probes.h || fail "dtrace: $group has another provider"
done
resolved qemu 'log.*' 2
resolved qemu 'simpletrace.*' 2
grep -q 'provider("qemu")' qemu/plain.stp || fail 'the plain tapset names no provider'
grep -qE 'provider|process' qemu/log.stp qemu/simpletrace.stp && fail 'a program without --binary'
[ "$(grep -c "^usdt:$tmp/qemu/program:qemu:" qemu/script.bt)" -eq 2 ] || fail 'the script'

# An empty --binary for the plain tapset means the program that stap runs.
"$tracetool" --format=stap --backend=log,dtrace $prefix --binary= --provider=qemu \
	io.events net.events qemu/plain.stp || fail 'stap without a program'
systemtap -p2 -I qemu -c "$tmp/qemu/program" -e 'probe qemu.system.qemu.log.* { }' >found 2>err
[ "$(grep -c '^process(' found)" -eq 2 ] || fail "stap -c: $(cat found err)"

# Without the option the provider is the group; a tapset of another provider finds no probe.
program groups
[ "$(providers groups)" = 'io net ' ] || fail "notes of $(providers groups)"
resolved groups 'log.*' 2
"$tracetool" --format=stap --backend=log,dtrace $prefix --binary="$tmp/groups/program" \
	--provider=qemu io.events net.events groups/plain.stp || fail 'stap of another provider'
resolved groups 'log.*' 0

if ! have bpftrace || ! bpftrace -e 'BEGIN { exit(); }' >probe 2>&1; then
	echo 'not tested: bpftrace cannot run here'
	finish
fi
timeout 60 bpftrace -c "$tmp/qemu/program" qemu/script.bt >printed 2>err || fail "bpftrace: $(cat err)"
grep -q ' io_read fd 3 path /dev/null$' printed && grep -q ' net_send bytes 1024$' printed ||
	fail "bpftrace prints $(cat printed)"
finish
