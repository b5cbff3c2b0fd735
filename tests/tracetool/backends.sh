#!/bin/sh
# SPDX-License-Identifier: MIT
# Each pair of tracetool's backends, and all of them, work in one program, where an event
# can be on for some backends and off for others; by default it is switched for all.
#
#	backends.sh TRACETOOL ROOT LIBWAYMARK
library=$(realpath "$3")
. "$(dirname "$0")/lib.sh"

if [ "${WAYMARK_SANITIZER-}" ]; then
	echo "skipped: the programs are built without sanitizers"
	exit 77
fi
export LD_LIBRARY_PATH="${library%/*}"
printf 'a_x(int value) "%%d"\na_y(const char *name) "%%s"\n' >two.events
cp "$here/backends.c" .

# extra BACKENDS: generates and links files besides the header and the source
extra()
{
	case ,$1, in
	*,ust,*)
		for end in h c; do
			"$tracetool" --format=ust-events-$end --backends="$1" --group=two \
				--always -o trace-ust-two.$end two.events || fail "$1: ust-events-$end"
		done
		echo trace-ust-two.c -llttng-ust -ldl
		;;
	esac
}

# check BACKENDS: builds and runs the program for them; it prints the backends that it can switch
check()
{
	for format in h c; do
		"$tracetool" --format=$format --backends="$1" --group=two --always \
			-o trace-two.$format two.events || fail "$1: $format"
	done
	rm -rf trace.ctf trace.simple
	gcc $warnings -O1 -I"$include" -I. backends.c trace-two.c $(extra "$1") "$library" -o program ||
		fail "$1: gcc"
	WAYMARK_TRACE='ctf.file=trace.ctf,simple.file=trace.simple' ./program >found 2>said ||
		fail "$1: $(cat found)"
	echo "$1" | tr , '\n' | grep -vxE 'nop|ust|dtrace|hitrace' | sort >wanted
	if [ -s wanted ]; then
		sed -n 's/^switchable //p' found | tr ' ' '\n' | sort | diff wanted - ||
			fail "$1: other backends (>) can be switched than were chosen (<)"
	fi
}

usable >backends
[ "$(wc -l <backends)" -ge 4 ] || fail "only these can be compiled: $(cat backends)"
while read -r first; do
	sed "1,/^$first\$/d" backends >after
	while read -r second; do
		check "$first,$second" </dev/null
	done <after
done <backends
check "$(paste -sd, backends)"
finish
