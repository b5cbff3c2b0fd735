#!/bin/bash
# SPDX-License-Identifier: MIT
# A program whose trace points are compiled out calls every function of waymark/linked.h and is
# linked without the library: the functions do nothing. If one of its files has trace points, the
# functions work with every way of linking: the linker drops no library that only weak references
# name, and no member of the archive.
#
#	unlinked.sh TRACETOOL ROOT LIBWAYMARK.SO LIBWAYMARK.A COMPILER...
shared=$(realpath "$3")
static=$(realpath "$4")
. "$(dirname "$0")/../tracetool/lib.sh"
sources=$root/tests/site
warnings="$warnings -Wshadow -Wconversion -Wsign-compare -Wcast-qual -Wundef -Wredundant-decls"
shift 4

cat >nothing <<-'END'
	set_dialect 0
	configure nothing 0
	configure -1 this program has been built without tracing
	configure, no error wanted -1
	option_help none
	init 0
	push_descriptors 0
	descriptors as before
	no room -1
	jail_syscalls none
	flush 0
	snapshot 0
	snapshot_to NULL 0
	snapshot_to -1
	with a reason
END
cat >everything <<-'END'
	set_dialect 0
	configure nothing 0
	configure 0
	configure, no error wanted 0
	option_help some
	init 0
	push_descriptors -1
	descriptors added
	no room -1
	jail_syscalls some
	flush 0
	snapshot 0
	snapshot_to NULL 0
	snapshot_to -1
	with a reason
	Thing { a: 1, .. }
	Tuple(2)
	[]
	{}
	{3: 4}
	Plain
	()
	Some(5)
	None
	Ok(6)
	7
	text
END

# The program calls every function that a header makes weak.
functions_are_called()
{
	sed -n 's/^#define \(waymark_[a-z_]*\) \1_or_not$/\1/p' "$include"/waymark/*.h >weak
	[ "$(wc -l <weak)" -ge 20 ] || fail 'no weak functions are found'
	while read -r name; do
		grep -q "$name(" "$sources/unlinked.c" || fail "$name() is not called by the test"
	done <weak
}

# build COMPILER POINT-OPTIONS OPTIONS LIBRARY...: builds ./program; only the trace point's file
# gets POINT-OPTIONS
build()
{
	local compiler=$1 point=$2 options=$3 language=-std=gnu11
	shift 3
	case $compiler in *++) language='-x c++ -std=c++11' ;; esac
	case $compiler in clang*) options="$options -Wno-unused-command-line-argument" ;; esac
	$compiler $warnings $language $options $point -I"$include" -c "$sources/unlinked-point.c" -o point.o &&
		$compiler $warnings $language $options -I"$include" -c "$sources/unlinked.c" -o main.o &&
		$compiler $options main.o point.o -o program "$@" || fail "$compiler $point $options"
}

does_nothing() # COMPILER OPTIONS
{
	build "$1" "${point-}" "$2"
	./program >out 2>err || fail "$1 $2: exit $?"
	cat err >>out
	diff nothing out || fail "$1 $2"
}

does_all() # COMPILER OPTIONS LIBRARY...
{
	local what="$*"
	build "$1" -DWAYMARK_SCOPES=log,ctf "$2" "${@:3}"
	LD_LIBRARY_PATH=$(dirname "$shared") WAYMARK_TRACE=backend=log,log.prefix=none ./program >out 2>err ||
		fail "$what: exit $?"
	sed -n 's/.*&i): \(.*\))$/\1/p' err >>out
	diff everything out || fail "$what: $(cat err)"
	rm -rf trace-*.ctf
}

# A library of the program has the events; nothing else in it refers to Waymark's library.
behind_a_library()
{
	local compiler=$1 options=$2
	$compiler -DWAYMARK_SCOPES=log,ctf -fPIC -shared -I"$include" "$sources/unlinked-point.c" -o libpoint.so \
		-L"$(dirname "$shared")" -lwaymark &&
		$compiler $options -I"$include" -rdynamic "$sources/unlinked.c" -o program -L. -lpoint \
			-Wl,--as-needed -L"$(dirname "$shared")" -lwaymark || fail "$*: no library"
	LD_LIBRARY_PATH=.:$(dirname "$shared") WAYMARK_TRACE=backend=log,log.prefix=none ./program >out 2>err ||
		fail "$*: exit $?"
	sed -n 's/.*&i): \(.*\))$/\1/p' err >>out
	diff everything out || fail "$*: $(cat err)"
	rm -rf trace-*.ctf
}

if [ "${WAYMARK_SANITIZER-}" = thread ]; then
	echo "skipped: a program without TSan cannot load a library with it"
	exit 77
fi
functions_are_called
for compiler in "$@"; do
	have $compiler || { echo "skipped: $compiler is missing"; exit 77; }
	does_nothing $compiler -O0
	point=-DWAYMARK_SCOPES=nop does_nothing $compiler '-O2 -fPIE -pie'
	point=-DWAYMARK_SCOPES_DEFAULT=nop does_nothing $compiler '-O2 -fno-pie -no-pie'
	does_nothing $compiler '-O2 -flto'
	does_all $compiler -O2 -Wl,--as-needed "$shared"
	does_all $compiler '-O2 -fno-pie -no-pie' -Wl,--as-needed "$shared"
	does_all $compiler '-O2 -flto' -Wl,--as-needed "$shared"
	does_all $compiler '-O0 -DWAYMARK_LINKED' "$shared"
	# A sanitizer's library must be loaded first, and is in no static program.
	[ -z "${WAYMARK_SANITIZER-}" ] || continue
	case $compiler in *++) ;; *) behind_a_library $compiler -O1 ;; esac
	does_nothing $compiler '-O1 -static'
	does_all $compiler '-O1 -static' "$static" -lpthread
done
finish
