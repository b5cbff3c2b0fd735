#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a program in a fresh folder of traces: in_traces.sh TESTS PROGRAM [ARGUMENT...]
set -eu
tests=$(realpath "$1")
program=$(realpath "$2")
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$tests/make_traces.py" "$work"
python3 "$tests/make_ctf.py" "$work"
cp "$tests/golden/trace-events" "$work"
cd "$work"
"$program" "$@"
