#!/bin/sh
# SPDX-License-Identifier: MIT
# One file a format, one file a backend, one line a table: the folder of the
# emitters and its two tables agree, and tracetool lists what they say.
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
	(cd "$emit/$1" && ls *.c) | sed "s/\.c$//" | sort >files
	[ -s ids ] || fail "$1s.def has no row"
	sort ids | diff - files || fail "$1s.def (<) and the files $1/*.c (>) differ"
	tr - _ <names | diff ids - || fail "$1s.def: ids (<) and names (>) differ"
	echo "$2" | sed 's/, /\n/g' | diff names - || fail "$1s.def (<) and tracetool (>) differ"
	while read -r name; do
		"$tracetool" --help | grep -qE "^  $name  +[A-Za-z]" || fail "--help lacks $1 $name"
	done <names
}

compare format "$("$tracetool" --list-formats)"
compare backend "$("$tracetool" --list-backends)"
finish
