#!/bin/sh
# SPDX-License-Identifier: MIT
# Two threads record a million nested scopes each: the reader pairs all of them without a
# mismatch; also while signal handlers begin and end scopes in between.
#
#	nested.sh NESTED PAIRS
set -u
nested=$(realpath "$1")
pairs=$(realpath "$2")
scopes=1000000
[ -z "${WAYMARK_SANITIZER-}" ] || scopes=30000
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
bad=0

# paired THREADS SCOPES [WAY]
paired() {
	rm -rf trace
	count=$(WAYMARK_TRACE='*,backend=ctf,file=trace,full=block,buffer=64M' "$nested" "$@") || bad=1
	"$pairs" "$count" trace || bad=1
}

paired 2 "$scopes"
paired 2 $((scopes / 10)) signals
# The check works: it refuses a trace with a wrong count of pairs.
if "$pairs" 7 trace >/dev/null; then
	echo "a wrong count passes"
	bad=1
fi
exit $bad
