#!/bin/sh
# SPDX-License-Identifier: MIT
# The programs in the repository match their sources: programs built anew behave the same.
#
#	rebuild.sh RISCV PROGRAMS TESTS PROGRAMS_TEST
set -eu
riscv=$(realpath "$1")
if ! command -v riscv64-linux-gnu-gcc >/dev/null; then
	echo "skipped: no riscv64-linux-gnu-gcc (Debian's gcc-riscv64-linux-gnu)"
	exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# build FOLDER NAME: builds the programs; the repository must have the same ones
build() {
	make -s -C "$1" BUILD="$tmp/$2"
	for program in "$1"/*.elf "$tmp/$2"/*.elf; do
		name=$(basename "$program")
		[ -f "$1/$name" ] || { echo "$1/$name is missing: make -C $1" && exit 1; }
		[ -f "$tmp/$2/$name" ] || { echo "$1/$name has no source" && exit 1; }
	done
}
build "$2" programs
build "$3" tests

for test in "$tmp"/tests/*.elf; do
	"$riscv" "$test" || { echo "$test: check $? fails" && exit 1; }
done
"$4" "$riscv" "$tmp/programs"
