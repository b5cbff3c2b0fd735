#!/bin/sh
# SPDX-License-Identifier: MIT
# A finding of a fuzz target fails its test and is not a skip: finding.sh ROOT
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/tests/fuzz" "$tmp/src"
echo '#include <stdlib.h>
#include <stddef.h>
int LLVMFuzzerTestOneInput(const char *data, size_t size);
int LLVMFuzzerTestOneInput(const char *data, size_t size) { if (data && size) abort(); return 0; }' \
	>"$tmp/tests/fuzz/fuzz_bad.c"
TMPDIR=$tmp FUZZ_SECONDS=60 "$1/tests/fuzz/fuzz.sh" "$tmp" bad >"$tmp/said"
status=$?
if [ $status -eq 77 ] && grep '^skipped' "$tmp/said"; then
	exit 77
fi
if [ $status -ne 1 ] || ! grep -q 'deadly signal' "$tmp/said"; then
	echo "a target that aborts ends with status $status:"
	cat "$tmp/said"
	exit 1
fi
