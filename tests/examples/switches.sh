#!/bin/sh
# SPDX-License-Identifier: MIT
# Patterns choose the events that are traced; the nop backend leaves nothing of the events.
. "$(dirname "$0")/common.sh"
make_example "$tmp/build"
make_example "$tmp/nop" WAYMARK_BACKENDS=nop
make_example "$tmp/log" WAYMARK_BACKENDS=log
make_example "$tmp/both" WAYMARK_BACKENDS=simple,log,ctf WAYMARK_SCOPES=nop
cd "$tmp"
cp "$waymark" data

./build/blockcache --trace 'io_*,file=io.ctf' --trace=-io_free -n 100 data >counts
"$waymark" print io.ctf >io.txt
grep -q io_submit io.txt || fail "io_submit is on, and missing"
grep -qE 'cache_|request_|io_free' io.txt && fail "an event is off, and in the trace"

./log/blockcache -t 1 -n 100 -trace 'cache_*,file=cache.log' data >counts
grep -c ':cache_hit request' cache.log >hits || fail "no cache_hit in the log"
grep -q "^cache_hit $(cat hits)\$" counts || fail "cache_hit: $(cat hits) logged, $(cat counts)"

./both/blockcache -n 100 -trace '*,backend=simple,simple.file=both.trace' data >counts 2>err
[ ! -s err ] || fail "backend=simple logs as well: $(head -n 1 err)"
"$waymark" print -e build/trace-events-all both.trace >both.txt
"$root/tools/compare-counts" counts both.txt

./both/blockcache -n 100 -trace '*,backend=ctf+simple,file=both.ctf,simple.file=second.trace' data >counts
"$waymark" print both.ctf >both.txt
"$root/tools/compare-counts" counts both.txt
"$waymark" print -e build/trace-events-all second.trace >both.txt
"$root/tools/compare-counts" counts both.txt

./build/blockcache -n 100 data >counts
./build/blockcache --trace help >names
grep -q cache_hit names || fail "-trace help does not list cache_hit"

./nop/blockcache -n 100 data >counts
if strings -a nop/blockcache | grep -q 'io %p'; then
	fail "a format string is left in a program built with nop"
fi
strings -a build/blockcache | grep -q 'io %p' || fail "no format string in a traced program"
strings -a build/blockcache | grep -q 'steps' && fail "a string of a disabled event is left"

make_example "$tmp/build" install DESTDIR="$tmp/root" PREFIX=/usr
cat "$root/examples/blockcache/trace-events" "$root"/examples/blockcache/cache/trace-events \
	"$root"/examples/blockcache/io/trace-events |
	cmp - "$tmp/root/usr/share/blockcache/trace-events-all" || fail "trace-events-all is not whole"
