#!/bin/sh
# SPDX-License-Identifier: MIT
# A trace of blockcache has the events that blockcache counted: in runs that read, write,
# wait for few slots, and cut the last block short. Native traces are read without
# declarations, also by babeltrace2.
. "$(dirname "$0")/common.sh"
make_example "$tmp/ctf"
make_example "$tmp/simple" WAYMARK_BACKENDS=simple WAYMARK_SCOPES=nop
cd "$tmp"

# run NAME OPTION...: runs the program in the directory $backend
run() {
	name=$1
	shift
	cp "$waymark" data
	"./$backend/blockcache" -trace "*,file=$name.trace" "$@" data >"$name.counts" ||
		fail "$name: blockcache failed"
	"$waymark" print $declarations "$name.trace" >"$name.txt" ||
		fail "$name: the trace cannot be read"
	"$root/tools/compare-counts" "$name.counts" "$name.txt" || fail "$name: the counts differ"
}

# opens NAME: babeltrace2 finds the same number of events, and prints no warning.
opens() {
	babeltrace2 "$1.trace" >"$1.bt2" 2>err || fail "$1: babeltrace2 fails: $(cat err)"
	[ ! -s err ] || fail "$1: babeltrace2 warns: $(cat err)"
	[ "$(wc -l <"$1.bt2")" -eq "$(wc -l <"$1.txt")" ] ||
		fail "$1: babeltrace2 finds $(wc -l <"$1.bt2") events of $(wc -l <"$1.txt")"
}

backend=simple declarations='-e simple/trace-events-all'
run simple -n 500 --write 40
backend=ctf declarations=
run reads -n 500
cmp data "$waymark" || fail "a run without --write changed the file"
run writes -n 500 --write 40
run few-slots -n 300 -s 2 -t 8 --write 50
run odd-blocks -n 300 -b 1000 --write 20

if command -v babeltrace2 >/dev/null; then
	opens writes
	opens few-slots
else
	echo "babeltrace2 is not installed: not tested with it"
fi

# A missing event is noticed.
sed -i '$d' writes.txt
if "$root/tools/compare-counts" writes.counts writes.txt >/dev/null; then
	fail "a lost event went unnoticed"
fi
