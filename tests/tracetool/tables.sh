#!/bin/sh
# SPDX-License-Identifier: MIT
# The two tables of the emitters are complete: each row has its emitter in the folder, each
# emitter its row, and tracetool lists the rows.
#
#	tables.sh TRACETOOL ROOT
. "$(dirname "$0")/lib.sh"

emit=$root/src/emit

# compare KIND LISTED-BY-TRACETOOL: ids name files; the names must equal tracetool's list
compare()
{
	if [ "$1" = format ]; then
		sed -n "s/^EMIT_FORMAT(\([a-z_]*\),.*/\1/p" "$emit/formats.def" >ids
		sed -n 's/^EMIT_FORMAT([a-z_]*, "\([a-z-]*\)".*/\1/p' "$emit/formats.def" >names
		sed -n "s/^void emit_format_\([a-z_]*\)(.*/\1/p" "$emit"/format/*.c | sort >made
	else
		table=$root/include/waymark/backends.def
		{ echo nop; sed -n 's/^	ROW([0-9]*, [A-Z]*, \([a-z]*\), .*/\1/p' "$table"; } >names
		cp names ids
		{ # those of text are made of their rows
			sed -n 's/^	ROW([0-9]*, [A-Z]*, \([a-z]*\), text.*/\1/p' "$table"
			sed -n 's/^const struct emit_backend emit_backend_\([a-z]*\) .*/\1/p' \
				"$emit"/backends.c "$emit"/backend/*.c
		} | sort >made
	fi
	[ -s ids ] || fail "$1s.def has no row"
	sort ids | diff - made || fail "$1s.def (<) and the emitters in $1/*.c (>) differ"
	tr - _ <names | diff ids - || fail "$1s.def: ids (<) and names (>) differ"
	echo "$2" | sed 's/, /\n/g' | diff names - || fail "$1s.def (<) and tracetool (>) differ"
	while read -r name; do
		"$tracetool" --help | grep -qE "^  $name  +[A-Za-z]" || fail "--help lacks $1 $name"
	done <names
}

compare format "$("$tracetool" --list-formats)"
compare backend "$("$tracetool" --list-backends)"
finish
