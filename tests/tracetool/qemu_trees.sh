#!/bin/sh
# SPDX-License-Identifier: MIT
# QEMU's declarations, 5.0 file by file and 10.2 in one, give headers and sources
# that compile without a warning as C99, gnu11 and C++11, for simple and log and for
# nop, and that link into one program each with the runtime.
#
# Each tree is compiled as one source: what 74 compilers would warn of, one warns
# of too. With `each` every source is compiled by itself, as a program has it, in
# every language by every compiler.
#
#	qemu_trees.sh TRACETOOL ROOT LIBWAYMARK [each]
library=$(realpath "$3")
each=${4:-}
. "$(dirname "$0")/lib.sh"

old=$data/qemu-5.0
new=$data/qemu-simpletrace/trace-events-all-10.2-i386-softmmu
if [ ! -d "$old" ] || [ ! -f "$new" ]; then
	echo "skipped: no QEMU declarations under $data"
	exit 77
fi
have gcc && have g++ || {
	echo "skipped: gcc or g++ is missing"
	exit 77
}

# generate BACKENDS FOLDER: trace-<group>.[hc] of each tree
generate()
{
	mkdir "$2" "$2/old" "$2/new"
	(cd "$old" && find . -type f) | sort >files
	while read -r file; do
		group=$(printf %s "${file#./}" | tr -c 'A-Za-z0-9' _)
		for format in h c; do
			(cd "$old" && "$tracetool" --format=$format --backends="$1" \
				--group="$group" "$file" "$tmp/$2/old/trace-$group.$format" \
				2>>"$tmp/diagnostics") || fail "$file: $format for $1"
		done
	done <files
	for format in h c; do
		"$tracetool" --format=$format --backends="$1" --group=all "$new" \
			"$2/new/trace-all.$format" 2>>diagnostics || fail "10.2: $format for $1"
	done
}

one_unit() # FOLDER
{
	echo '#include <waymark/record.h>'
	echo '#undef WAYMARK_REGISTER_OBJECT'
	echo '#define WAYMARK_REGISTER_OBJECT()'
	for source in "$1"/trace-*.c; do
		unit=$(basename "$source" .c | tr -c 'A-Za-z0-9\n' _)
		printf '#define waymark_group %s\n' "$unit"
		printf '#include "%s"\n#undef waymark_group\n' "$source"
	done
}

# plan FOLDER SOURCE COMPILER...: one more compilation to run; its I is our headers
plan()
{
	folder=$1
	source=$2
	shift 2
	echo "$* $warnings -I\"\$I\" -I$folder $source" >>plan
}

plan_each() # FOLDER COMPILER...
{
	from=$1
	shift
	for one in "$from"/*.c; do
		plan "$from" "$one" "$@" -fsyntax-only
	done
}

plan_objects() # FOLDER
{
	for one in "$1"/*.c; do
		object=$(basename "$one" .c).o
		plan "$1" "$one" gcc -std=gnu11 -O0 -c -o "objects/$object"
	done
}

# Every source in every language by every compiler, for tracing and for nop.
check_each()
{
	for compiler in gcc clang; do
		have $compiler || continue
		for folder in on/old on/new off/old off/new; do
			plan_each $folder $compiler -std=c99
			plan_each $folder $compiler -std=gnu11
			plan_each $folder $compiler -x c++ -std=c++11
		done
	done
	compile
}

# Runs what is planned, two at a time.
compile()
{
	tr '\n' '\0' <plan | I=$include xargs -0 -P2 -n1 sh -c '
		eval "$1" || { echo "FAILED: $1"; exit 1; }' sh || fail 'not all of it compiles'
	rm plan
}

link() # NAME OBJECT...
{
	name=$1
	shift
	gcc "$@" "$library" -o program || fail "$name: link"
	LD_LIBRARY_PATH=${library%/*} ./program || fail "$name: run"
}

generate simple,log on
generate nop off
if grep -q error: diagnostics; then
	fail "errors in QEMU's declarations"
fi
[ "$(wc -l <files)" -eq 74 ] || fail "$(wc -l <files) files in 5.0, not 74"

mkdir objects
echo 'int main(void) { return 0; }' >main.c
if [ "$each" ]; then
	check_each
	for tree in old new; do
		plan_objects on/$tree
		compile
		link $tree main.c objects/*.o
		rm objects/*
	done
	finish
fi

bits32=$(compilers_of_32_bits | head -n1)
for tree in new old; do
	one_unit on/$tree >on-$tree.c
	one_unit off/$tree >off-$tree.c
	plan on/$tree on-$tree.c gcc -std=gnu11 -O0 -c -o objects/$tree.o
	for state in on off; do
		plan $state/$tree $state-$tree.c g++ -x c++ -std=c++11 -fsyntax-only
		plan $state/$tree $state-$tree.c gcc -std=c99 -fsyntax-only
	done
	! have clang || plan on/$tree on-$tree.c clang -std=gnu11 -fsyntax-only
	[ -z "$bits32" ] || plan on/$tree on-$tree.c $bits32 -fsyntax-only
done
compile
# What one_unit() left out, once.
printf '#include <waymark/record.h>\nWAYMARK_REGISTER_OBJECT()\n' >register.c
for tree in old new; do
	link $tree -I"$include" main.c register.c objects/$tree.o
done
finish
