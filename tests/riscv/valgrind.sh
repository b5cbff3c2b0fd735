#!/bin/sh
# SPDX-License-Identifier: MIT
# Valgrind, and so what counts instructions, understands translated code, and misses nothing
# of its changes where it looks for them: valgrind.sh RISCV PROGRAMS
set -eu
if ! command -v valgrind >/dev/null; then
	echo 'skipped: valgrind is not installed'
	exit 77
fi
for program in hello tests/code; do
	timeout 100 valgrind -q --error-exitcode=99 --smc-check=all "$1" "$2/$program.elf"
done
