#!/bin/bash
# SPDX-License-Identifier: MIT
# tracetool's command line: the new form and the old, abbreviations, lists, the
# order of checks, what is refused, and that errors leave no file behind.
. "$(dirname "$0")/lib.sh"

# run EXIT ARGUMENTS...: runs tracetool; its output is in `out`, its messages in `err`
run()
{
	local wanted=$1 status=0
	shift
	what="tracetool $*"
	"$tracetool" "$@" >out 2>err </dev/null || status=$?
	[ "$status" -eq "$wanted" ] || fail "$what: exit $status, not $wanted: $(cat err)"
}

# refused MESSAGE ARGUMENTS...: exit 1, that message first, nothing on standard output
refused()
{
	local message=$1
	shift
	run 1 "$@"
	[ "$(head -n1 err)" = "Error: $message" ] || fail "$what: says '$(cat err)', not '$message'"
	[ ! -s out ] || fail "$what: writes to standard output"
}

says() # TEXT: the last run printed it
{
	grep -qF -- "$1" out || fail "$what: does not print '$1'"
}

silent()
{
	[ ! -s err ] || fail "$what: says '$(cat err)'"
}

holds() # FILE TEXT
{
	grep -qF -- "$2" "$1" || fail "$what: $1 lacks '$2'"
}

absent() # FILE...
{
	local file
	for file; do
		[ ! -e "$file" ] || fail "$what: left $file behind"
	done
}

both='--format=h --backends=log'
echo 'one(int value) "value %d"' >a
echo 'two(int value) "value %d"' >b
echo 'broken(int value) "value"' >broken

new_form()
{
	run 0 $both --group=g a out.h
	silent
	[ ! -s out ] || fail "$what: writes to standard output"
	holds out.h '#ifndef TRACE_G_GENERATED_TRACERS_H'
	run 0 $both --group=g a b out.h
	holds out.h trace_one
	holds out.h trace_two
	run 0 $both --group=hw-block.x a -
	says TRACE_HW_BLOCK_X_GENERATED_TRACERS_H
	run 0 $both --group g -o out2.h a b
	holds out2.h trace_two
	run 0 --format c --backends log --group g --header=other.h a out.c
	holds out.c '#include "other.h"'
	run 0 --format=c --backends=log --group=g a out.c
	holds out.c '#include "trace-g.h"'
	run 0 $both --group=g -- a out3.h
	holds out3.h trace_one
	echo 'dash(void)' >./-dash
	run 0 $both --group=g a -dash out4.h
	holds out4.h trace_dash
}

old_form()
{
	run 0 $both a
	says TRACE_COMMON_GENERATED_TRACERS_H
	says trace_one
	run 0 $both --target-type=system --target-name=x86_64 --group=g a b
	says TRACE_G_GENERATED_TRACERS_H
	says trace_two
	[ "$(cat b)" = 'two(int value) "value %d"' ] || fail "$what: wrote to an input"
	what='standard input'
	"$tracetool" $both <a >out || fail "$what"
	says trace_one
	says '<stdin>:1'
	what='- as input'
	"$tracetool" $both --group=g -o out5.h b - <a || fail "$what"
	holds out5.h trace_one
	run 0 $both --binary=/bin/true --probe-prefix=qemu.x a
}

abbreviations()
{
	run 0 --form=h --backend=log --gr=g a -
	run 0 --form h --backend log --gr g a -
	refused 'option --b not a unique prefix' --b=log a
	refused 'option --target not a unique prefix' --target=x a
	# Options of our own take no abbreviation away from QEMU's.
	run 0 --list
	says 'nop, ctf, dtrace, ftrace, hitrace, log, simple, syslog, ust'
	run 0 --h
	says 'Usage: tracetool'
	refused 'option --bogus not recognized' --bogus
	grep -q 'Did you mean' err && fail "$what: proposes something: $(cat err)"
	refused 'option --frmat not recognized' --frmat=h
	[ "$(sed -n 2p err)" = "Did you mean '--format'?" ] || fail "$what: $(cat err)"
	refused 'option -x not recognized' -x
	refused 'option --format requires argument' --format
	refused 'option -o requires argument' -o
	refused 'option --help must not have an argument' --help=x
	# An exact name is one, although it begins another.
	run 0 --check a
	# Options after the first file are files.
	refused 'cannot read --format=c: No such file or directory' $both --group=g a --format=c out6.h
	absent out6.h
}

