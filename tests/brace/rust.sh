#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares with a Rust program that prints random values with random placeholders.
#
#	[BRACE_SEED=N] rust.sh ROWS TESTS
rows=$1
tests=$2
least=1.89 # Debug of CStr as UTF-8, the last that changed
if ! command -v rustc >/dev/null; then
	echo "skipped: rustc is not installed"
	exit 77
fi
unset MALLOC_PERTURB_ # meson's: it slows rustc down
version=$(rustc --version | cut -d' ' -f2)
if [ "$(printf '%s\n%s\n' "$least" "$version" | sort -V | head -n 1)" != "$least" ]; then
	echo "skipped: rustc $version formats otherwise than $least and newer"
	exit 77
fi
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

seed=${BRACE_SEED:-$$}
echo "BRACE_SEED=$seed"
python3 "$tests/rust.py" "$seed" >"$work/rows.rs" || exit 1
rustc -A warnings -o "$work/rows" "$work/rows.rs" || exit 1
"$work/rows" >"$work/rows.tsv" || exit 1
"$rows" --hex "$work/rows.tsv" >"$work/log"
status=$?
tail -n 40 "$work/log"
exit $status
