#!/bin/sh
# SPDX-License-Identifier: MIT
# One file a format, one file a backend, one line a table: the folder of the
# emitters and its two tables agree, and tracetool lists what they say.
. "$(dirname "$0")/lib.sh"

emit=$root/src/emit

compare() # KIND LISTED-BY-TRACETOOL
{
	upper=$(echo "$1" | tr a-z A-Z)
	sed -n "s/^EMIT_$upper(\([a-z_]*\),.*/\1/p" "$emit/$1s.def" >table
	[ "$1" = backend ] || sed -i s/_/-/g table # a format's name has dashes, its file has none
	(cd "$emit" && ls "$1"_*.c) | sed "s/^$1_\(.*\)\.c$/\1/; s/_/-/g" | sort >files
	[ -s table ] || fail "$1s.def has no row"
	sort table | diff - files || fail "$1s.def (<) and the files $1_*.c (>) differ"
	# A name's dash is an underscore where C wants an identifier.
	echo "$2" | sed 's/, /\n/g' | tr - _ | diff table - || fail "$1s.def (<) and tracetool (>) differ"
	while read -r name; do
		"$tracetool" --help | tr - _ | grep -qE "^  $name  +[A-Za-z]" || fail "--help lacks $1 $name"
	done <table
}

compare format "$("$tracetool" --list-formats)"
compare backend "$("$tracetool" --list-backends)"
finish