lists()
{
	run 0 --list-backends
	[ "$(cat out)" = 'nop, ctf, dtrace, ftrace, hitrace, log, simple, syslog, ust' ] || fail "$what: $(cat out)"
	run 0 --list-formats
	[ "$(cat out)" = 'h, c, rs, d, bpftrace, ust-events-h, ust-events-c, stap, log-stap, simpletrace-stap, translate-h, tcg-h, tcg-helper-h, tcg-helper-c, tcg-helper-wrapper-h' ] || fail "$what: $(cat out)"
	run 0 --version
	says 'tracetool (Waymark) '
	run 0 --help
	silent
	says 'Usage: tracetool'
	run 0 -h --bogus
	run 0 --check-backends --backends=ctf,log,simple,syslog,nop
	silent
	run 1 --check-backends --backends=log,bogus
	silent
	[ ! -s out ] || fail "$what: prints"
	refused 'no backends specified' --check-backends
}

# What LTTng-UST cannot have is an error where ust is chosen, and only there.
limits_of_ust()
{
	local long=e$(printf '%0249d' 0 | tr 0 e)
	echo 'eleven(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k)' >wide
	echo "$long(void)" >long
	run 1 --format=c --backends=log,ust --max-args=11 --group=g wide new.c
	grep -q "^wide:1:1: error: 'eleven' has 11 arguments, but the backend ust takes 10 at most$" err ||
		fail "$what: $(cat err)"
	absent new.c
	run 0 --format=c --backends=log --max-args=11 --group=g wide -
	sed 's/^/disable /' wide >wide-off
	run 0 --format=c --backends=ust --max-args=11 --group=g wide-off -
	run 1 --format=ust-events-h --backends=ust --group=group long new.h
	grep -q "^long:1:1: error: 'group:e*' has 256 characters, but LTTng-UST takes 255$" err ||
		fail "$what: $(cat err)"
	absent new.h
	run 0 --format=ust-events-h --backends=ust --group=group --provider=prov long -
	run 0 --format=ust-events-h --backends=log --group=group long -
	grep -q lttng out && fail "$what: has tracepoints without the backend"
	run 0 --format=c --backends=ust --group=g --ust-header=other.h a -
	says '#include "other.h"'
	run 0 --format=ust-events-c --backends=ust --group=g a -
	says '#include "trace-ust-g.h"'
	run 0 --format=ust-events-h --backends=ust --target-type=system --target-name=x86_64 a
	says 'LTTNG_UST_TRACEPOINT_EVENT(qemu, one,'
}

# What SystemTap's formats need to know, in QEMU's words.
tapsets()
{
	local format
	for format in stap log-stap simpletrace-stap; do
		refused '--binary is required for SystemTAP tapset generator' \
			--format=$format --backends=log --group=g --probe-prefix=p broken new.stp
		refused '--probe-prefix is required for SystemTAP tapset generator' \
			--format=$format --backends=log --group=g --binary=/bin/true broken new.stp
		refused '--probe-prefix is required for SystemTAP tapset generator' --format=$format \
			--backends=log --group=g --binary=/bin/true --target-name=x86_64 broken new.stp
		refused "a probe's prefix is identifiers with dots between them: a..b" --format=$format \
			--backends=log --group=g --binary=/bin/true --probe-prefix=a..b broken new.stp
		run 0 --format=$format --backends=log --binary=/bin/true --target-type=user \
			--target-name=x86_64 a
	done
	says 'probe qemu.user.x86_64.simpletrace.one ='
	absent new.stp
}

