#!/bin/sh
# SPDX-License-Identifier: MIT
# The generated code for golden/trace-events is the one beside it. To see what a
# change of an emitter does, and to accept it: golden.sh TRACETOOL ROOT --update
. "$(dirname "$0")/lib.sh"

# generate BACKENDS FORMAT OUTPUT: as a build would, from the folder of the declarations
generate()
{
	(cd "$here/golden" && "$tracetool" --format="$2" --backends="$1" --group=types \
		--output="$3" trace-events)
}

for backends in simple,log nop syslog; do
	for format in h c; do
		name=$backends-types.$format
		[ $backends = simple,log ] && name=trace-types.$format
		if [ "${3:-}" = --update ]; then
			generate $backends $format "$here/golden/$name"
		elif ! generate $backends $format "$tmp/$name"; then
			fail "$name was not generated"
		elif ! diff -u "$here/golden/$name" "$name"; then
			fail "golden/$name differs (see the head of golden.sh)"
		fi
	done
done
finish
