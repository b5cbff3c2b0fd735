#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a program in a fresh folder of make_traces.py's traces: in_traces.sh TESTS PROGRAM [ARGUMENT...]
set -eu
tests=$(realpath "$1")
program=$(realpath "$2")
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$tests/make_traces.py" "$work"
cp "$tests/golden/trace-events" "$work"
cd "$work"
"$program" "$@"
