#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples of waymark/reader.h and of waymark-reader(3) compile unchanged, handle a
# missing, a valid and a damaged trace, and continue after an invalid record.
#
#	documented_example.sh TESTS ROOT LIBRARY
set -u
tests=$(realpath "$1")
root=$(realpath "$2")
library=$(realpath "$3")
command -v cc >/dev/null || { echo 'skipped: no cc'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$tests/make_traces.py" "$work" || exit 1
cp "$tests/golden/trace-events" "$work/trace-events-all"
cd "$work" || exit 1

fail()
{
	echo "FAILED: $example: $*"
	exit 1
}

# build NAME: builds a program from the statements in the file NAME.part
build()
{
	example=$1
	{
		printf '#include <stdio.h>\n#include <waymark/reader.h>\nint main(void)\n{\n'
		cat "$1.part"
		printf 'return 0;\n}\n'
	} >"$1.c"
	grep -q waymark_reader_open "$1.c" || fail 'is not there'
	cc -Wall -Wextra -Werror -I "$root/include" "$1.c" "$library" \
		-Wl,-rpath,"$(dirname "$library")" -o "$1" || fail 'does not compile'
}

# shows TRACE STATUS LINES MESSAGE: compares the example's output for a trace
shows()
{
	rm -f my.trace
	[ "$1" = missing ] || cp "$1" my.trace
	"./$example" >out 2>err
	status=$?
	[ "$status" = "$2" ] || fail "$1: exit status $status"
	[ "$(wc -l <out)" = "$3" ] || fail "$1: $(wc -l <out) lines, not $3"
	[ -n "$4" ] || [ ! -s err ] || fail "$1: says '$(cat err)'"
	grep -q "$4" err || [ -z "$4" ] || fail "$1: does not say '$4'"
}

check()
{
	shows missing 1 0 'cannot open: No such file'
	shows v4 0 7 ''
	shows truncated 0 6 truncated
	shows lying-lengths 0 3 'its declaration asks for'
}

sed -n '1,/^ \*\//s/^ \*\t//p' "$root/include/waymark/reader.h" >header.part
build header
check
sed -n '/^\.Bd -literal/,/^\.Ed/p' "$root/docs/man/waymark-reader.3" |
	sed -e '/^\./d' -e 's/\\e/\\/g' >manual.part
build manual
check
