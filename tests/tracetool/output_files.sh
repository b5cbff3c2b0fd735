#!/bin/bash
# SPDX-License-Identifier: MIT
# The files that tracetool writes: complete or not at all, never over a declaration, with
# modes and links kept, untouched if nothing changed; and the output of --depfile.
#
#	output_files.sh TRACETOOL ROOT
. "$(dirname "$0")/lib.sh"
. "$here/run.sh"

declarations_are_safe()
{
	mkdir -p dir
	cp b dir/trace-events
	cp b dir/renamed
	ln -sf ../b dir/link
	ln -f b dir/hard
	refused 'the output is an input too: a' $both --group=g a a
	refused 'the output is an input too: dir/link' $both --group=g a b dir/link
	refused 'the output is an input too: dir/hard' $both --group=g a b dir/hard
	refused 'the output is a declaration of events: dir/trace-events' \
		$both --group=g a dir/trace-events
	refused 'the output is a declaration of events: dir/renamed' $both --group=g a dir/renamed
	refused 'the output is a declaration of events: dir/renamed' \
		$both --group=g --depfile=dir/renamed a new.h
	refused 'the output is a declaration of events: new/trace-events' \
		$both --group=g a new/trace-events
	cmp -s b dir/trace-events && cmp -s b dir/renamed || fail 'a declaration was overwritten'
	[ "$(cat b)" = 'two(int value) "value %d"' ] || fail 'an input was overwritten'
	absent new.h
	# tracetool overwrites its own output, and any other file.
	run 0 $both --group=g a mine.h
	run 0 $both --group=g b mine.h
	holds mine.h trace_two
	echo 'int old;' >other.h
	run 0 $both --group=g b other.h
	holds other.h trace_two
}

unwritable()
{
	refused 'cannot write nowhere/new.h: No such file or directory' $both --group=g a nowhere/new.h
	refused 'cannot write dir: Is a directory' $both --group=g a dir
}

# Writes to a full device: one message, exit status 1.
full_device()
{
	if [ ! -w /dev/full ]; then
		echo 'a full device is not tested: no /dev/full to write to'
		return
	fi
	what='/dev/full as standard output'
	"$tracetool" $both a >/dev/full 2>err && fail "$what: exit 0"
	grep -qx 'Error: cannot write standard output: No space left on device' err ||
		fail "$what: $(cat err)"
	refused 'cannot write /dev/full: No space left on device' $both --group=g a /dev/full
	[ -c /dev/full ] || fail '/dev/full was replaced'
}

# A full file system, if we may mount one: no partial file.
full_disk()
{
	mkdir -p small
	if ! mount -t tmpfs -o size=64k none small 2>mount.err; then
		echo "a full disk is not tested: $(head -n1 mount.err)"
		return
	fi
	many >many
	run 0 $both --group=g a small/old.h
	cp small/old.h before
	head -c 40000 /dev/zero >small/filler
	refused 'cannot write small/old.h: No space left on device' $both --group=g many small/old.h
	cmp -s before small/old.h || fail "$what: the old file is damaged"
	[ "$(ls -A small | wc -l)" -eq 2 ] || fail "$what: left $(ls -A small) behind"
	umount small
}

read_only()
{
	mkdir -p shut
	chmod 555 shut
	if touch shut/x 2>/dev/null; then
		echo 'a folder that is shut is not tested: this user may write everywhere'
	else
		refused 'cannot write shut/new.h: Permission denied' $both --group=g a shut/new.h
	fi
	chmod 755 shut
}

unchanged_output()
{
	run 0 $both --group=g a keep.h
	touch -d '2001-01-01' keep.h
	run 0 $both --group=g a keep.h
	[ "$(stat -c %Y keep.h)" -lt 1000000000 ] || fail "$what: touched what did not change"
	run 0 $both --group=g --always a keep.h
	[ "$(stat -c %Y keep.h)" -gt 1000000000 ] || fail "$what: did not write"
	chmod 640 keep.h
	run 0 $both --group=g b keep.h
	[ "$(stat -c %a keep.h)" = 640 ] || fail "$what: changed the mode"
	ln -s keep.h link.h
	run 0 $both --group=g a link.h
	[ -L link.h ] || fail "$what: replaced a symbolic link"
	holds keep.h trace_one
	(umask 027 && "$tracetool" $both --group=g a masked.h)
	[ "$(stat -c %a masked.h)" = 640 ] || fail "mode $(stat -c %a masked.h) under umask 027"
}

depfile()
{
	cp b 'odd name#$1'
	run 0 $both --group=g --depfile=out.d a 'odd name#$1' 'out put.h'
	printf 'out\\ put.h: \\\n  a \\\n  odd\\ name\\#$$1\n' | diff - out.d || fail "$what"
	refused 'the output and the depfile are one file: ./same.h' \
		$both --group=g --depfile=./same.h a same.h
	absent same.h
	run 0 $both --group=g a target.h
	ln -s target.h link.d
	local one old
	for one in ./target.h link.d; do
		refused "the output and the depfile are one file: $one" $both --group=g --depfile=$one b target.h
		holds target.h trace_one
	done
	# Without a depfile no output: otherwise a build would always take it for up to date.
	refused 'cannot write nowhere/out.d: No such file or directory' \
		$both --group=g --depfile=nowhere/out.d a lone.h
	absent lone.h
	old=$'two\nlines'
	cp b "$old"
	"$tracetool" $both --group=g --depfile=lone.d "$old" lone.h 2>err && fail 'a newline in a depfile'
	grep -q '^Error: a depfile cannot have a name with a newline: two' err || fail "a newline: $(cat err)"
	absent lone.h
	absent lone.d
	# Standard input is not a file that a build could check.
	run 0 $both --group=g --depfile=stdin.d a - stdin.h
	printf 'stdin.h: \\\n  a\n' | diff - stdin.d || fail "$what"
	command -v make >/dev/null || return 0
	printf 'out\\ put.h:\n\t@echo made\ninclude out.d\n' >Makefile
	[ "$(make -s 2>&1)" = '' ] || fail "make: the output is not up to date"
	touch -d '2001-01-01' 'out put.h'
	[ "$(make -s 2>&1)" = made ] || fail "make: a changed input is not seen"
}

# Two runs write the same file at the same time: it is complete at every moment.
twice_at_once()
{
	local i
	many >many
	run 0 $both --group=g many many.h
	for i in 1 2 3 4 5 6 7 8 9 10; do
		"$tracetool" $both --group=g --always many race.h &
		"$tracetool" $both --group=g --always many race.h &
		wait
		cmp -s many.h race.h || fail 'two at once: the file is damaged'
	done
	ls -A | grep -q '^\.tracetool' && fail 'two at once: temporary files are left'
}

declarations_are_safe
unwritable
full_device
full_disk
read_only
unchanged_output
depfile
twice_at_once
finish
