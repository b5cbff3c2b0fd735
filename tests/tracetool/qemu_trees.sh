#!/bin/sh
# SPDX-License-Identifier: MIT
# QEMU's declarations, 5.0 file by file and 10.2 in one, give every format for all of
# QEMU's backends at once. Headers and sources compile without a warning, for all but
# ust as gnu11, for simple and log and for nop as C99, gnu11 and C++11, and link into one
# program each with the runtime. Those of ust: tests/ust/qemu_trees.sh.
#
# Each tree is compiled as one source, because one compiler run gives the same warnings as 74.
# The older tree is linked; the newer one, which is twice as large and similar, is compiled in
# more languages. With `each`, every source of both is compiled by itself, as in a program, in
# every language by every compiler, and both are linked.
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

# generate BACKENDS FOLDER: makes trace-<group>.[hc] of each tree
generate()
{
	mkdir "$2" "$2/old" "$2/new"
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

# every_format BACKENDS: each format's output mentions each file that has an enabled event
every_format()
{
	for format in $("$tracetool" --list-formats | tr -d ,); do
		while read -r file; do
			make_format $format "$1" "$old/${file#./}"
		done <files
		make_format $format "$1" "$new"
	done
}

make_format() # FORMAT BACKENDS FILE
{
	"$tracetool" --format=$1 --backends="$2" --group=all --binary=/usr/bin/qemu \
		--probe-prefix=qemu.system "$3" output 2>>diagnostics || fail "$3: $1 for $2"
	[ -s output ] || ! grep -qE '^[a-z_0-9]+\(' "$3" || fail "$3: $1 for $2 is empty"
}

# one_unit FOLDER: all sources in one, where each signature's functions may be only once
one_unit()
{
	echo '#include <waymark/record.h>'
	echo '#undef WAYMARK_REGISTER_OBJECT'
	echo '#define WAYMARK_REGISTER_OBJECT()'
	awk 'FNR == 1 { printf "#undef waymark_group\n#define waymark_group group%d\n", ++n }
		/^WAYMARK_(INLINE bool record|HOT static void to)_/ {
			split($0, part, "(")
			skip = seen[part[1]]++
		}
		!skip
		/^}/ { skip = 0 }' "$1"/trace-*.c
}

# plan FOLDER SOURCE COMPILER...: adds a compilation to run; its I is our headers
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

# Plans every source in every language with every compiler, for tracing and for nop.
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

# Runs the planned commands, two at a time.
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

(cd "$old" && find . -type f) | sort >files
every_format dtrace,ftrace,log,simple,syslog,ust
generate dtrace,ftrace,log,simple,syslog all
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
	for folder in on/old on/new all/old all/new; do
		plan_objects $folder
		compile
		link $folder main.c objects/*.o
		rm objects/*
	done
	finish
fi

bits32=$(compilers_of_32_bits | head -n1)
plan all/old all-old.c gcc -std=gnu11 -O0 -c -o objects/old.o
for tree in new old; do
	one_unit on/$tree >on-$tree.c
	one_unit off/$tree >off-$tree.c
	one_unit all/$tree >all-$tree.c
	plan on/$tree on-$tree.c g++ -x c++ -std=c++11 -fsyntax-only
	plan off/$tree off-$tree.c gcc -std=c99 -fsyntax-only
	[ $tree = new ] || continue
	plan all/$tree all-$tree.c gcc -std=gnu11 -fsyntax-only
	plan on/$tree on-$tree.c gcc -std=c99 -fsyntax-only
	plan off/$tree off-$tree.c g++ -x c++ -std=c++11 -fsyntax-only
	! have clang || plan on/$tree on-$tree.c clang -std=gnu11 -fsyntax-only
	[ -z "$bits32" ] || plan on/$tree on-$tree.c $bits32 -fsyntax-only
done
compile
# The parts that one_unit() left out, only once.
printf '#include <waymark/record.h>\nWAYMARK_REGISTER_OBJECT()\n' >register.c
link old -I"$include" main.c register.c objects/old.o
finish
