#!/bin/bash
# SPDX-License-Identifier: MIT
# An event or a provider named like a macro of a backend's headers is refused, for every
# such macro that the compiler lists: macros.sh TRACETOOL ROOT
. "$(dirname "$0")/lib.sh"

grep -q '^VERSION_ID="12"' /etc/os-release && grep -q '^ID=debian' /etc/os-release || {
	echo 'skipped: src/emit/macros.def is of the headers of Debian 12'
	exit 77
}

# found SOURCE: prints the macros without arguments that the compiler sees in an event's code
found()
{
	while read -r compiler; do
		$compiler -D_GNU_SOURCE -E -dM -I"$include" -I. "$1"
	done <list | sed -n 's/^#define \([A-Za-z][A-Za-z0-9_]*\) .*/\1/p' | grep -v '^TRACE_\|^waymark_emit_'
}

# said BACKEND: prints the refused names; not all errors of a file are shown
said()
{
	for part in part-*; do
		"$tracetool" --format=h --backends="$1" --group=g "$part" - 2>&1 >/dev/null
	done | sed -n "s/.* error: <.*>, which the backend $1 includes, reserves '\(.*\)' for a macro$/\1/p" |
		sort
}

compilers >list
echo 'one(void)' >a
"$tracetool" --format=h --backends=ust,dtrace --group=g a trace-g.h
for backend in dtrace ust; do
	"$tracetool" --format=c --backends=$backend --group=g a trace-g.c
	for format in h c; do
		"$tracetool" --format=ust-events-$format --backends=ust --group=g a trace-ust-g.$format
	done
	{
		found trace-g.c
		[ $backend = dtrace ] || found trace-ust-g.c
	} | sort -u >macros
	[ "$(wc -l <macros)" -gt 200 ] || fail "$backend: only $(wc -l <macros) macros were seen"
	sed 's/$/(void)/' macros | split -l 40 - part-
	said $backend >refused
	comm -23 macros refused >missing
	[ ! -s missing ] || fail "$backend: not in src/emit/macros.def:" $(cat missing)
	for part in part-*; do
		"$tracetool" --format=h --backends=log --group=g "$part" - >/dev/null || fail "$backend: $part"
		rm "$part"
	done
done
finish
