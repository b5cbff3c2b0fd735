#!/bin/sh
# SPDX-License-Identifier: MIT
# Times of a fuzzer's runs are added up, and its corpus is kept: fuzz.sh LONG-RUNS BUILD
set -eu
runs=$1
build=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fuzz() {
	"$runs" "$build" --results="$tmp/results" --corpora="$tmp/corpora" --fuzzer=tree --fuzz="$1" fuzz
}

fuzz 1 >"$tmp/out"
if grep '^fuzz tree: skipped' "$tmp/out"; then
	exit 77
fi
kept=$(ls "$tmp/corpora/tree" | wc -l)
[ "$kept" -gt 0 ]
fuzz 3 >"$tmp/out"
fuzz 3 >>"$tmp/out"
cat "$tmp/out"
[ "$(grep -c ' | fuzz tree | ' "$tmp/out")" = 1 ] # the third has no time left
[ "$(wc -l <"$tmp/results")" = 1 ]
grep ' | fuzz tree | [1-9][0-9]* | inputs [1-9][0-9]*, kept [1-9][0-9]* | passed$' "$tmp/results"
[ "$(ls "$tmp/corpora/tree" | wc -l)" -ge "$kept" ]
if "$runs" "$build" --results="$tmp/results" --fuzzer=none fuzz 2>"$tmp/said"; then
	exit 1
fi
grep 'not fuzz none' "$tmp/said"
