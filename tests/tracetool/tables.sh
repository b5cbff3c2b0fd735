#!/bin/sh
# SPDX-License-Identifier: MIT
# The two tables of the emitters and what they name agree: each row has its emitter in its folder,
# each emitter its row, and tracetool lists what they say.
#
#	tables.sh TRACETOOL ROOT
. "$(dirname "$0")/lib.sh"

emit=$root/src/emit

# compare KIND LISTED-BY-TRACETOOL: ids name files, names are what tracetool lists
compare()
{
	upper=$(echo "$1" | tr a-z A-Z)
	sed -n "s/^EMIT_$upper(\([a-z_]*\),.*/\1/p" "$emit/$1s.def" >ids
	if [ "$1" = format ]; then
		sed -n 's/^EMIT_FORMAT([a-z_]*, "\([a-z-]*\)".*/\1/p' "$emit/$1s.def" >names
	else
		cp ids names
	fi
	sed -n "s/^\(void\|const struct emit_backend\) emit_$1_\([a-z_]*\)[( ].*/\2/p" \
		"$emit"/backends.c "$emit/$1"/*.c | sort >made
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
