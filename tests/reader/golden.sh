#!/bin/sh
# SPDX-License-Identifier: MIT
# For each trace of make_traces.py, the commands' standard output, standard error and exit
# status equal the files in golden/:
#
#	golden.sh [--update] TESTS-DIRECTORY COMMANDS-DIRECTORY
set -u
update=
if [ "$1" = --update ]; then
	update=yes
	shift
fi
here=$(realpath "$1")
commands=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$here/make_traces.py" "$work/traces" || exit 1
python3 "$here/make_ctf.py" "$work/traces" || exit 1
cp "$here/golden/trace-events" "$work/traces/"
cd "$work/traces" || exit 1
head -c 5000 /dev/zero >zeros-only
failed=0

# run NAME COMMAND [ARGUMENT...]: compares with golden/NAME
run() {
	name=$1
	command=$2
	shift 2
	{
		"$commands/$command" "$@" 2>"$work/err"
		status=$?
		sed 's/^/! /' "$work/err"
		echo "= $status"
	} >"$work/got"
	if [ "$update" ]; then
		cp "$work/got" "$here/golden/$name"
	elif ! diff -u "$here/golden/$name" "$work/got"; then
		echo "FAILED: $command $*"
		failed=1
	fi
}

for trace in v0 v2 v3 v4 v3-big-endian v4-big-endian every-byte lying-lengths unknown renamed \
	impossible-length truncated zeros empty text future; do
	run "print-$trace" waymark print -e trace-events "$trace"
	run "simpletrace-$trace" simpletrace trace-events "$trace"
done
for trace in v0 v3 v4 lying-lengths truncated no-events; do
	run "info-$trace" waymark info -e trace-events "$trace"
done
for trace in small small-big-endian wrap pieces flight lost-and-rotated lost-behind-damage out-of-order unknown-event torn left-over torn-header holes cut-metadata \
	bad-event two-boots no-packet other-uuid no-clock no-signature other-tracer; do
	run "print-ctf-$trace" waymark print "$trace"
done
# Strings are printed in place, and as values; the byte order is not this host's.
run print-ctf-notes waymark print notes
run print-ctf-notes waymark print notes-big-endian
run info-ctf waymark info small
run info-ctf-json waymark info --json small pieces
run info-json-cut waymark info --json cut-metadata
for trace in flight lost-and-rotated lost-behind-damage; do
	run "info-ctf-$trace" waymark info "$trace"
done
run print-thread-ended waymark print --tid thread-ended
run info-json-losses waymark info --json flight lost-and-rotated
run print-json-losses waymark print --json flight lost-and-rotated
run info-ctf-left-over waymark info left-over
(
	# A living process holds a lock on its buffer.
	flock -s 9
	run info-ctf-live waymark info left-over
	run print-ctf-live waymark print left-over
	run print-states waymark print --head=1 wrap left-over
	run scopes-states waymark scopes left-over
	run latency-states waymark latency --from=blk_open --to=blk_done left-over
	run track-states waymark track --by=@tid --event=blk_open --steps=0 left-over
	exit "$failed"
) 9<left-over/.arena || failed=1
run print-ctf-wall waymark print --time=wall small
run print-ctf-declared waymark print -e trace-events small
run print-hosts waymark print small other-host wrap
run print-hosts-unknown waymark print --tail=6 --tid -e trace-events small other-host v4
run print-json-hosts-unknown waymark print --tail=3 --json -e trace-events v4 small other-host
run print-hosts-wall waymark print --time=wall small other-host
run print-before-boot waymark print late-host small
run print-before-boot-rel waymark print --time=rel late-host small
run print-before-boot-window waymark print --to=10 late-host small
run info-before-boot waymark info late-host small
run print-json-ctf waymark print --json small
run print-json-ctf-big-endian waymark print --json small-big-endian
run print-json-hosts-wall waymark print --json --time=wall small other-host
run print-json-mixed waymark print --json -e trace-events v4 pieces
run print-output-inside waymark print -o small/new small
run print-output-inside-second waymark print -o ./other-host/../small/stream-3 other-host small
run print-same-boot waymark print small two-boots
run print-mixed waymark print -e trace-events v4 pieces
run print-mixed-wall waymark print -e trace-events --time=wall v4 pieces
run print-one-missing waymark print small nothing-here
run print-first-missing waymark print nothing-here / small
run print-all-missing waymark print nothing-here /
run info-one-missing waymark info nothing-here wrap
for part in small/stream-3 small/metadata small-big-endian/stream-4 small/index/x.idx left-over/.arena; do
	run "print-part-$(echo "$part" | tr / -)" waymark print "$part"
done
(
	cd small || exit 1
	run print-part-here waymark print stream-3
	exit "$failed"
) || failed=1
run print-part-of-several waymark print small/stream-3 wrap
run print-one-damaged waymark print -e trace-events small torn impossible-length
run info-json waymark info --json -e trace-events v4
run print-undeclared-v3 waymark print v3
run print-undeclared-v4 waymark print v4
run print-undeclared-v4-big-endian waymark print v4-big-endian
for trace in v0 v2 v4 every-byte unknown truncated; do
	run "print-json-$trace" waymark print --json -e trace-events "$trace"
