#!/bin/sh
# SPDX-License-Identifier: MIT
# Generated modules compile without a warning of any lint that programs usually forbid, with
# every installed rustc, in two editions, as a file and by include!(), and rustfmt changes
# nothing: the golden files of tests/tracetool, events of every type and of every length of
# list, and QEMU's 5.0 and 10.2 if they are installed.
#
#	compile.sh TRACETOOL ROOT
root=$(realpath "$2")
. "$root/tests/rust/lib.sh"

lints='warnings, future_incompatible, missing_docs, nonstandard_style, rust_2018_idioms,
	unreachable_pub, unsafe_code, unsafe_op_in_unsafe_fn, unused'

generate() # BACKENDS INPUT OUTPUT
{
	"$tracetool" --format=rs --backends="$1" --group=some --max-args=32 -o "$3" "$2" \
		2>>diagnostics || fail "$2: tracetool"
}

# crate NAME: makes a crate of all modules in the folder NAME
crate()
{
	echo "#![deny($lints)]"
	echo '//! All modules of a tree.'
	for module in "$1"/*.rs; do
		printf '/// A group.\npub mod %s;\n' "$(basename "$module" .rs)"
	done
}

compile() # COMPILER EDITION NAME
{
	crate "$3" >lib.rs
	mv lib.rs "$3"
	"$1" --edition="$2" --crate-type=lib --emit=metadata -o "$3.rmeta" "$3/lib.rs" ||
		fail "$1 $2: $3"
	rm "$3/lib.rs"
}

# Formatting changes nothing. `rustfmt --check` is not used: it runs out of memory on long files.
formatted() # NAME
{
	mkdir "$1.formatted"
	cp "$1"/*.rs "$1.formatted"
	rustfmt "$1.formatted"/*.rs || fail "rustfmt: $1"
	diff -r "$1" "$1.formatted" || fail "rustfmt lays out otherwise (>): $1"
}

cat >lists.events <<'E_O_F'
names(int type, int self, int self_, int _, const char *match, int None, int DEBUG) "%d %d %d %d %s %d %d"
pointers(char **argv, const char **names, const void *const *slots, const char *const *words, unsigned long *flags, char *const *list) "%p %p %p %p %p %p"
short_arguments(int bs, int src, int src_offset, int dst, int dst_offset, int bytes, int flags, int ret) "%d %d %d %d %d %d %d %d"
disable switched_off_wide(uint64_t first_offset, uint64_t second_offset, int _a, int a, const char *type) "%" PRIu64 "%" PRIu64 "%d%d%s"
E_O_F
mkdir small
cp "$root"/tests/tracetool/golden/*.rs small
generate ctf,log lists.events small/on.rs
generate ctf,dtrace,ust lists.events small/outside.rs
generate nop lists.events small/off.rs
mkdir types
generate ctf,log "$root/tests/tracetool/trace-events" types/on.rs
generate ctf /dev/null small/nothing.rs
# Private functions that are never called.
printf '#![deny(%s)]\n//! A crate.\nmod trace {\n    include!("small/on.rs");\n}\n' \
	"$lints" >included.rs
for compiler in $(rust_compilers); do
	"$compiler" --crate-type=lib --emit=metadata --edition=2021 included.rs || fail "$compiler: include!"
done
# A module without the platform's C types works without std.
echo 'bare(uint64_t a, void *p, bool b, size_t c) "%" PRIu64 " %p %d %zu"' >bare.events
generate ctf bare.events bare.rs
printf '#![no_std]\n#![deny(%s)]\n//! A crate.\nmod bare;\n' "$lints" >no_std.rs
"$compiler" --crate-type=lib --emit=metadata --edition=2021 no_std.rs || fail "no_std"
for tree in small types; do
	for compiler in $(rust_compilers); do
		compile "$compiler" 2018 $tree
		compile "$compiler" 2021 $tree
	done
	! have rustfmt || formatted $tree
done

old=$data/qemu-5.0
new=$data/qemu-simpletrace/trace-events-all-10.2-i386-softmmu
if [ -d "$old" ] && [ -f "$new" ]; then
	mkdir old new
	(cd "$old" && find . -type f) | sort >files
	[ "$(wc -l <files)" -eq 74 ] || fail "$(wc -l <files) files in 5.0, not 74"
	while read -r file; do
		generate ctf,log "$old/$file" "old/g$(printf %s "${file#./}" | tr -c 'a-z0-9' _).rs"
	done <files
	[ "$(ls old | wc -l)" -eq 74 ] || fail 'not 74 modules'
	generate ctf,log "$new" new/all.rs
	compiler=$(rust_compilers | head -n1)
	compile "$compiler" 2021 old
	compile "$compiler" 2021 new
	! have rustfmt || formatted old
else
	echo "QEMU's declarations are not under $data: not tested with them"
fi
! grep error: diagnostics || fail 'errors in declarations'
finish
