#!/bin/sh
# SPDX-License-Identifier: MIT
# SystemTap accepts the three tapsets: each event that is not disabled is a probe of a real
# program, its arguments have their names, and the tapsets print the values that the
# program's own backends record: the program calls SystemTap's translation to C.
#
#	tapsets.sh TRACETOOL ROOT LIBWAYMARK SIMPLETRACE
library=$(realpath "$3")
simpletrace=$(realpath "$4")
. "$(dirname "$0")/lib.sh"

events=$here/trace-events
runtime=/usr/share/systemtap/runtime/vsprintf.c
export WAYMARK_TRACE=
for format in h c; do
	"$tracetool" --format=$format --backends=log,simple --group=st "$events" trace-st.$format ||
		fail "$format"
done
# The disabled event has no probe.
python3 "$here/shim.py" names trace-st.h | grep -vx st_off >enabled
count=$(wc -l <enabled)
[ "$count" -eq 30 ] || fail "$count events, not 30"

# A program with real marks.
python3 "$here/shim.py" marks trace-st.h >marks.h
gcc -std=gnu11 -O1 -DTRACE_HEADER='"marks.h"' -I. "$here/program.c" -o program || fail 'marks'
mkdir tapsets
for format in stap log-stap simpletrace-stap; do
	tapset $format "$events" tapsets/$format.stp
done

# resolves PREFIX: SystemTap's list of a tapset's probes equals the declarations
resolves()
{
	systemtap -I tapsets -L "$1.*" >listed 2>err || fail "$1: $(cat err)"
	grep -o "^$1\.st_[a-z_]*" listed | sort -u | sed 's/.*\.//' >found
	sort enabled | diff - found || fail "events (<) and what SystemTap finds of $1 (>) differ"
}
resolves st.x
resolves st.x.log
resolves st.x.simpletrace
systemtap -p2 -I tapsets -e 'probe st.x.st_off { }' >found 2>&1 && fail 'a disabled event is a probe'
systemtap -p2 -I tapsets -e 'probe st.x.st_keywords { println(next__, next_, string_, user_string(probe_), argc_, limit_) }' \
	>found 2>err || fail "renamed arguments: $(cat err)"
systemtap -p2 -I tapsets -e 'probe st.x.st_ten { println(a, b, c, d, user_string(e), f, g, h, i, j) }' \
	>found 2>err || fail "arguments: $(cat err)"

# translated FORMAT INFIX: a program `FORMAT` whose events call SystemTap's translated tapset
translated()
{
	mkdir "begin-$1"
	python3 "$here/shim.py" begin "tapsets/$1.stp" >"begin-$1/tapset.stp"
	script=$(sed "s/.*/probe st.x.$2.& { }/" enabled)
	systemtap -g -p3 -u -I "begin-$1" -e "$script" >"$1.c" 2>err || fail "$1: $(cat err)"
	python3 "$here/shim.py" unit "$1.c" "$count" >"$1-unit.c" || fail "$1: unit"
	gcc -w -std=gnu11 -O1 -I. -I"$here" -DTRACE_HEADER='"calls.h"' "$here/program.c" "$1-unit.c" \
		-o "$1" || fail "$1: gcc"
}

[ -f $runtime ] || skip "$runtime is missing: what SystemTap prints is not tested"
cp $runtime .
echo '#include "kernel.h"' >print.h
sed 's/^#include "transport.*//' "${runtime%.c}.h" >>print.h
python3 "$here/shim.py" calls trace-st.h | sed 's/stap_fire(\([0-9]*\),/stap_fire(\1 - 1,/' >calls.h
gcc $tsan -std=gnu11 -O1 -I. -I"$root/include" -DTRACE_HEADER='"trace-st.h"' "$here/program.c" trace-st.c \
	"$library" -o recorded || fail 'recorded'
export LD_LIBRARY_PATH=${library%/*}

translated log-stap log
WAYMARK_TRACE='st_*,log.file=log,simple.file=unused' ./recorded || fail 'log: run'
./log-stap >log-stap.out || fail 'log-stap: run'
sed 's/^[^:]*://' log >wanted
grep -vE '^[0-9]+@[0-9]{19} st_[a-z_]+( |$)' log-stap.out && fail 'a line is not <pid>@<ns> <name>'
sed 's/^[^ ]* //' log-stap.out >found
[ "$(wc -l <wanted)" -eq 50 ] || fail "$(wc -l <wanted) events in the log, not 50"
diff -u wanted found || fail 'log-stap prints what log does not'
# The output in docs/events.md.
printf '%s\n' 'st_foo a=d1' 'st_bar cpu=0x5000 a=d2' 'st_baz_trans cpu=0x5000 a=d3' \
	'st_baz_exec cpu=0x5000 a=d3' >documented
grep -E '^st_(foo|bar|baz_[a-z]*) ' found | diff documented - || fail 'the documented example'

translated simpletrace-stap simpletrace
WAYMARK_TRACE='st_*,simple.file=simple,log.file=unused' ./recorded long || fail 'simple: run'
./simpletrace-stap long >stream || fail 'simpletrace-stap: run'
"$simpletrace" "$events" simple | sed 's/ [0-9.-]* pid=[0-9]*//' >wanted || fail 'simple: read'
"$simpletrace" --no-header "$events" stream >read || fail 'simpletrace-stap: read'
sed 's/ [0-9.-]* pid=[0-9]*//' read >found
[ "$(wc -l <wanted)" -eq 56 ] || fail "$(wc -l <wanted) records, not 56"
diff -u wanted found || fail 'simpletrace-stap records what simple does not'
grep -c '^st_[a-z_]* [0-9.]* pid=[1-9]' read | grep -qx 56 || fail 'a time runs back, or a pid is 0'
finish