done
run print-short-length waymark print -e trace-events short-length
run print-json-undeclared waymark print --json v4-big-endian
run print-json-delta waymark print --json --time=delta -e trace-events v4
run print-json-some waymark print --json --event='*read' --color=always -e trace-events v4
run print-colour waymark print --color=always -e trace-events v4
run print-relative waymark print -e trace-events --time=rel v4
run print-delta waymark print -e trace-events --time=delta v4
run print-event waymark print -e trace-events --event='*read' --event=blk_?dle v4
run print-regex waymark print -e trace-events --event='/^blk.*(read|dle)$/' v4
run print-without waymark print -e trace-events --event='-blk_*' --event=blk_idle v4
run info-window waymark info -e trace-events --since=4243 --until=+1.000001 --pid=77 v4
run info-negative waymark info --since=-1.5 --until=-.5 small
run print-pid waymark print -e trace-events --pid=78 v4
run print-mistyped waymark print -e trace-events --event=blk_raed --event=blk_open v4
run print-outside waymark print --from=100 --to=+200 --pid=77 small other-host
run print-outside-v4 waymark print -e trace-events --from=5000.5 v4
run print-other-pid waymark print --pid=5 small
run print-other-thread waymark print --thread=5 small
run print-where waymark print --where='bytes > 2 || ret' small
run print-where-event waymark print --where='@event =~ "blk_*" && @pid != 0' small
run print-where-unknown waymark print --where='byts > 2' small
run print-where-misfit waymark print --where='bytes == "two"' small
run print-where-wrong waymark print --where='bytes >' small
run print-where-twice waymark print --where=1 --where=2 small
run print-fields waymark print --fields=ret,bytes,path small
run print-fields-json waymark print --json --fields=ret,bytes,path small
run print-fields-unknown waymark print --fields=byts,nothing_like_it --head=1 small
run print-fields-missing waymark print --fields=a,, small
run print-head waymark print --head=2 small
run print-head-none waymark print --head=0 small
run print-tail-none waymark print --tail=0 small
run print-tail-none-after-all waymark print --tail=0 --tail=2 small
run print-from-fraction waymark print --from=+.00000009 --to=+.000000092 small
run print-from-exponent waymark print --from=1e9 small
run print-from-dot waymark print --from=+. small
run print-head-some waymark print --event='blk_o*' --head=2 small
run print-known-name waymark print --event='blk_idle' small other-host late-host two-boots --from=1000
run print-tail waymark print --tail=2 small
run print-tail-all waymark print --tail=100000000000 small
run print-tail-delta waymark print --tail=3 --time=delta small
run print-head-tail waymark print --head=4 --tail=1 --json small
run print-count waymark print --count --event='blk_o*' small
run print-count-all waymark print --count small other-host
run print-thread waymark print --thread=1004 small
run print-tid waymark print --tid small
run print-tid-hosts waymark print --tid --thread=1004 small other-host
run print-tid-unknown waymark print --tid -e trace-events v4
run print-json-tid waymark print --json --tid --thread=1004 small
run print-window waymark print -e trace-events --from=4243 --to=+1.000001 v4
run print-none waymark print -e trace-events --event=nothing v4
run print-directory waymark print /
run print-missing waymark print ./nothing-here
run print-bad-declarations waymark print -e ./nothing-here v4
run print-trace-as-declarations waymark print -e v4 trace-events
run print-binary-declarations waymark print -e zeros-only v4
run simpletrace-swapped simpletrace v4 trace-events
run simpletrace-missing-events simpletrace nothing-here v4
run simpletrace-2.8 simpletrace --qemu=2.8 trace-events v4
run simpletrace-7 simpletrace --qemu=7 trace-events every-byte
run simpletrace-8.1 simpletrace --qemu=8.1.2 trace-events v4
run simpletrace-bad-version simpletrace --qemu=x trace-events v4
run simpletrace-no-header-typed simpletrace --no-header trace-events no-header-typed
run simpletrace-no-header-untyped simpletrace --no-header trace-events no-header-untyped
for version in 2.7 3.2 10.3 99 99.1.2; do
	run "simpletrace-no-version-$version" simpletrace "--qemu=$version" trace-events v4
done
run simpletrace-2.12 simpletrace --qemu=2.12.1 trace-events v4
run simpletrace-odd-version simpletrace --qemu=10.2.x trace-events v4
run usage-waymark waymark
run usage-command waymark prind v4
run usage-far-command waymark frobnicate
run usage-help-command waymark help infp
run info-two-traces waymark info v3 v4
"$commands/waymark" convert --pid=77 -e trace-events -o converted v4 || failed=1
run info-converted waymark info converted
run info-converted-json waymark info --json converted
run info-two-formats waymark info v4 small
run info-two-formats-json waymark info --json v4 small
run help-word waymark help
run help-word-info waymark help info
run usage-print waymark print
run print-two-traces waymark print v3 v4
run usage-option waymark print --bogus v4
run usage-time waymark print --time=tomorrow v4
run usage-color waymark print --color=sometimes v4
run usage-from waymark print --from=1.2.3 v4
run usage-regex waymark print --event='-/(/' v4
run usage-since waymark scopes --since=- v4
run usage-pid waymark print --pid=-1 v4
run usage-head waymark print --head=many v4
run usage-tail waymark print --tail=-1 v4
run usage-tail-follow waymark print --tail=5 --follow v4
run usage-thread waymark print --thread=1.5 v4
run usage-simpletrace simpletrace trace-events
run help-waymark waymark --help
run version-waymark waymark --vers
run help-print waymark print --help
run help-info waymark info --help
run help-scopes waymark scopes --help
run help-latency waymark latency --help
run help-track waymark track --help
run help-diff waymark diff --help
run help-top waymark top --help
run help-flamegraph waymark flamegraph --help
run help-simpletrace simpletrace --help
exit "$failed"
