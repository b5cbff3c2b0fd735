#!/bin/sh
# SPDX-License-Identifier: MIT
# refused.sh PROGRAM CONDITIONS: compares the errors with refused.expected; UPDATE=1 writes it.
set -eu
program=$1
conditions=$2
expected=$(dirname "$0")/refused.expected
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$program" wide "$work/t.ctf" 1 1 <"$conditions" >"$work/said"
if [ -n "${UPDATE:-}" ]; then
	cp "$work/said" "$expected"
fi
diff -u "$expected" "$work/said"
