#!/bin/sh
# SPDX-License-Identifier: MIT
# The module generated from golden/trace-events is the one beside it. To see what a
# change of the emitter does, and to accept it: golden.sh TRACETOOL ROOT --update
. "$(dirname "$0")/../tracetool/lib.sh"

golden=$root/tests/rust/golden
(cd "$golden" && "$tracetool" --format=rs --backends=ctf --group=golden -o "$tmp/trace-golden.rs" \
	trace-events) || fail 'tracetool'
[ "${3:-}" != --update ] || cp trace-golden.rs "$golden"
diff -u "$golden/trace-golden.rs" trace-golden.rs || fail 'the module differs (see the head of golden.sh)'
finish
