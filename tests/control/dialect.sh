#!/bin/bash
# SPDX-License-Identifier: MIT
# StratoVirt's dialect at a program's command line and in WAYMARK_TRACE, and `waymark record` of
# such a program: dialect.sh PROGRAM WAYMARK
set -u
program=$(realpath "$1")
waymark=$(realpath "$2")
name=$(basename "$program")
. "$(dirname "$(realpath "$0")")/lib.sh"

virtio='virtio_receive_request value=1'
usb='usb_xhci_run value=2'
cursor='update_cursor value=3'
both=$virtio$'\n'$usb
all=$both$'\n'$cursor
choose=dialect=stratovirt

expect "off unless told" 0 "" "$program" set:stratovirt
expect "type=all" 0 "$all" "$program" set:stratovirt type=all
expect "type=events" 0 "$both" "$program" set:stratovirt type=events
expect "type=scopes" 0 "$cursor" "$program" set:stratovirt type=scopes
expect "no choice" 1 "$name: Invalid parameter 'type': it belongs to the dialect stratovirt; \
begin this option with dialect=stratovirt" "$program" type=all
expect "the option chooses" 0 "$all" "$program" $choose,type=all
expect "the first option chooses for the next" 0 "$all" "$program" $choose,type=events type=scopes
expect "not at the beginning" 1 "$name: dialect=stratovirt must be the first key of the option: \
the keys before it are read" "$program" '*,dialect=stratovirt'
expect "chosen twice" 1 "$name: dialect=: the dialect of options is 'stratovirt' already, by the \
dialect= of one: choose it once" "$program" $choose,type=all dialect=waymark
expect "chosen too late" 1 "set: an option was read in the dialect 'waymark' already: choose \
'stratovirt' before the first" "$program" 'virtio*' set:stratovirt

printf '# those of virtio\r\n\r\n   \nvirtio\n\t\n' >blank
for key in events file; do
	expect "$key=: blank lines enable nothing" 0 "$virtio" "$program" set:stratovirt $key=blank
done
printf '^update_|\\d\\b\nxhci.run' >regex
expect "expressions, no newline at the end" 0 "$usb"$'\n'"$cursor" "$program" set:stratovirt file=regex
expect "type before lists" 0 "$virtio"$'\n'"$cursor" "$program" set:stratovirt file=blank,type=scopes
printf 'virtio\nusb # those of xhci\n' >comment
expect "a comment behind an expression" 1 "$name: file=: comment:2: 'usb # those of xhci': a comment needs \
its own line" "$program" set:stratovirt file=comment
printf 'virtio\n[a\nusb\n' >bad
expect "an invalid line changes nothing" 1 "$name: file=: bad:2: regular expression '[a': a '[' has no ']'" \
	"$program" set:stratovirt type=all,log.file=made,file=bad
[ ! -e made ] || fail "an option with an error made its file"
expect "pattern" 0 "$usb" "$program" set:stratovirt 'xhci|nothing'
expect "no glob" 1 "$name: regular expression '*': '*' has nothing to repeat; '.' matches every name" "$program" set:stratovirt '*'
expect "a pattern that meets none" 0 "$name: warning: no trace event matches '/nosuch/'" \
	"$program" set:stratovirt nosuch
expect "other keys" 0 "" "$program" set:stratovirt type=events,log.prefix=none,log.file=lines,backend=log
expect "its lines" 0 "" diff <(echo "$both") lines

expect "nothing" 1 "$name: nothing is given: write type=all, events or scopes, events=FILE, or an \
expression" "$program" set:stratovirt ''
expect "unknown key" 1 "$name: Invalid parameter 'fil'; did you mean 'file='?" \
	"$program" set:stratovirt fil=x
expect "unknown type" 1 "$name: type=: 'xxxxx' is not one of all, events, scopes" \
	"$program" set:stratovirt type=xxxxx
expect "file without value" 1 "$name: 'file' needs a value: file=FILE; an expression of that text is \
written enable=file" "$program" set:stratovirt file
expect "missing file" 1 "$name: events=: gone: No such file or directory" \
	"$program" set:stratovirt events=gone

expect "variable" 0 "$virtio" env WAYMARK_TRACE=$choose,file=blank "$program"
expect "its later options" 0 "$virtio"$'\n'"$cursor" \
	env WAYMARK_TRACE="$choose,file=blank;type=scopes" "$program"
expect "nothing is on" 0 "waymark: WAYMARK_TRACE: no event is switched on so far: an option of the \
dialect stratovirt has type=, events=FILE or an expression" \
	env WAYMARK_TRACE=$choose,log.file=quiet "$program"
expect "it chooses for the program's" 0 "$all" env WAYMARK_TRACE=$choose,type=events "$program" type=scopes
expect "it gives way to the program" 0 "$all" env WAYMARK_TRACE='usb*' "$program" set:stratovirt \
	'virtio' type=scopes
expect "it gives way to the option" 0 "$both" env WAYMARK_TRACE="$choose,usb" "$program" \
	'dialect=waymark,virtio*'
expect "one option of it may be of another dialect" 0 "$both" \
	env WAYMARK_TRACE="$choose,^usb;dialect=waymark,virtio*" "$program"
expect "a wrong one voids itself" 0 \
	"waymark: WAYMARK_TRACE: events=: bad:2: regular expression '[a': a '[' has no ']'"$'\n'"$cursor" \
	env WAYMARK_TRACE="$choose,type=events,events=bad;$choose,type=scopes" "$program"

# record EVENTS... -- COMMAND...: records COMMAND; the trace must have these events.
record() {
	local events=()
	while [ "$1" != -- ]; do
		events+=("$1")
		shift
	done
	shift
	rm -rf trace.ctf
	if ! timeout 100 "$waymark" record "$@" >record.out 2>&1; then
		fail "record: $*: $(cat record.out)"
	fi
	"$waymark" print trace.ctf 2>&1 | grep -oE 'virtio_receive_request|usb_xhci_run|update_cursor' >names
	diff <(printf '%s\n' "${events[@]}") names || fail "record: $*: other events"
}

record virtio_receive_request -- -o trace.ctf -e 'virtio_*' "$program" set:stratovirt
record virtio_receive_request update_cursor -- -o trace.ctf -e 'virtio_*' "$program" set:stratovirt type=scopes
record usb_xhci_run -- -o trace.ctf -e 'usb_*' "$program" $choose,log.prefix=none
export WAYMARK_TRACE=$choose,enable=cursor,backend=ctf
record virtio_receive_request update_cursor -- -o trace.ctf -e 'virtio_*' "$program" log.prefix=none
unset WAYMARK_TRACE
if "$waymark" record --option type=all "$program" 2>err || ! grep -q -- '--option type=: give a pattern with -e' err; then
	fail "record takes a key of another dialect: $(cat err)"
fi

finish
