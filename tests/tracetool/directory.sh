#!/bin/bash
# SPDX-License-Identifier: MIT
# Directories of TOML files as inputs: which files are read, their order, errors, and
# rebuilds by ninja and make after a file is added, changed or removed.
#
#	directory.sh TRACETOOL ROOT
. "$(dirname "$0")/lib.sh"
. "$here/run.sh"

event() # NAME [ARGS [MESSAGE]]: a declaration in TOML
{
	printf '[[events]]\nname = "%s"\nargs = "%s"\nmessage = "%s"\nenabled = true\n' "$1" "$2" "$3"
}

# order NAME...: the last output has exactly these events, in this order
order()
{
	local found
	found=$(sed -n 's/^static inline void trace_\([a-z_]*\)(.*/\1/p' out | tr '\n' ' ')
	[ "${found% }" = "$*" ] || fail "$what: events '$found', not '$*'"
}

files()
{
	mkdir -p info/deeper
	event last >info/b.toml
	event first >info/B.toml
	event middle >info/a-long.toml
	event hidden >info/.a.toml
	event deeper >info/deeper/a.toml
	event other >info/a.toml.orig
	LC_ALL=C.UTF-8 run 0 $both --group=g -o - info
	order first middle last
	run 0 $both info
	order first middle last
	run 0 $both --group=g info/ -
	order first middle last
	echo 'plain(int fd) "fd %d"' >trace-events
	run 0 $both --group=g -o - trace-events info info/deeper/a.toml
	order plain first middle last deeper
	run 0 --check trace-events info
}

refusals()
{
	mkdir -p empty
	run 1 $both --group=g -o new.h empty
	told 'Error: cannot read empty: a directory without files *.toml'
	run 1 $both --group=g -o new.h missing
	told 'Error: cannot read missing: No such file or directory'
	mkdir -p odd/folder.toml
	run 1 $both --group=g -o new.h odd
	told 'Error: cannot read odd/folder.toml: Is a directory'
	event clash >info/clash.toml
	echo 'clash(void)' >clash-events
	run 1 --check info clash-events
	told "clash-events:1:1: error: the event 'clash' is declared twice"
	told 'clash-events:1: help: rename one of them; the first is at info/clash.toml:2'
	echo 'CLASH(void)' >clash-events
	run 1 --check clash-events info
	told "info/clash.toml:2:9: error: the events 'CLASH' and 'clash' differ only in case"
	rm info/clash.toml
	mkdir -p pipes
	event first >pipes/a.toml
	mkfifo pipes/b.toml
	run 1 $both --group=g -o new.h pipes
	told 'Error: cannot read pipes: pipes/b.toml is not a regular file'
	# One run shows what is wrong in each file.
	mkdir -p two
	event if >two/a.toml
	event two 'a: u8' >two/b.toml
	run 1 --check two
	told "two/a.toml:2:9: error: 'if' is a keyword"
	told 'two/b.toml:3:9: error: 1 argument, but the message has 0 placeholders'
	run 1 $both --group=g info info/b.toml
	told 'Error: the output is a declaration of events: info/b.toml'
	absent new.h
	[ "$(id -u)" -eq 0 ] || {
		mkdir -p closed
		chmod 0 closed
		run 1 --check closed
		told 'Error: cannot read closed: Permission denied'
	}
}

warnings()
{
	mkdir -p names
	{ event usb_run && event usb_runtime_read; } >names/a.toml
	run 0 --check --werror names
	silent
	echo 'my_usb_run(void)' >names-events
	run 0 --check --warn=names names names-events
	told "names/a.toml:2:9: warning: the pattern 'usb_run' also matches 'usb_runtime_read' and 1 more"
	[ "$(grep -c warning: err)" -eq 1 ] || fail "$what: $(cat err)"
	run 1 --check --warn=names --werror names
	run 1 --check --warn=all names
	told 'Error: --warn takes names, not all'
	event twice 'a: u8' '0x{:#X}' >names/a.toml
	run 0 --check names
	told "warning: '{:#X}' prints 0x, which precedes it"
}

# built COMMAND...: builds; then trace.h must have the events in `out`
built()
{
	what=$*
	"$@" >log 2>&1 || fail "$what: $(cat log)"
	cp trace.h out
}

# older: makes the directory's time differ from that of the files made of it.
older()
{
	find . -exec touch -d '2001-01-01' {} +
}

build_notices()
{
	rm -rf build info && mkdir -p build/info
	cd build
	event one >info/one.toml
	command="$tracetool $both --group=g --depfile=trace.h.d -o trace.h info"
	printf 'rule trace\n  command = %s\n  depfile = trace.h.d\n%bbuild trace.h: trace\n' "$command" "$1" >build.ninja
	printf 'trace.h:\n\t%s\n-include trace.h.d\n' "$command" >Makefile
	shift
	built "$@"
	order one
	"$@" | grep -q 'no work to do\|up to date' || fail "$*: made again though nothing changed"
	older
	event added >info/added.toml
	built "$@"
	order added one
	older
	event changed >info/one.toml
	built "$@"
	order added changed
	older
	rm info/added.toml
	built "$@"
	order changed
	cd ..
}

files
refusals
warnings
! have make || build_notices '' make
if have ninja; then
	build_notices '' ninja
	build_notices '  deps = gcc\n' ninja
fi
finish
