#!/bin/sh
# SPDX-License-Identifier: MIT
# gdb lists the probes, stops at one and sees its arguments; perf records each event.
#
#	debuggers.sh TRACETOOL ROOT LIBWAYMARK
. "$(dirname "$0")/lib.sh"
need gcc gdb perf unshare
export HOME="$tmp"
count=1000
provider=test$$
"$tracetool" --format=h --backends=dtrace --group=test --output=trace-test.h \
	"$here_dtrace/trace-events" || fail h
"$tracetool" --format=c --backends=dtrace --group=test --provider=$provider \
	--output=trace-test.c "$here_dtrace/trace-events" || fail c
build program gcc -O2 || fail 'build'

gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'info probes stap' \
	-ex "break -probe-stap $provider:tick" -ex run -ex 'print $_probe_argc' \
	-ex 'print $_probe_arg0' -ex 'x/s $_probe_arg1' -ex 'continue 4' -ex 'print $_probe_arg0' \
	--args ./program plain 10 >gdb.out 2>&1
[ "$(grep -c "^stap *$provider " gdb.out)" -eq 10 ] || fail "gdb lists: $(cat gdb.out)"
for line in '\$1 = 2' '\$2 = 0' '"tock"' '\$3 = 4'; do
	grep -q "$line" gdb.out || fail "gdb has no $line: $(cat gdb.out)"
done

# perf searches probes in its own cache in HOME; tracefs is the kernel's part.
cat >record.sh <<'END'
mountpoint -q /sys/kernel/tracing || mount -t tracefs nodev /sys/kernel/tracing || exit 77
perf buildid-cache --add ./program >&2 || exit 77
perf probe "sdt_$1:tick" >&2 || exit 77
perf record -q -o perf.data -e "sdt_$1:tick" ./program plain "$2" >&2
status=$?
perf probe -d "sdt_$1:*" >&2
[ $status -eq 0 ] || exit 1
perf script -i perf.data
END
if ! unshare -m true 2>perf.err; then
	[ "$failures" -eq 0 ] || { finish; exit 1; }
	echo "skipped: perf: only root may have a tracefs of its own"
	exit 77
fi
unshare -m sh record.sh $provider $count >perf.out 2>perf.err
case $? in
77) echo "perf is not tested: $(tail -n 3 perf.err)" ;;
0)
	[ "$(grep -c "sdt_$provider:tick" perf.out)" -eq $count ] ||
		fail "perf has $(grep -c tick perf.out) events, not $count: $(cat perf.err)"
	;;
*) fail "perf: $(cat perf.err)" ;;
esac
finish
