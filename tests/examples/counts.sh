#!/bin/sh
# SPDX-License-Identifier: MIT
# What the reader finds in a trace of blockcache is what blockcache counted: in
# runs that read, write, wait for few slots, and cut the last block short.
. "$(dirname "$0")/common.sh"
make_example "$tmp/build"
cd "$tmp"

# run NAME OPTION...
run() {
	name=$1
	shift
	cp "$waymark" data
	./build/blockcache -trace "*,file=$name.trace" "$@" data >"$name.counts" ||
		fail "$name: blockcache failed"
	"$waymark" print -e build/trace-events-all "$name.trace" >"$name.txt" ||
		fail "$name: the trace cannot be read"
	"$root/tools/compare-counts" "$name.counts" "$name.txt" || fail "$name: the counts differ"
}

run reads -n 500
cmp data "$waymark" || fail "a run without --write changed the file"
run writes -n 500 --write 40
run few-slots -n 300 -s 2 -t 8 --write 50
run odd-blocks -n 300 -b 1000 --write 20

# An event less in the trace is noticed.
sed -i '$d' writes.txt
if "$root/tools/compare-counts" writes.counts writes.txt >/dev/null; then
	fail "a lost event went unnoticed"
fi
