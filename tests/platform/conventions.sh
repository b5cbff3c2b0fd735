#!/bin/sh
# SPDX-License-Identifier: MIT
# System calls are compiled only for processors that were tested; all others are refused with one
# clear message: conventions.sh ROOT
set -eu
root=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The compiler's macros distinguish processors; the system's headers do not matter.
mkdir -p "$tmp/sys" "$tmp/rt/host"
touch "$tmp/fcntl.h" "$tmp/stdbool.h" "$tmp/stdint.h" "$tmp/string.h" "$tmp/unistd.h" "$tmp/sys/syscall.h" \
	"$tmp/sys/uio.h" "$tmp/sys/vfs.h" "$tmp/rt/host/open.h"
none='-U__x86_64__ -U__i386__ -U__aarch64__ -U__LP64__ -U__SIZEOF_LONG__ -U__BYTE_ORDER__
	-D__ORDER_LITTLE_ENDIAN__=1234 -D__ORDER_BIG_ENDIAN__=4321'
little='-D__SIZEOF_LONG__=4 -D__BYTE_ORDER__=1234'
big='-D__SIZEOF_LONG__=4 -D__BYTE_ORDER__=4321'

preprocess() {
	# shellcheck disable=SC2086
	cc -E -nostdinc -w -I "$tmp" $none "$@" "$root/src/rt/host/file.h" >"$tmp/out" 2>"$tmp/errors"
}

taken() {
	preprocess "$@" || {
		echo "refused: $*"
		cat "$tmp/errors"
		exit 1
	}
}

refused() {
	if preprocess "$@"; then
		echo "a convention nobody tried is compiled: $*"
		exit 1
	fi
	if [ "$(grep -c 'error:' "$tmp/errors")" != 1 ] ||
		! grep -q '#error "waymark: no convention of system calls for this processor' "$tmp/errors"; then
		echo "not one clear message: $*"
		cat "$tmp/errors"
		exit 1
	fi
}

taken -D__SIZEOF_LONG__=8 -D__BYTE_ORDER__=1234
taken -D__SIZEOF_LONG__=8 -D__BYTE_ORDER__=4321 -D__s390x__
# shellcheck disable=SC2086
{
	taken $little -D__i386__
	taken $little -D__arm__ -D__ARM_EABI__
	refused $big -D__arm__ -D__ARM_EABI__
	refused $little -D__arm__
	refused $little -D__x86_64__ -D__ILP32__
	refused $little -D__mips__
	refused $big -D__mips__
	refused $big -D__powerpc__
	refused $little -D__riscv -D__riscv_xlen=32
}
