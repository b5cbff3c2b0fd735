#!/bin/sh
# SPDX-License-Identifier: MIT
# The code of an event that is no scope is the same with and without hitrace: hitrace_plain.sh
# TRACETOOL
set -eu
tracetool=$(realpath -e "$1")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

fail() {
	echo "FAILED: $1"
	exit 1
}

made() { # FORMAT BACKENDS
	"$tracetool" --format="$1" --backends="$2" --group=g in.toml
}

cat >in.toml <<'END'
[[events]]
name = "kick"
args = "queue: u32"
message = "queue {}"
enabled = true
END
for format in h c; do
	made $format hitrace >alone
	made $format nop | diff - alone || fail "$format: not as with nop"
	made $format hitrace,ctf >beside
	made $format ctf | diff - beside || fail "$format: not as without hitrace"
done
cat >>in.toml <<'END'
[[scopes]]
name = "run"
args = "cpu: u32"
message = "cpu {}"
enabled = true
END
made c hitrace >alone
! grep -qF '"kick\0"' alone || fail "an event is there with hitrace alone"
grep -qF '"run\0"' alone || fail "a scope is not there with hitrace"
made h hitrace >alone
grep -q '^#define TRACE_KICK_ENABLED 0' alone || fail "an event is enabled"
grep -q '^#define TRACE_RUN_ENABLED 1' alone || fail "a scope is not enabled"
made c hitrace,ctf | grep -FA10 '"run\0"' | grep -q 'WAYMARK_CTF | WAYMARK_HITRACE' ||
	fail "a scope has not both backends"
