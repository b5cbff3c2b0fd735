#!/bin/sh
# SPDX-License-Identifier: MIT
# Declarations in TOML as Rust modules: events have their values in the log and in a native
# trace; a type that Rust cannot pass is an error, one for each event, and no file is written.
#
#	declared.sh TRACETOOL ROOT LIBWAYMARK WAYMARK
root=$(realpath "$2")
library=$(realpath "$3")
waymark=$(realpath "$4")
. "$root/tests/rust/lib.sh"

export LD_LIBRARY_PATH="${library%/*}"
unset WAYMARK_TRACE WAYMARK_LOG_LEVEL
cp "$root"/tests/rust/declared.* .

cat >expected <<'END'
[integers] 255 -128 0xffff -2 00be -2147483648 18446744073709551615 -9223372036854775808
[others] 18446744073709551615 -1 true 3 0.1 1e16
[texts] plain "a \"b\""
[references] 7 lent EventFd { eventfd: File { fd: 9, path: "anon_inode:[eventfd]", read: true, write: true } }
[bare] 
END
fires() # BACKENDS OPTIONS
{
	for format in h c rs; do
		name=trace-rust.$format
		[ $format != rs ] || name=trace.rs
		"$tracetool" --format=$format --backends="$1" --group=rust -o "$name" declared.toml ||
			fail "$1: tracetool: $format"
	done
	! have rustfmt || rustfmt --check trace.rs || fail "$1: layout"
	gcc $warnings -O1 -I"$include" -I. -c trace-rust.c || fail "$1: gcc"
	for compiler in $(rust_compilers); do
		"$compiler" --edition=2021 -C link-arg=trace-rust.o -C link-arg="$library" -o program \
			declared.rs || fail "$1: $compiler"
		rm -rf trace.ctf
		WAYMARK_TRACE="*,log.prefix=none$2" ./program 2>log ||
			fail "$1: exit $?"
		diff expected log || fail "$1, $compiler: the log"
	done
}

fires log ''
fires ctf,log ,ctf.file=trace.ctf
"$waymark" print trace.ctf | sed 's/^ *[^ ]* *[^ ]* \([a-z]*\) \{0,1\}/[\1] /' >printed
diff expected printed || fail 'the native trace'

refused() # ARGUMENT TABLE WORDS
{
	printf '[[%s]]\nname = "e"\nargs = "%s"\nmessage = "%s"\nenabled = true\n' \
		"$2" "$1" "$([ -z "$1" ] || echo '{:?}')" >bad.toml
	rm -f bad.rs
	! "$tracetool" --format=rs --backends=ctf,log --group=rust -o bad.rs bad.toml 2>said ||
		fail "$1: no error"
	[ "$(grep -c error: said)" -eq 1 ] && grep -q "^bad.toml:[23]:[0-9]*: error: 'e' $3" said &&
		[ ! -e bad.rs ] || fail "$1: $(cat said)"
}

for type in str '&[u8]' 'Vec<u8>' u128 i128 '&dyn fmt::Debug'; do
	refused "a: $type" events "has an argument of type '.*', which a module of Rust cannot pass"
done
refused '' scopes 'is a scope, which a module of Rust cannot begin'
refused 'size: u64' scopes 'is a scope, which a module of Rust cannot begin'
finish
