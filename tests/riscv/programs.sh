#!/bin/sh
# SPDX-License-Identifier: MIT
# The guest's programs print the right results: programs.sh RISCV PROGRAMS
set -eu
riscv=$(realpath "$1")
guest=$2
. "$(dirname "$(realpath "$0")")/lib.sh"

[ "$("$riscv" "$guest/hello.elf")" = 'Hello from hart 0' ] || fail "hello"

# digests HARTS: prints digests of equal shares of `input`; the last share has the rest
digests() {
	bytes=$(stat -c %s input)
	share=$((bytes / $1))
	hart=0
	while [ $hart -lt "$1" ]; do
		size=$share
		[ $hart -lt $(($1 - 1)) ] || size=$bytes
		tail -c +$((hart * share + 1)) input | head -c $size | sha256sum | cut -d' ' -f1
		hart=$((hart + 1))
	done
}

# hash HARTS BYTES
hash() {
	head -c "$2" "$riscv" >input
	{ echo "$2" && cat input; } | "$riscv" --harts "$1" "$guest/sha256.elf" >out || fail "$1 harts: status $?"
	digests "$1" | cmp -s - out || fail "$1 harts, $2 bytes: wanted $(digests "$1")"
}

# SHA-256's padding up to its last byte and beyond it, and input that takes several reads.
for bytes in 0 1 55 56 64 119 120 4097 20001; do
	hash 1 $bytes
done
for harts in 2 3 4; do
	hash $harts 5001
done

status=0
echo 99999999 | "$riscv" "$guest/sha256.elf" >out || status=$?
[ $status = 1 ] && [ "$(cat out)" = 'too much input' ] || fail "too much input: status $status"
