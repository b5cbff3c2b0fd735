#!/bin/sh
# SPDX-License-Identifier: MIT
# A library exports exactly the names of its version script, each with its version; debian/ lists
# them, so that a package that uses a name depends on the version that added it: maps.sh ROOT MAP
# LIBRARY
set -eu
export LC_ALL=C
root=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
status=0

differs() {
	echo "${3##*/}: $1 (<) and $2 (>) differ:"
	cat "$tmp/diff"
	status=1
}

# Prints name@NODE of each symbol, and NODE@NODE, as the linker has them.
sed -n '
	/^local:/q
	s/^\(WAYMARK[A-Z_0-9.]*\) {.*/\1/p
	s/^	\([a-z_0-9*?]*\);$/\1/p' "$2" |
	awk '/^WAYMARK/ { node = $1 } { print $1 "@" node }' | sort >"$tmp/map"
[ "$(wc -l <"$tmp/map")" -gt 2 ] || { echo "$2: not read"; exit 1; }
nm -D --defined-only "$3" | awk '{ sub(/@@/, "@", $3); print $3 ~ /@/ ? $3 : $2 == "A" ? $3 "@" $3 : $3 }' |
	sort >"$tmp/exported"
diff "$tmp/map" "$tmp/exported" >"$tmp/diff" || differs "the version script" "what is exported" "$3"

soname=$(readelf -d "$3" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
awk -v soname="$soname" '
	/^[^ *]/ { ours = $1 == soname }
	ours && /^ / { print $1 }' "$root/debian/libwaymark0.symbols" | sort >"$tmp/packaged"
diff "$tmp/packaged" "$tmp/exported" >"$tmp/diff" || {
	differs "debian/libwaymark0.symbols" "what is exported" "$3"
	echo "tools/abi BUILD --update writes the list"
}
exit $status
