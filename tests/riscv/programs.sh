#!/bin/sh
# SPDX-License-Identifier: MIT
# The guest's programs do what they say: programs.sh RISCV PROGRAMS [OPTION]
set -eu
riscv=$(realpath "$1")
guest=$2
option=${3:-}
. "$(dirname "$(realpath "$0")")/lib.sh"

# run STATUS ARGUMENT...: the output is in `out`
run() {
	wanted=$1
	shift
	status=0
	"$riscv" $option "$@" >out 2>err </dev/null || status=$?
	[ "$status" = "$wanted" ] || fail "$*: status $status, wanted $wanted: $(cat out err)"
}

run 0 "$guest/hello.elf"
[ "$(cat out)" = 'Hello from hart 0' ] || fail "hello: $(cat out)"

for harts in 1 2 3 4; do
	run 0 --harts $harts "$guest/harts.elf"
	[ "$(head -n 1 out)" = "harts $harts" ] || fail "$harts harts: $(cat out)"
	grep -qx "under the lock $((harts * 20000))" out || fail "$harts harts: $(cat out)"
done

# The padding of SHA-256, sectors, and chunks, up to their last byte and over it.
for bytes in 0 1 55 56 63 64 119 120 511 512 513 4095 4096 4097 16384 16385 200001; do
	head -c $bytes "$riscv" >disk
	run 0 --disk disk "$guest/sha256.elf"
	[ "$(cat out)" = "$(sha256sum <disk | cut -d' ' -f1)" ] || fail "sha256 of $bytes bytes: $(cat out)"
done

head -c 1048576 /dev/zero >disk
run 0 --write --disk disk "$guest/disk.elf"
[ "$(cat out)" = 'the disk works' ] || fail "disk: $(cat out)"
[ "$(stat -c %s disk)" = 1048576 ] || fail "the disk's file became another size"
! cmp -s -n 1048576 disk /dev/zero || fail "nothing was written to the disk"

# Without --write, writes fail, and the file stays.
cp disk before
run 1 --disk disk "$guest/disk.elf"
grep -qx 'wrong: a write' out || fail "a disk that is read only: $(cat out)"
cmp disk before
