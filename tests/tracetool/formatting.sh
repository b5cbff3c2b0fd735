#!/bin/sh
# SPDX-License-Identifier: MIT
# Generated code is laid out as .clang-format says, and with ordinary names only a string makes a
# line longer than 100 columns: for the golden files, every type of argument, names of every
# length and, if they are installed, QEMU's declarations, which have lists of every length.
#
#	formatting.sh TRACETOOL ROOT
. "$(dirname "$0")/lib.sh"

if ! have clang-format-14; then
	echo "skipped: clang-format-14 is not installed"
	exit 77
fi
cp "$here"/golden/*.[ch] .
new=$data/qemu-simpletrace/trace-events-all-10.2-i386-softmmu
if [ -f "$new" ]; then
	# Every fifth event: enough to see each form, and fast.
	grep -vE '^[[:space:]]*(#|$)' "$new" | awk 'NR % 5 == 1' >some.events
	generate_c log,simple,syslog some some.events 2>/dev/null
fi
generate_c "$("$tracetool" --list-backends | tr -d ' ')" every "$here/trace-events"
generate_c log,simple types "$here/trace-events"
generate_c nop off "$here/trace-events"
for backend in $("$tracetool" --list-backends | tr -d ,); do
	generate_c "$backend" "golden_$backend" "$here/golden/trace-events"
done

# Names of every length in StratoVirt's declarations, and longer ones.
declare_toml() # TABLE NAME ARGUMENTS MESSAGE
{
	printf '[[%s]]\nname = "%s"\nargs = "%s"\nmessage = "%s"\nenabled = true\n' "$@"
}
name=e
while [ ${#name} -le 60 ]; do
	declare_toml events "$name" '' ''
	declare_toml events "${name}_b" 'fd: u32, d: &dyn fmt::Debug, b: &[u8]' '{} {:?} {:?}'
	[ $((${#name} % 3)) -ne 0 ] || declare_toml scopes "s$name" 'fd: u32' '{}'
	name=${name}e
done >lengths.toml
for backend in ust dtrace log; do
	generate_c $backend "lengths-$backend" lengths.toml
done
check_layout ./*.[ch]
expand "$here"/golden/*.[ch] | grep -E '.{101}' | grep -vE '^ *"' && fail 'longer than 100 columns'
finish