names_of_macros()
{
	printf 'one(void)\nerrno(int n) "%%d"\ndisable EOF(void)\nPRIu64(void)\n' >macros
	cat >expected <<'END'
macros:2:1: error: <errno.h>, which the backend ust includes, keeps 'errno' for a macro
errno(int n) "%d"
^
macros:2: help: choose another name
macros:4:1: error: <inttypes.h>, which the backend dtrace includes, keeps 'PRIu64' for a macro
PRIu64(void)
^
macros:4: help: choose another name
END
	run 1 --format=c --backends=ctf,dtrace,ust --group=g macros new.c
	diff expected err || fail "$what: says otherwise"
	absent new.c
	run 1 --format=c --backends=ust --group=stdin a new.c
	printf '%s\n' "error: <stdio.h>, which the backend ust includes, keeps 'stdin' for a macro" \
		'help: give another name with --provider=' | diff - err || fail "$what: says otherwise"
	run 0 --format=c --backends=ust --group=stdin --provider=in a -
	run 0 --format=c --backends=log --group=stdin macros -
}

# Each has the faults of those after it too: the first one is named.
order_of_checks()
{
	refused 'no backends specified' --format=bogus broken out.h
	refused 'no backends specified' --backends= --format=bogus broken out.h
	refused 'group name is required' --backends=bogus --format=bogus broken new.h
	run 1 --backends=bogus --format=bogus --group=g broken new.h
	grep -q '^broken:1:' err || fail "$what: $(cat err)"
	refused 'format not set' --backends=bogus --group=g a new.h
	refused 'unknown format: bogus' --backends=bogus --format=bogus --group=g a new.h
	refused 'unknown backend: bogus' --backends=log,bogus --format=h --group=g a new.h
	refused 'unknown backend: ' --backends=log, --format=h --group=g a new.h
	grep -qxF "There are: $("$tracetool" --list-backends)" err || fail "$what: $(cat err)"
	refused 'unknown backend: log simple' '--backends=log simple, ctf' --format=h --group=g a new.h
	grep -qx 'Write commas between backends, and no blanks: log,simple,ctf' err ||
		fail "$what: $(cat err)"
	refused "a group's name has letters, digits and _-. only: a/b" $both --group=a/b a new.h
	refused '--header takes the name of a file, not a"b' $both --group=g --header='a"b' a new.h
	refused '--ust-header takes the name of a file, not ' $both --group=g --ust-header= a new.h
	refused '--max-args takes a number from 1 to 32, not 33' $both --group=g --max-args=33 a new.h
	refused '--max-args takes a number from 1 to 32, not -1' $both --group=g --max-args=-1 a new.h
	refused '--depfile needs an output file' $both --group=g --depfile=d a -
	absent new.h d
}

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
	# What tracetool made, and any other file, may be written.
	run 0 $both --group=g a mine.h
	run 0 $both --group=g b mine.h
	holds mine.h trace_two
	echo 'int old;' >other.h
	run 0 $both --group=g b other.h
	holds other.h trace_two
}

inputs()
{
	: >empty
	run 0 $both --group=g empty -
	says TRACE_G_GENERATED_TRACERS_H
	run 0 --format=c --backends=log --group=g empty -
	refused 'cannot read nowhere: No such file or directory' $both --group=g nowhere new.h
	refused 'cannot read dir: a directory without files *.toml' $both --group=g dir new.h
	refused 'cannot read /dev/zero: more than 64 MiB: not a declaration' \
		$both --group=g /dev/zero new.h
	run 1 $both --group=g broken a new.h
	grep -q '^broken:1:' err || fail "$what: $(cat err)"
	printf 'no newline at the end(void)' >ragged
	run 1 $both --group=g ragged new.h
	head -c 3000000 /dev/urandom >noise
	run 1 $both --group=g noise new.h
	absent new.h
	seq 20000 | sed 's/.*/event_&(int value) "value %d"/' >many
	run 0 $both --group=g many many.h
	[ "$(grep -c '_ENABLED 1' many.h)" -eq 20000 ] || fail "$what: not 20000 events"
	# A FIFO is an input like any other.
	mkfifo fifo
	cat a >fifo &
	run 0 $both --group=g fifo -
	says trace_one
}

