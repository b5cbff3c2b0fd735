#!/bin/sh
# SPDX-License-Identifier: MIT
# The programs that are kept do what their sources say: those are built again, and
# behave alike. rebuild.sh RISCV GUEST PROGRAMS_TEST
set -eu
riscv=$(realpath "$1")
guest=$2
programs=$3
if ! command -v riscv64-linux-gnu-gcc >/dev/null; then
	echo "skipped: no riscv64-linux-gnu-gcc (Debian's gcc-riscv64-linux-gnu)"
	exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make -s -C "$guest" BUILD="$tmp"

for program in "$tmp"/*.elf "$tmp"/tests/*.elf; do
	kept=$guest/${program#"$tmp"/}
	[ -f "$kept" ] || { echo "$kept is missing: make -C examples/riscv/guest" && exit 1; }
done
for kept in "$guest"/*.elf "$guest"/tests/*.elf; do
	[ -f "$tmp/${kept#"$guest"/}" ] || { echo "$kept has no source" && exit 1; }
done

for test in "$tmp"/tests/*.elf; do
	"$riscv" "$test" || { echo "$test: check $? fails" && exit 1; }
done
"$programs" "$riscv" "$tmp"
