#!/bin/sh
# SPDX-License-Identifier: MIT
# QEMU's declarations as tracepoints of LTTng-UST: 5.0, whose 74 groups share one provider,
# and 10.2. The tracepoints of a tree compile and link with the events: of every tenth event,
# or with `all` of all events, then with the groups of 5.0 compiled one by one.
#
#	qemu_trees.sh TRACETOOL ROOT LIBWAYMARK [all]
library=$(realpath "$3")
all=${4:-}
. "$(dirname "$0")/lib.sh"
needs_ust

old=$data/qemu-5.0
new=$data/qemu-simpletrace/trace-events-all-10.2-i386-softmmu
if [ ! -d "$old" ] || [ ! -f "$new" ]; then
	echo "skipped: no QEMU declarations under $data"
	exit 77
fi
mkdir old new groups
(cd "$old" && find . -type f) | sort >files
[ "$(wc -l <files)" -eq 74 ] || fail "$(wc -l <files) files in 5.0, not 74"
while read -r file; do
	cat "$old/$file"
	group=$(printf %s "${file#./}" | tr -c 'A-Za-z0-9' _)
	generate log,ust "$group" "$old/$file" groups --provider=qemu --ust-header=trace-ust-all.h
done <files >all.events
for tree in old new; do
	events=all.events
	[ $tree = old ] || events=$new
	generate log,ust all "$events" $tree --provider=qemu
	wanted=$(grep -cE '^[^#[:space:]].*\(' "$events")
	off=$(grep -cE '^([a-z-]+ )*disable .*\(' "$events")
	# A tcg event counts as two.
	tcg=$(grep -cE '^([a-z-]+ )*tcg .*\(' "$events")
	found=$(grep -c '^LTTNG_UST_TRACEPOINT_EVENT(' $tree/trace-ust-all.h)
	echo "$tree: $wanted events, $off of them disabled, $tcg tcg; $found tracepoints"
	grep -q "switched off" $tree/trace-ust-all.h && fail "$tree: a disabled event"
	[ "$found" -ge $((wanted - off)) ] || fail "$tree: only $found tracepoints"
done
grep -q error: diagnostics && fail "errors in QEMU's declarations"

if [ ! "$all" ]; then
	for tree in old new; do
		events=all.events
		[ $tree = old ] || events=$new
		grep -E '^[^#[:space:]]' "$events" | awk 'NR % 10 == 1' >some-$tree.events
		generate log,ust all some-$tree.events $tree --provider=qemu
	done
fi
# The groups of 5.0 in one unit, because they share their surrounding code.
[ "$all" ] || echo '#include "trace-all.c"' >groups.c
[ ! "$all" ] || {
	echo '#include <waymark/record.h>'
	echo '#undef WAYMARK_REGISTER_OBJECT'
	echo '#define WAYMARK_REGISTER_OBJECT()'
	for source in groups/trace-*.c; do
		case $source in
		*/trace-ust-*) continue ;;
		esac
		unit=$(basename "$source" .c)
		printf '#define waymark_group %s\n#include "%s"\n#undef waymark_group\n' \
			"$(echo "$unit" | tr -c 'A-Za-z0-9\n' _)" "$source"
	done
} >groups.c
printf '#include <waymark/record.h>\nWAYMARK_REGISTER_OBJECT()\n' >register.c
echo 'int main(void) { return 0; }' >main.c
printf '%s\n' 'groups.c -Iold -Igroups' 'old/trace-ust-all.c -Iold' 'new/trace-all.c -Inew' \
	'new/trace-ust-all.c -Inew' | I=$include W=$warnings xargs -P2 -I{} sh -c '
	set -- {}
	gcc -std=gnu11 -O0 $W -I"$I" -c "$@" -o "$(echo "$1" | tr / _).o" || {
		echo "FAILED: $1"
		exit 1
	}' || fail 'not all of it compiles'
gcc $tsan -I"$include" main.c register.c groups.c.o old_trace-ust-all.c.o "$library" -llttng-ust -ldl \
	-o program-old || fail '5.0 does not link'
gcc $tsan main.c new_trace-all.c.o new_trace-ust-all.c.o "$library" -llttng-ust -ldl -o program-new ||
	fail '10.2 does not link'
for program in old new; do
	LD_LIBRARY_PATH=${library%/*} "./program-$program" || fail "$program does not run"
done
finish
