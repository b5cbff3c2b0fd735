#!/bin/sh
# SPDX-License-Identifier: MIT
# columns.sh WAYMARK ASK COLUMNS: batches of the reader are its records, of one trace and of two, and
# with gaps.
set -eu
waymark=$1 ask=$2 columns=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for name in one two; do
	WAYMARK_TRACE="*,backend=ctf,full=block,file=$tmp/$name.ctf" "$ask" 3 500
done
for traces in "$tmp/one.ctf" "$tmp/one.ctf $tmp/two.ctf"; do
	counted=$("$columns" $traces) || {
		echo "$counted"
		exit 1
	}
	wanted=$("$waymark" sql --csv $traces 'SELECT count(*) FROM events' | tail -1 | tr -d '\r')
	if [ "$counted" != "$wanted events" ]; then
		echo "$counted, not $wanted"
		exit 1
	fi
done

# More events than the memory has room for: some are lost, at many places.
WAYMARK_TRACE="*,backend=ctf,full=discard,buffer=1M,file=$tmp/lost.ctf" "$ask" 4 20000
counted=$("$columns" --gaps "$tmp/lost.ctf") || {
	echo "$counted"
	exit 1
}
wanted=$("$waymark" info "$tmp/lost.ctf" | awk '$1 == "events" { print $2; exit }')
case $counted in
*" 0 gaps"*)
	echo "the trace has no gap: $counted"
	exit 1
	;;
"$wanted events, "*) ;;
*)
	echo "$counted, not $wanted"
	exit 1
	;;
esac
