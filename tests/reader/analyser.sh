#!/bin/sh
# SPDX-License-Identifier: MIT
# The example analyser finds pairs, leaks and gaps: analyser.sh TESTS ANALYSER
set -u
tests=$(realpath "$1")
analyser=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >events <<'END'
mem_alloc(void *ptr, size_t size) "ptr %p size %zu"
mem_free(void *ptr) "ptr %p"
END
PYTHONPATH=$tests python3 - <<'END'
import make_traces
make_traces.NAMES[:] = ["mem_alloc", "mem_free"]
t = make_traces.Trace(4)
for i in range(3000):
    t.event(0, i * 1000, 0x1000 + i, 64)
    if i % 1000:
        t.event(1, i * 1000 + 500, 0x1000 + i)
t.event(1, 9_000_000, 0xDEAD)
t.event(0, 9_000_100, 0x1000, 32)
t.gap(9_000_200, 5)
open("trace", "wb").write(t.data)
END
"$analyser" --declarations events trace mem_alloc mem_free ptr >got || exit 1
cat >wanted <<'END'
2997 pairs of mem_alloc and mem_free
  mean 500 ns, longest 500 ns
           256 ns and more         2997
3 mem_alloc without mem_free
  4242.001000000 ptr 0x13e8 size 64
  4242.002000000 ptr 0x17d0 size 64
  4242.009000100 ptr 0x1000 size 32
1 mem_free without mem_alloc
1 values of ptr were opened again before they were closed
5 events were lost: pairs may be among them
END
diff -u wanted got || exit 1
if "$analyser" --declarations events trace mem_alloc mem_free size >/dev/null 2>err; then
	echo "a field that one event lacks is taken"
	exit 1
fi
grep -q "mem_free has no field 'size'" err || exit 1
"$analyser" --help >got 2>err || { echo "--help fails"; exit 1; }
[ ! -s err ] && grep -q '^usage: analyser .*TRACE FIRST SECOND FIELD$' got ||
	{ echo "--help does not print the usage"; exit 1; }
