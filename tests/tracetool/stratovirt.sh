#!/bin/sh
# SPDX-License-Identifier: MIT
# StratoVirt's declarations, 243 events in 13 files, give every format that can have
# them; for each backend, and for all at once beside an event of trace-events, they
# compile without a warning and link into one program with the runtime.
#
#	stratovirt.sh TRACETOOL ROOT LIBWAYMARK
library=$(realpath "$3")
. "$(dirname "$0")/lib.sh"

strato=$data/stratovirt
if [ ! -d "$strato" ]; then
	echo "skipped: no declarations of StratoVirt under $data"
	exit 77
fi
have gcc || {
	echo "skipped: gcc is missing"
	exit 77
}
export LD_LIBRARY_PATH="${library%/*}"
files=$(find "$strato" -name '*.toml' | sort)
echo 'of_trace_events(int value) "%d"' >mixed.events

# generate FORMAT BACKENDS OUTPUT FILE...
generate()
{
	format=$1 chosen=$2 output=$3
	shift 3
	"$tracetool" --format="$format" --backends="$chosen" --group=strato --always \
		--binary=/usr/bin/stratovirt --probe-prefix=stratovirt \
		-o "$output" "$@" 2>diagnostics || fail "$chosen: $format: $(grep error: diagnostics)"
}

# link EVENTS BACKENDS FILE...: builds a program, which must count EVENTS events
link()
{
	expected=$1 chosen=$2 more=
	shift 2
	mkdir "$tmp/$chosen"
	cd "$tmp/$chosen"
	for format in h c; do
		generate $format "$chosen" trace-strato.$format "$@"
	done
	case ,$chosen, in
	*,ust,*)
		for format in h c; do
			generate ust-events-$format "$chosen" trace-ust-strato.$format "$@"
		done
		more='trace-ust-strato.c -llttng-ust -ldl'
		;;
	esac
	# The library comes first: a sanitizer in it does not start after ld.so.
	gcc $tsan $warnings -std=gnu11 -O0 -I"$include" -I. ../main.c trace-strato.c "$library" $more \
		-o program 2>said || fail "$chosen: gcc: $(head -n5 said)"
	./program >found || fail "$chosen: exit $?"
	[ "$(cat found)" = $expected ] || fail "$chosen: $(cat found) events, not $expected"
	echo "$chosen $(cat found)" >>"$tmp/linked"
}

cat >main.c <<'END'
#include <stdio.h>

#include <waymark/control.h>

#include "trace-strato.h"

int main(void)
{
	struct waymark_iter i;
	int count = 0;

	waymark_iter_init(&i, NULL);
	while (waymark_iter_next(&i)) {
		count++;
	}
	printf("%d\n", count);
	return 0;
}
END

[ "$(echo "$files" | wc -l)" -eq 13 ] || fail "$(echo "$files" | wc -l) files, not 13"

# Two at a time, each in its own folder. The run with all backends takes longest, so it starts
# first.
link 244 "$(usable | paste -sd,)" $files "$tmp/mixed.events" >failed-all &
running=1
for backend in $(usable); do
	case $backend in
	nop | hitrace) expected=0 ;; # hitrace is for scopes alone
	*) expected=243 ;;
	esac
	link $expected "$backend" $files >"failed-$backend" &
	running=$((running + 1))
	[ $((running % 2)) -ne 0 ] || wait
done
wait
cat failed-*
failures=$((failures + $(cat failed-* | grep -c '^FAILED:')))
sort linked
[ "$(wc -l <linked)" -eq $(($(usable | wc -l) + 1)) ] || fail 'not every backend was linked'
for format in d stap log-stap bpftrace; do
	generate $format dtrace output $files
	[ "$(grep -cE '^(	probe|probe|usdt:)' output)" -eq 243 ] || fail "$format: not 243 probes"
done
finish
