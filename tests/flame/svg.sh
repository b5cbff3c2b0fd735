#!/bin/sh
# SPDX-License-Identifier: MIT
# Flame graphs are valid XML with any bytes in names, and equal the goldens:
# svg.sh GOLDEN PICTURE [--update]
set -eu
golden=$1
picture=$2
if ! command -v xmllint >/dev/null; then
	echo "xmllint is not installed"
	exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

for kind in small names deep empty most; do
	"$picture" "$kind" >"$dir/$kind.svg" 2>"$dir/$kind.counts"
	xmllint --huge --noout "$dir/$kind.svg"
done

# The golden is the picture without the script, which is a file of the sources.
sed '/^<script>/,/<\/script>$/d' "$dir/small.svg" >"$dir/still.svg"
if [ "${3-}" = --update ]; then
	cp "$dir/still.svg" "$golden"
fi
diff -u "$golden" "$dir/still.svg"

fail() {
	echo "$1"
	exit 1
}
grep -q 'no time was measured' "$dir/empty.svg" || fail "an empty graph does not say so"
grep -q '^20000 frames, 0 left out' "$dir/deep.counts" || fail "deep stacks are cut"
for text in '&lt;script&gt;alert(1)&lt;/script&gt;' ']]&gt;' '\\x01\\x02' '\\ufffe\\uffff' \
	'\\xed\\xa0\\x80' '\\u202e\\u0085' '日本語のとても長い名前は切られる' 'x\{10000\}$'; do
	grep -q -- "$text" "$dir/names.svg" || fail "names.svg lacks $text"
done
