#!/bin/bash
# SPDX-License-Identifier: MIT
# Errors of single backends and formats: limits of LTTng-UST, options that tapsets need, names
# that headers reserve for macros.
#
#	refusals.sh TRACETOOL ROOT
. "$(dirname "$0")/lib.sh"
. "$here/run.sh"

# Declarations that LTTng-UST does not support are errors only with the backend ust.
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

# Missing options of SystemTap's formats, with QEMU's messages.
tapsets()
{
	local format
	refused '--binary is required for SystemTAP tapset generator' \
		--format=stap --backends=log --group=g --probe-prefix=p broken new.stp
	for format in stap log-stap simpletrace-stap; do
		refused '--probe-prefix is required for SystemTAP tapset generator' \
			--format=$format --backends=log --group=g --binary= broken new.stp
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
	# Like QEMU's build: printing tapsets need no program, the plain one has an empty name.
	run 0 --format=stap --backends=log --group=g --binary= --probe-prefix=p a -
	says 'probe p.one = process.mark("one")?'
	for format in log simpletrace; do
		for binary in '' --binary=; do
			run 0 --format=$format-stap --backends=log --group=g $binary --probe-prefix=p a -
			says "probe p.$format.one = p.one?"
			grep -q 'arg1' out && fail "$what: names arguments again"
		done
	done
	refused '--binary is required for a script of bpftrace' \
		--format=bpftrace --backends=log --group=g --binary= a new.bt
	printf 'ok(void)\n9x(void)\ndisable 8x(void)\n' >digits
	run 1 --format=log-stap --backends=dtrace --group=g --binary=/b --probe-prefix=p digits new.stp
	grep -q "^digits:2:1: error: '9x' begins with a digit" err || fail "$what: $(cat err)"
	run 0 --format=d --backends=dtrace --group=g digits
	absent new.stp
}

names_of_macros()
{
	printf 'one(void)\nerrno(int n) "%%d"\ndisable EOF(void)\nPRIu64(void)\n' >macros
	cat >expected <<'END'
macros:2:1: error: <errno.h>, which the backend ust includes, reserves 'errno' for a macro
errno(int n) "%d"
^
macros:2: help: choose another name
macros:4:1: error: <inttypes.h>, which the backend dtrace includes, reserves 'PRIu64' for a macro
PRIu64(void)
^
macros:4: help: choose another name
END
	run 1 --format=c --backends=ctf,dtrace,ust --group=g macros new.c
	diff expected err || fail "$what: says otherwise"
	absent new.c
	run 1 --format=c --backends=ust --group=stdin a new.c
	printf '%s\n' "error: <stdio.h>, which the backend ust includes, reserves 'stdin' for a macro" \
		'help: give another name with --provider=' | diff - err || fail "$what: says otherwise"
	run 0 --format=c --backends=ust --group=stdin --provider=in a -
	run 0 --format=c --backends=log --group=stdin macros -
}

limits_of_ust
tapsets
names_of_macros
finish
