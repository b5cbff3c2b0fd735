#!/bin/sh
# SPDX-License-Identifier: MIT
# Events of decoded blocks are switched for single harts: switching.sh SWITCHING WAYMARK
set -eu
switching=$(realpath "$1")
waymark=$(realpath "$2")
. "$(dirname "$(realpath "$0")")/lib.sh"

WAYMARK_TRACE=guest_block_trans,file=trace.ctf "$switching" || fail "$switching: status $?"
"$waymark" print trace.ctf | sed 's/.* \(guest_[a-z_]*\) cpu=[^ ]*/\1/' >out

# Each switch makes the hart decode again; only its own executions are traced.
cat >wanted <<'END'
guest_block_trans pc 0x80000000 instructions 3
guest_block_trans pc 0x80000000 instructions 3
guest_block_trans pc 0x80000000 instructions 3
guest_block_exec pc 0x80000000 instructions 3
guest_block_trans pc 0x80000000 instructions 3
guest_block_exec pc 0x80000000 instructions 3
guest_memory_exec pc 0x80000000 address 0x80001008 size 8 store 0
guest_memory_exec pc 0x80000004 address 0x80001010 size 8 store 1
guest_block_trans pc 0x80000000 instructions 3
END
cmp -s out wanted || fail "wanted $(cat wanted), not:"
