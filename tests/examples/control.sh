#!/bin/bash
# SPDX-License-Identifier: MIT
# The example is recorded, listed, watched and controlled while it runs.
. "$(dirname "$0")/common.sh"
export LD_LIBRARY_PATH="$build/src/rt:$build/src/mon"
export XDG_RUNTIME_DIR="$tmp/run"
mkdir -m 700 "$XDG_RUNTIME_DIR"
make_example "$tmp/example"
program=$tmp/example/blockcache
cd "$tmp"
truncate -s 16M data

# Recorded: the example has no option for that, and its exit status stays the same.
"$waymark" record -e 'cache_*' -o recorded.ctf -- "$program" data >counts 2>said ||
	fail "waymark record: $(cat said)"
grep -q 'recorded.ctf: [0-9]* events, 0 lost' said || fail "not said where the trace is: $(cat said)"
for event in cache_hit cache_miss cache_evict; do
	wanted=$(sed -n "s/^$event //p" counts)
	got=$("$waymark" print recorded.ctf | grep -c " $event ")
	[ "$got" = "$wanted" ] || fail "$event: counted $wanted, recorded '$got'"
done
status=0
"$waymark" record -o bad.ctf -- "$program" nosuch >/dev/null 2>&1 || status=$?
[ $status -ne 0 ] || fail "the program's failure was not told"

# Controlled while it runs.
WAYMARK_TRACE=control=on "$program" -n 100000000 data >/dev/null 2>&1 &
pid=$!
trap 'kill -9 $pid 2>/dev/null || :; wait 2>/dev/null; rm -rf "$tmp"' EXIT
for ((i = 0; i < 200; i++)); do
	"$waymark" ctl $pid stats >said 2>&1 && break
	sleep 0.05
done
"$waymark" ls >list
grep -qE "^ *$pid +([^ ]+ +)?blockcache +0/" list || fail "waymark ls does not have it: $(cat list)"
"$waymark" ctl blockcache on 'cache_*'
[ "$("$waymark" ctl $pid list --on | wc -l)" = 7 ] || fail "not seven events on"
"$waymark" ctl $pid on nosuch 2>said && fail "an event that is not there was switched on"
grep -q 'unknown event "nosuch"' said || fail "wrong error: $(cat said)"
"$waymark" ctl $pid off '*'

# Attached: the event is on until the client ends, then off again.
"$waymark" attach $pid cache_miss --count 10 >seen 2>said || fail "waymark attach: $(cat said)"
[ "$(grep -c ' cache_miss request ' seen)" = 10 ] || fail "not ten events: $(cat seen)"
for ((i = 0; i < 100; i++)); do
	"$waymark" ctl $pid list --on 2>/dev/null | grep -q . || break
	sleep 0.05
done
[ $i -lt 100 ] || fail "still on: $("$waymark" ctl $pid list --on)"

# After a kill the trace has all events.
"$waymark" ctl $pid file set "$tmp/last.ctf" >said
"$waymark" ctl $pid on io_submit
for ((i = 0; i < 200; i++)); do
	"$waymark" ctl $pid stats --json | grep -q '"recorded": 0,' || break
	sleep 0.05
done
kill -9 $pid
wait $pid 2>/dev/null || :
"$waymark" print last.ctf 2>/dev/null | grep -q io_submit || fail "nothing is left of what was recorded"
"$waymark" ls >list 2>&1 || :
sed '/^Memory that ended processes left:/,$d' list | grep -w $pid && fail "a dead process is listed"
sed '1,/^Memory that ended processes left:/d' list | grep -qw $pid || fail "what it left is not listed: $(cat list)"
[ ! -e "$XDG_RUNTIME_DIR/waymark/$pid.sock" ] || fail "its socket is still there"
