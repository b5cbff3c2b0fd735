#!/bin/sh
# SPDX-License-Identifier: MIT
# columns.sh WAYMARK ASK COLUMNS: batches of the reader are its records, of one trace and of two.
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
