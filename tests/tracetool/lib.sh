# SPDX-License-Identifier: MIT
# Shared by the scripts of this folder. Sourced with TRACETOOL and ROOT (the repository)
# as the first two arguments; changes to an empty directory, which is removed at exit.

tracetool=$(realpath "$1")
root=$(realpath "$2")
here=$root/tests/tracetool
include=$root/include
data=$(realpath -m "${WAYMARK_SHARED:-$root/../shared}")/data
warnings='-Wall -Wextra -Wpedantic -Werror'
# Options for linking our library with gcc: if the library has TSan, TSan must be loaded first.
tsan=
[ "${WAYMARK_SANITIZER-}" != thread ] || tsan=-fsanitize=thread
failures=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

fail() # MESSAGE...
{
	echo "FAILED: $*"
	failures=$((failures + 1))
}

finish()
{
	echo "$failures failures"
	[ "$failures" -eq 0 ]
	exit
}

# check_layout FILE...: generated code has the layout of .clang-format, except for the generator's
# line breaks: one item per line if a list is too long for one line.
check_layout()
{
	sed '/^ColumnLimit:/d; /^AlignEscapedNewlines:/d' "$root/.clang-format" >.clang-format
	printf '%s\n' 'ColumnLimit: 0' 'AlignEscapedNewlines: DontAlign' >>.clang-format
	for file; do
		clang-format-14 "$file" | diff "$file" - || fail "$file: layout"
	done
}

have() # COMMAND
{
	command -v "$1" >/dev/null
}

# generate_c BACKENDS GROUP EVENTS [OPTION...]: makes trace-GROUP.h and .c in the current folder
generate_c()
{
	with=$1 group=$2 events=$3
	shift 3
	for format in h c; do
		"$tracetool" --format=$format --backends="$with" --group="$group" "$@" \
			--output="trace-$group.$format" "$events" || fail "$with, $group: $format"
	done
}

# needs BACKEND: prints the system headers that it needs, for the compiler to find.
needs() # BACKEND
{
	case $1 in
	ust) echo lttng/tracepoint.h ;;
	dtrace) echo sys/sdt.h ;;
	*) echo stdio.h ;;
	esac
}

# usable: prints the backends of tracetool that can be compiled here
usable()
{
	for one in $("$tracetool" --list-backends | tr -d ,); do
		echo "#include <$(needs "$one")>" | gcc -E - >out.i 2>&1 && echo "$one"
	done
}

# compilers: prints the installed compilers, with the languages that generated code must support.
compilers()
{
	! have gcc || printf '%s\n' 'gcc -std=c99' 'gcc -std=gnu11' 'gcc -std=gnu2x'
	! have g++ || echo 'g++ -x c++ -std=c++11'
	! have clang || printf '%s\n' 'clang -std=c99' 'clang -std=gnu11' 'clang -std=gnu2x'
	! have clang++ || echo 'clang++ -x c++ -std=c++11'
}

# compilers_of_32_bits: a host with another size of `long`, without its libc: this host's headers
# suffice.
compilers_of_32_bits()
{
	headers=/usr/include/x86_64-linux-gnu
	[ -d $headers ] || return 0
	mkdir -p gnu
	: >gnu/stubs-32.h
	for compiler in gcc clang; do
		! have $compiler || echo "$compiler -m32 -std=c99 -isystem $headers -isystem ."
	done
}