warnings_and_checks()
{
	echo 'narrow(uint64_t value) "value %lx"' >warns
	run 0 $both --group=g warns warns.h
	grep -q '^warns:1:.* warning: ' err || fail "$what: no warning"
	run 1 --werror $both --group=g warns strict.h
	grep -qx 'Error: warnings are errors (--werror)' err || fail "$what: $(cat err)"
	absent strict.h
	run 0 --check a b
	silent
	# A binary has one fault, however long it is, and its bytes are not for a terminal.
	{ cat a; head -c 100000 /dev/zero; printf '\377\376(\n\200(\n'; } >binary
	run 1 --check binary
	[ "$(grep -c 'error: ' err)" -eq 1 ] || fail "$what: $(grep -c 'error: ' err) errors"
	grep -q 'a NUL byte: not a text file' err || fail "$what: $(cat err)"
	printf 'latin(void) "\344\200 %%d"\n' >latin
	run 1 --check latin
	iconv -f UTF-8 -t UTF-8 err >/dev/null 2>&1 || fail "$what: prints raw bytes"
	[ ! -s out ] || fail "$what: prints"
	run 1 --check a broken b
	run 1 --check --werror warns
	run 1 --check a nowhere
	echo 'eleven(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k)' >args
	run 1 --check args
	run 0 --check --max-args=11 args
}

unwritable()
{
	refused 'cannot write nowhere/new.h: No such file or directory' $both --group=g a nowhere/new.h
	refused 'cannot write dir: Is a directory' $both --group=g a dir
}

# Writing to a device that is full: one message, exit 1.
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

# A file system that is full, where we may mount one: nothing half-written.
full_disk()
{
	mkdir -p small
	if ! mount -t tmpfs -o size=64k none small 2>mount.err; then
		echo "a full disk is not tested: $(head -n1 mount.err)"
		return
	fi
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
	# Standard input is no file that a build could look at.
	run 0 $both --group=g --depfile=stdin.d a - stdin.h
	printf 'stdin.h: \\\n  a\n' | diff - stdin.d || fail "$what"
	command -v make >/dev/null || return 0
	printf 'out\\ put.h:\n\t@echo made\ninclude out.d\n' >Makefile
	[ "$(make -s 2>&1)" = '' ] || fail "make: the output is not up to date"
	touch -d '2001-01-01' 'out put.h'
	[ "$(make -s 2>&1)" = made ] || fail "make: a changed input is not seen"
}

# Both build the same file at the same moment: it is whole at every moment.
twice_at_once()
{
	local i
	for i in 1 2 3 4 5 6 7 8 9 10; do
		"$tracetool" $both --group=g --always many race.h &
		"$tracetool" $both --group=g --always many race.h &
		wait
		cmp -s many.h race.h || fail 'two at once: the file is damaged'
	done
	ls -A | grep -q '^\.tracetool' && fail 'two at once: temporary files are left'
}

no_absolute_paths()
{
	run 0 --format=c --backends=log,simple --group=g "$tmp/a" /proc/self/cwd/b -
	grep -q "$tmp\|/proc" out && fail "$what: an absolute path in the output"
	says '/* a:1 */'
	says '/* b:1 */'
	run 0 --format=h --backends=log --group=g ./dir/../a -
	says '/* ./dir/../a:1 */'
	mkdir -p 'x*'
	cp a 'x*/events'
	run 0 $both --group=g 'x*/events' -
	says '/* x* /events:1 */'
}

backends_are_a_set()
{
	run 0 --format=c --backends=log,simple --group=g a -
	cp out once
	run 0 --format=c --backends=simple,log,log,nop,simple --group=g a -
	cmp -s once out || fail "$what: differs from log,simple"
}

new_form
old_form
abbreviations
lists
limits_of_ust
names_of_macros
order_of_checks
tapsets
declarations_are_safe
inputs
warnings_and_checks
unwritable
full_device
full_disk
read_only
unchanged_output
depfile
twice_at_once
no_absolute_paths
backends_are_a_set
finish
