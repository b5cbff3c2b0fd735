#!/bin/sh
# SPDX-License-Identifier: MIT
# A scope that is declared `enabled = false` leaves no instruction in its function, in every
# form, even if its body calls functions unknown to the compiler. A scope that is only off costs
# one test of its state word at its begin, and at most one test of its token at its end: none if
# the compiler sees that the token is 0.
#
#	folding.sh TRACETOOL ROOT
. "$(dirname "$0")/../tracetool/lib.sh"

if ! have objdump; then
	echo "skipped: objdump is missing"
	exit 77
fi
cp "$root/tests/scope/machine.toml" .
generate_c ctf machine machine.toml

cat >with.c <<'END'
#include "trace-machine.h"
void work(int *p);
int function(int *p, uint32_t n);
int function(int *p, uint32_t n)
{
	TRACE_REFRESH_SCOPE(n); TRACE_REFRESH_SCOPE(n + 1);
	struct waymark_scope s WAYMARK_SCOPE_ENDS = trace_refresh_start(n);
	struct waymark_scope moved = trace_refresh_start(n);
	uint64_t token = trace_refresh_enter(n);

	work(p);
	trace_refresh_leave(&token);
	waymark_scope_end(&moved);
	work(p);
	return *p + (int)n;
}
END
cat >without.c <<'END'
#include <stdint.h>
void work(int *p);
int function(int *p, uint32_t n);
int function(int *p, uint32_t n)
{
	work(p);
	work(p);
	return *p + (int)n;
}
END
cat >on.c <<'END'
#include "trace-machine.h"
void work(int *p);
void function(int *p, uint64_t n);
void function(int *p, uint64_t n)
{
	TRACE_RESERVE_SCOPE(n);
	work(p);
}
END

code() # OBJECT
{
	objdump -d --no-show-raw-insn "$1" | sed -n 's/^ .*:\t//p' | sed 's/[ \t]*$//'
}

# tests: prints the number of tests before the first return or jump elsewhere: the path of a scope
# that is off
tests()
{
	code on.o | awk '/^ret|^jmp/ { exit } /^(test|cmp)/ { n++ } END { print n + 0 }'
}

compilers=
for compiler in gcc clang; do
	have $compiler || continue
	compilers="$compilers $compiler"
	for level in 1 2 3 s; do
		for source in with without on; do
			$compiler -std=gnu11 -O$level -I"$include" -c $source.c -o $source.o ||
				fail "$compiler -O$level $source.c"
		done
		[ "$(code with.o)" = "$(code without.o)" ] || {
			fail "$compiler -O$level: a scope that is compiled out leaves something:"
			objdump -d with.o
		}
		[ "$(code on.o)" != "$(code without.o)" ] || fail 'the comparison sees nothing'
		count=$(tests)
		echo "$compiler -O$level: $count tests where it is off"
		[ "$count" -ge 1 ] && [ "$count" -le 2 ] || {
			fail "$compiler -O$level: $count tests where a scope is off"
			code on.o
		}
	done
done
[ "$compilers" ] || fail 'there is no compiler'
finish
