#!/bin/sh
# SPDX-License-Identifier: MIT
# A program of Rust and C: events fired by Rust are the same as those fired by C, in a log
# and in a native trace; events that are off are not recorded; and a call site is one load
# and one branch.
#
#	calls.sh TRACETOOL ROOT LIBWAYMARK WAYMARK
root=$(realpath "$2")
library=$(realpath "$3")
waymark=$(realpath "$4")
. "$root/tests/rust/lib.sh"

export LD_LIBRARY_PATH="${library%/*}"
cp "$root"/tests/rust/main.rs "$root"/tests/rust/calls.c "$root/tests/rust/trace-events" .
unset WAYMARK_TRACE

# build BACKENDS RUSTC [option]...: builds the program
build()
{
	backends=$1
	shift
	for format in h c rs; do
		name=trace-rust.$format
		[ $format != rs ] || name=trace.rs
		"$tracetool" --format=$format --backends="$backends" --group=rust -o "$name" \
			trace-events || fail "tracetool: $format"
	done
	gcc $warnings -O2 -I"$include" -I. -c calls.c trace-rust.c || fail 'gcc'
	"$@" -O -C link-arg=calls.o -C link-arg=trace-rust.o -C link-arg="$library" \
		-o program main.rs || fail "$*"
}

# The first half of the lines comes from Rust, the second from C.
halves_agree() # FILE WHAT
{
	lines=$(wc -l <"$1")
	[ "$lines" -eq 32 ] || fail "$2: $lines events, not 32"
	head -n 16 "$1" >of-rust
	tail -n 16 "$1" >of-c
	diff of-rust of-c || fail "$2: what Rust fires (<) arrives otherwise than of C (>)"
}

arrives() # WHAT
{
	rm -rf trace.ctf
	WAYMARK_TRACE='*,ctf.file=trace.ctf,log.prefix=none' \
		./program >said 2>log || fail "$1: exit $?"
	printf '%s\n' 'bools true' 'counted true' 'meet true' | diff - said || fail "$1: questions"
	[ "$(sed -n 1p log)" = 'counted 1' ] || fail "$1: $(head -n1 log)"
	sed -i 1d log
	halves_agree log "$1: log"
	"$waymark" print trace.ctf | sed 's/^ *[^ ]* *[^ ]* //' >printed
	sed -i 1d printed
	halves_agree printed "$1: ctf"
	diff log printed || fail "$1: log (<) and native trace (>) differ"
	grep -q "^strings name=owned text='lent'$" log || fail "$1: no string: $(cat log)"
	grep -q '^shorts s=-32768 u=65535 si=-2 su=65534$' log || fail "$1: no shorts"

	WAYMARK_TRACE='meet,backend=log,log.prefix=none' ./program >said 2>log || fail "$1: exit $?"
	printf '%s\n' 'bools false' 'counted false' 'meet true' | diff - said || fail "$1: questions"
	printf 'meet 1\nmeet 1\n' | diff - log || fail "$1: more than what is on arrives"
	rm -f said && ./program >said 2>log && [ ! -s log ] || fail "$1: what is off arrives"
}

# code FUNCTION: prints the instructions of a function of the linked program, up to its first
# return.
code() # FUNCTION
{
	objdump -d --no-show-raw-insn program |
		awk -v name="<$1>:" '$2 == name { on = 1; next } on && NF == 0 { exit } on' |
		cut -f2- | awk '{ print } /^ret/ { exit }'
}

# One load of the state, and one branch that is not taken. In position-independent code recent
# compilers first load the state's address, because they do not know that it is in this program.
call_site_is_one_load() # WHAT LOADS
{
	[ "$(uname -m)" = x86_64 ] || return 0
	code one_call_site >site
	[ "$(grep -E '^(cmp|test|mov)' site | grep -c '(%r\|,0x[0-9a-f]*$\|0x[0-9a-f]*,%e')" -le "$2" ] &&
		[ "$(grep -cE '^j' site)" -eq 1 ] && [ "$(wc -l <site)" -le 5 ] ||
		fail "$1: a call site is more than a load and a branch: $(cat site)"
	code no_call_site >site.off
	grep -q '^ret' site.off && [ "$(grep -cE '^(call|j)|\(%rip\)' site.off)" -eq 0 ] ||
		fail "$1: a disabled event leaves code: $(cat site.off)"
}

for compiler in $(rust_compilers); do
	for edition in 2018 2021; do
		what="$compiler $edition"
		build ctf,log "$compiler" --edition=$edition
		arrives "$what"
		call_site_is_one_load "$what" 2
	done
	build ctf,log "$compiler" --edition=2021 -C relocation-model=static
	call_site_is_one_load "$compiler static" 1
done

# Without backends no call remains, and nothing else changes.
build nop "$compiler" --edition=2021 --cfg nop
WAYMARK_TRACE='*' ./program >said 2>log || fail "nop: exit $?"
printf '%s\n' 'bools false' 'counted false' 'meet false' | diff - said || fail "nop: questions"
grep -q bools log && fail "nop: an event arrives: $(cat log)"
finish
