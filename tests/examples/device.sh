#!/bin/sh
# SPDX-License-Identifier: MIT
# blockcache with its device process in a jail: waymark drain writes all of the process's events,
# without a loss. If root enters the jail, its file system is empty, too.
. "$(dirname "$0")/common.sh"
[ -z "${WAYMARK_SANITIZER-}" ] || {
	echo "skipped: a sanitizer has system calls of its own, for which the jail kills"
	exit 77
}
make_example "$tmp/example"
make_example "$tmp/none" WAYMARK_SCOPES=nop
cd "$tmp"
head -c 300000 /dev/urandom >data

# scopes NAME: prints the number of scopes of that name in both traces
scopes() {
	"$waymark" scopes --csv device.ctf device.ctf.* |
		awk -F, -v name="\"$1\"" '$1 == name { print $2 }'
}

timeout 60 ./example/blockcache --device --trace 'Work,enable=Device,file=device.ctf' \
	-n 200 --write 30 data >counts &
timeout 60 "$waymark" drain device.ctf >drained || fail "the drain fails: $(cat drained)"
wait $! || fail "blockcache fails"
[ "$(grep -c ' 0 lost' drained)" -eq 2 ] || fail "not two traces without a loss: $(cat drained)"

requests=$(awk '$1 == "request_begin" { print $2 }' counts)
ios=$(awk '$1 == "io_submit" { print $2 }' counts)
[ "$(scopes Work:request)" -eq "$requests" ] || fail "not $requests requests"
[ "$(scopes Device:serve)" -eq "$ios" ] || fail "not $ios transfers by the device"
[ "$(scopes 'Work:wait for the device')" -eq "$ios" ] || fail "not $ios transfers"
[ "$(($(scopes Device:read) + $(scopes Device:write)))" -eq "$ios" ] || fail "reads and writes"
[ "$(scopes 'Device:check (all bytes)')" -eq "$ios" ] || fail "an argument was not evaluated"
"$waymark" scopes device.ctf device.ctf.* | grep -E 'unfinished|without' &&
	fail "scopes have no end, or no beginning"

"$waymark" flamegraph --folded --by=name device.ctf device.ctf.* >folded
grep -q '^Device:serve;Device:read ' folded || fail "not in the flame graph: $(cat folded)"

# The commands of README.md, unchanged.
ln -s example/blockcache .
awk '/^\.\/blockcache --device/ { on = 1 } /^```/ { on = 0 } on' "$root/README.md" >commands
[ "$(wc -l <commands)" -eq 3 ] || fail "not three commands in README.md: $(cat commands)"
PATH=${waymark%/*}:$PATH timeout 60 sh -e commands >out || fail "the commands of README.md fail: $(cat out)"
grep -q 'Device:serve' graph.svg || fail "no frame of the device in the graph"

# The trace has no argument of a disabled counter, and no trace point that is compiled out.
./example/blockcache --device --trace 'Work,file=off.ctf' -n 10 data >counts &
timeout 60 "$waymark" drain off.ctf >drained
wait $! || fail "with the device's scopes off: blockcache fails"
strings -a example/blockcache | grep -q 'Device:serve' || fail "no name of a scope in the program"
strings -a example/blockcache | grep -q 'Wire:' && fail "something of a compiled-out category is left"
strings -a none/blockcache | grep -q 'Device:' && fail "something of scopes without a backend is left"
./none/blockcache --device -n 10 data >counts || fail "without scopes blockcache fails"
