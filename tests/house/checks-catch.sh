#!/bin/sh
# SPDX-License-Identifier: MIT
# Each check of the house fails on a tree that breaks its rule: checks-catch.sh ROOT
set -eu
root=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
status=0

mkdir -p "$tmp/tools" "$tmp/src/low" "$tmp/src/high" "$tmp/include" "$tmp/tests" "$tmp/examples" \
	"$tmp/bench"
: >"$tmp/tools/metrics-exceptions"
: >"$tmp/src/low/a.h"
printf '#include "low/a.h"\n' >"$tmp/src/high/a.c"

# expect RESULT TEXT COMMAND...: the command's exit code, and what it prints.
expect() {
	want=$1 text=$2
	shift 2
	code=0
	out=$("$@" 2>&1) || code=$?
	case $code:$out in
	"$want:"*"$text"*) ;;
	*)
		echo "wanted exit $want and \"$text\", got $code from: $*"
		echo "$out"
		status=1
		;;
	esac
}

# table ROW...: of the layers, and a page that shows them as they are.
table() {
	printf '%s\n' "$@" >"$tmp/tools/layers"
	{
		printf '<!-- layers: tools/check-layers -w draws -->\n<!-- /layers -->\n'
		printf '%s\n' "$@" | sed 's,\([^ ]*\) .*,| `src/\1` | x | - |,'
	} >"$tmp/ARCHITECTURE.md"
	"$root/tools/check-layers" -w "$tmp" >"$tmp/told" || :
}
layers() { expect "$1" "$2" "$root/tools/check-layers" "$tmp"; }
metrics() { expect "$1" "$2" "$root/tools/check-metrics" "$tmp"; }
text() { expect "$1" "$2" "$root/tests/house/text.py" "$3" "$tmp" "${4-}"; }

table 'low -' 'high low'
layers 0 ''
printf '#include "high/a.h"\n' >"$tmp/src/low/a.c"
layers 1 'low may not include "high/a.h"'
printf '#include <waymark/event.h>\n' >"$tmp/src/low/a.c"
layers 1 'low may not include "waymark/event.h"'
mkdir "$tmp/src/new"
: >"$tmp/src/new/a.c"
layers 1 "new stands only in src/"
rm -r "$tmp/src/new" "$tmp/src/low/a.c"
mkdir "$tmp/src/low/room"
: >"$tmp/src/low/room/b.h"
layers 1 "low/room stands only in src/"
table 'low -' 'low/room low' 'high low'
layers 1 'no file of low/room includes low: take it out'
printf '#include "low/a.h"\n' >"$tmp/src/low/room/b.h"
layers 0 ''
layers 0 ''
printf '#include "low/room/b.h"\n' >"$tmp/src/high/b.c"
layers 1 'high may not include "low/room/b.h"'
printf '#include "low/room/b.h"\n' >"$tmp/src/low/a.h"
table 'low low/room/b.h' 'low/room low' 'high low low/room'
layers 1 'in a circle: low low/room'
rm -r "$tmp/src/low/room" "$tmp/src/high/b.c"
: >"$tmp/src/low/a.h"
table 'high low' 'low -'
layers 0 ''
printf 'low -\nhigh low\n' >"$tmp/tools/layers"
layers 1 'has not the rows of tools/layers in their order: see high'
table 'low -' 'high low'
sed 's/| low |/| high |/' "$tmp/ARCHITECTURE.md" >"$tmp/page"
cp "$tmp/page" "$tmp/ARCHITECTURE.md"
layers 1 'the layers are others now'
table 'low -' 'high low'
: >"$tmp/src/high/b.c"
layers 0 ''
printf '#include "high/a.h"\n' >"$tmp/src/low/a.c"
layers 1 'the layers are others now'
rm "$tmp/src/low/a.c" "$tmp/src/high/b.c"

metrics 0 ''
{
	printf 'int f(int a, int b, int c, int d, int e, int g)\n{\n'
	printf '\tif (a) {\n\tfor (;;) {\n\twhile (b) {\n\tif (c) {\n\t}\n\t}\n\t}\n\t}\n'
	seq -f '	a = %g;' 60
	printf '}\n'
} >"$tmp/src/low/b.c"
metrics 1 'b.c:2: f: lines 68'
metrics 1 'b.c:2: f: nesting 4'
metrics 1 'b.c:2: f: parameters 6'
seq -f 'int x%g;' 401 >"$tmp/src/low/b.c"
metrics 1 'b.c: file 401'
echo 'src/low/b.c file a table of constants' >"$tmp/tools/metrics-exceptions"
metrics 0 ''
rm "$tmp/src/low/b.c"
metrics 1 'is not needed'

text 0 '' paths
printf 'see /%s/someone/x\n' home >"$tmp/notes.md"
text 1 'notes.md:1: a path of one machine' paths
text 1 'a.c: no SPDX' licence
printf '[there](nowhere.md)\n' >"$tmp/notes.md"
text 1 'nowhere.md leads nowhere' links
printf 'see `src/low/gone.c`\n' >"$tmp/notes.md"
text 1 'there is no src/low/gone.c' links
printf '## 1.0\n' >"$tmp/NEWS.md"
text 0 '' version 1.0
text 1 'NEWS.md opens with 1.0' version 2.0
{
	printf '## Quick start\n```sh\n'
	seq 21
	printf '```\n## Next\n'
} >"$tmp/README.md"
text 1 'has 21 lines' readme
exit $status
