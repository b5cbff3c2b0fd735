#!/bin/bash
# SPDX-License-Identifier: MIT
# tracetool's command line: the new form and the old, abbreviations, lists, the order of
# checks, which inputs and backends it takes, and what --check and --werror do.
#
#	command_line.sh TRACETOOL ROOT
. "$(dirname "$0")/lib.sh"
. "$here/run.sh"
all="nop, $(sed -n 's/^	ROW([0-9]*, [A-Z]*, \([a-z]*\),.*/\1/p' "$include/waymark/backends.def" | paste -sd, | sed 's/,/, /g')"

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
	# Waymark's own options make no abbreviation of QEMU's options ambiguous.
	run 0 --list
	says "$all"
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
	# An exact name is unambiguous, even if another name begins with it.
	run 0 --check a
	# All arguments after the first file are files.
	refused 'options go before the files: --format=c' $both --group=g a --format=c out6.h
	refused 'options go before the files: -o' $both --group=g a -o out6.h
	absent out6.h
}

lists()
{
	run 0 --list-backends
	[ "$(cat out)" = "$all" ] || fail "$what: $(cat out)"
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

# Each line also has the faults of the lines after it: the first fault is reported.
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

inputs()
{
	: >empty
	mkdir dir
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
	many >many
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
	# A binary file is one fault, however long it is, and its bytes are not printed to a
	# terminal.
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
order_of_checks
inputs
warnings_and_checks
no_absolute_paths
backends_are_a_set
finish
