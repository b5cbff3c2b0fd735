#!/bin/sh
# SPDX-License-Identifier: MIT
# Trace points of a category that is compiled out, and all trace points without backends, leave
# nothing in an object: no instruction, no data, no symbol, no reference. Without optimisation they
# call nothing and evaluate no argument. A scope that is only off costs one test of its state before
# its block, and at most one after it.
#
#	folding.sh TRACETOOL ROOT COMPILER...
. "$(dirname "$0")/../tracetool/lib.sh"

have objdump || { echo "skipped: objdump is missing"; exit 77; }

cat >with.c <<'END'
#include <waymark/scope.h>
#define CATEGORIES(C) C(Out, IS_IN, "a network")
WAYMARK_CATEGORIES(CATEGORIES);
#ifdef __cplusplus
extern "C" {
#endif
void work(int *p);
int argument(void);
const char *name(int *p);
int function(int *p, int n);
#ifdef __cplusplus
}
#endif
int function(int *p, int n)
{
#ifdef WITH
	WAYMARK_SCOPE(Out, "scope", n, argument(), name(p), (*p)++); WAYMARK_SCOPE(Out, "none");
	struct waymark_scope flow = WAYMARK_FLOW(Out, "flow", argument());
	WAYMARK_FLOW_STEP(Out, &flow, "step", argument());
	WAYMARK_INSTANT(Out, "instant", p, name(p), argument());
	WAYMARK_BEGIN(Out, "begun", p, name(p), argument());
	WAYMARK_COUNTER(Out, "counter", argument());
	WAYMARK_PRINT_IN(Out, "printed %d", argument());
#endif
	work(p);
#ifdef WITH
	WAYMARK_END(Out);
	waymark_scope_end(&flow);
#endif
	work(p);
	return *p + n;
}
END
cat >on.c <<'END'
#include <waymark/scope.h>
#define CATEGORIES(C) C(Net, true, "a network")
WAYMARK_CATEGORIES(CATEGORIES);
#ifdef __cplusplus
extern "C" {
#endif
void work(int *p);
void function(int *p, unsigned n);
#ifdef __cplusplus
}
#endif
void function(int *p, unsigned n)
{
	WAYMARK_SCOPE(Net, "scope", n);
	work(p);
}
END
cp with.c with.cc
cp on.c on.cc

# compile SOURCE OBJECT OPTION...
compile()
{
	source=$1 object=$2
	shift 2
	case $compiler in
	*++) $compiler $warnings -std=c++11 -I"$include" "$@" -c $source.cc -o $object ;;
	*) $compiler $warnings -std=gnu11 -I"$include" "$@" -c $source.c -o $object ;;
	esac || fail "$compiler $*"
}

# content OBJECT: prints an object's instructions, section sizes, symbols and relocations. If a
# block has scopes' ends, clang++ names the unwinding function, although nothing refers to it any
# more.
content() # OBJECT
{
	objdump -d --no-show-raw-insn "$1" | sed 1,3d
	objdump -h "$1" | awk '$1 ~ /^[0-9]+$/ && $2 != ".llvm_addrsig" { print $2, $3 }'
	nm "$1" | grep -v __gxx_personality_v0
	objdump -r "$1" | sed 1,3d
}

same() # IS_IN BACKENDS LEVEL
{
	compile with with.o -O$3 -DWAYMARK_SCOPES=$2 -DIS_IN=$1 -DWITH
	compile with without.o -O$3 -DWAYMARK_SCOPES=$2 -DIS_IN=$1
	content with.o >with.txt
	content without.o >without.txt
	diff with.txt without.txt >out || fail "$compiler -O$3, $1, $2: something is left: $(head -n 20 out)"
}

evaluates_nothing() # IS_IN BACKENDS
{
	compile with with.o -O0 -DWAYMARK_SCOPES=$2 -DIS_IN=$1 -DWITH
	nm with.o | grep -E ' U (argument|name|waymark_site_(enter|start|fire|print|may_begin|begun|end)(_packed)?)$' &&
		fail "$compiler -O0, $1, $2: something is called"
}

# tests: prints the number of tests before the first return or jump elsewhere: the path of a scope
# that is off
tests()
{
	objdump -d --no-show-raw-insn on.o | sed -n '/<function>:/,/^$/s/^ .*:\t//p' |
		awk '/^ret|^jmp/ { exit } /^(test|cmp)/ { n++ } END { print n + 0 }'
}

shift 2
for compiler in "$@"; do
	have $compiler || { echo "skipped: $compiler is missing"; exit 77; }
	evaluates_nothing false ctf,log
	evaluates_nothing true nop
	for level in 1 2 3 s; do
		same false ctf,log $level
		same true nop $level
		compile on on.o -O$level -DWAYMARK_SCOPES=ctf
		count=$(tests)
		echo "$compiler -O$level: $count tests where it is off"
		[ "$count" -ge 1 ] && [ "$count" -le 2 ] || fail "$compiler -O$level: $count tests where a scope is off"
	done
	# The comparison detects a remaining instruction.
	compile with with.o -O2 -DWAYMARK_SCOPES=ctf -DIS_IN=true -DWITH
	content with.o | diff - without.txt >out && fail 'the comparison sees nothing'
done
finish
