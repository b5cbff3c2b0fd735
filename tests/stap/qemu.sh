#!/bin/sh
# SPDX-License-Identifier: MIT
# SystemTap accepts the three tapsets of QEMU's declarations, of 10.2 in one file and of
# 5.0 in 74 files, made by the command of QEMU's tracing document: it parses all of them,
# and finds some events or, with `all`, all events in a program that has them.
#
#	qemu.sh TRACETOOL ROOT [all]
all=${3:-}
. "$(dirname "$0")/lib.sh"

old=$data/qemu-5.0
new=$data/qemu-simpletrace/trace-events-all-10.2-i386-softmmu
[ -d "$old" ] && [ -f "$new" ] || skip "no QEMU declarations under $data"

# generate FOLDER: makes the tapsets of FOLDER.events
generate()
{
	mkdir "$1"
	for format in stap log-stap simpletrace-stap; do
		"$tracetool" --backends=log --format=$format --binary "$tmp/$1.program" \
			--target-type system --target-name x86_64 <"$1.events" >"$1/$format.stp" 2>err ||
			fail "$1: $format: $(grep -m1 'rror: ' err)"
	done
}

# parsed FOLDER EVENTS
parsed()
{
	for file in "$1"/*.stp; do
		found=$(systemtap -p1 "$file" 2>err | grep -c '^probe qemu.*{$')
		[ "$found" -eq "$2" ] || fail "$file: $found of $2 events: $(head -n5 err)"
	done
}

# resolved FOLDER: SystemTap finds each event in a program, and knows the types of the printed
# values
resolved()
{
	python3 "$here/shim.py" program "$1/stap.stp" >"$1.c" || fail "$1: marks"
	gcc -O0 "$1.c" -o "$1.program" || fail "$1: gcc"
	for infix in log. simpletrace.; do
		systemtap -p2 -I "$1" -e "probe qemu.system.x86_64.$infix* { }" >found 2>err ||
			fail "$1: $infix: $(cat err)"
		found=$(grep -c '^process(' found)
		wanted=$(grep -c '^probe ' "$1/stap.stp")
		[ "$found" -eq "$wanted" ] || fail "$1: $infix: $found of $wanted events"
	done
}

cp "$new" new.events
for file in $(cd "$old" && find . -type f | sort); do
	cat "$old/$file"
done >old.events
[ "$(find "$old" -type f | wc -l)" -eq 74 ] || fail 'not 74 files in 5.0'
generate new
generate old
parsed new 5995
parsed old 3701
if [ "$all" ]; then
	resolved new
	resolved old
	finish
fi
grep -hvE '^[[:space:]]*(#|$)' old.events | awk 'NR % 40 == 1' >some.events
generate some
resolved some
finish
