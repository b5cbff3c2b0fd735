#!/bin/sh
# SPDX-License-Identifier: MIT
# Generated code is laid out as .clang-format says, and lines are broken where
# clang-format breaks them: over the golden files and, where they are, over all of
# QEMU's declarations, which have every length of name and list there is.
. "$(dirname "$0")/lib.sh"

if ! have clang-format-14; then
	echo "skipped: clang-format-14 is not installed"
	exit 77
fi
cp "$root/.clang-format" .
cp "$here"/golden/*.[ch] .
new=$data/qemu-simpletrace/trace-events-all-10.2-i386-softmmu
if [ -f "$new" ]; then
	# Every fifth event: enough to see each shape, and quick.
	grep -vE '^[[:space:]]*(#|$)' "$new" | awk 'NR % 5 == 1' >some.events
	for format in h c; do
		"$tracetool" --format=$format --backends=log,simple,syslog --group=some \
			--output=trace-some.$format some.events 2>/dev/null || fail "$format"
	done
fi
every=$("$tracetool" --list-backends | tr -d ' ')
for format in h c; do
	"$tracetool" --format=$format --backends="$every" --group=every \
		--output=trace-every.$format "$here/golden/trace-events" || fail "$format: every backend"
done
for file in *.[ch]; do
	clang-format-14 "$file" | diff "$file" - || fail "$file"
done
finish
