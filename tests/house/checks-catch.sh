#!/bin/sh
# SPDX-License-Identifier: MIT
# Each check of the repository fails on a tree that breaks its rule: checks-catch.sh ROOT
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

# expect RESULT TEXT COMMAND...: expects the command's exit code, and TEXT in its output.
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

# table ROW...: writes a table of layers, and a page that shows it.
table() {
	printf '%s\n' "$@" >"$tmp/tools/layers"
	{
		printf '<!-- layers: tools/check-layers -w draws -->\n<!-- /layers -->\n'
		printf '%s\n' "$@" | sed 's,\([^ ]*\) .*,| `src/\1` | x | - |,'
	} >"$tmp/ARCHITECTURE.md"
	"$root/tools/check-layers" -w "$tmp" >"$tmp/told" || :
}
layers() { expect "$1" "$2" "$root/tools/check-layers" "$tmp"; }
state() { expect "$1" "$2" "$root/tools/check-state" "$tmp"; }
built() { expect "$1" "$2" "$root/tools/check-state" -o "$tmp/build" "$tmp"; }

# declared NAME TEXT: the check finds that variable in a file that may have none.
declared() {
	printf '%b\n' "$2" >"$tmp/src/cmd/a.c"
	state 1 ": $1 is "
}
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

# circles STATUS TEXT: expects this status and TEXT of check-circles for the files in $tmp
circles() { expect "$1" "$2" "$root/tools/check-circles" "$tmp"; }
circles 0 ''
printf 'int f(void)\n{\n\treturn g();\n}\n' >"$tmp/src/high/a.c"
printf 'int g(void)\n{\n\treturn f();\n}\n' >"$tmp/src/high/b.c"
circles 1 'src/high: these call each other in a circle: a.c b.c'
sed -i 's/return f();/return \&f != 0;/' "$tmp/src/high/b.c"
circles 0 ''
printf 'int f(void);\n' >"$tmp/src/low/a.h"
circles 1 'src/low/a.h declares f, which src/high/a.c defines'
printf 'extern const int table[];\n' >"$tmp/src/low/a.h"
printf 'const int table[] = { 1 };\n' >>"$tmp/src/high/a.c"
circles 1 'src/low/a.h declares table, which src/high/a.c defines'
printf '#include "high/a.h"\n' >"$tmp/src/low/a.h"
printf '#include "low/a.h"\n' >"$tmp/src/high/a.h"
circles 1 'these include each other in a circle: src/high/a.h src/low/a.h'
: >"$tmp/src/low/a.h"
rm "$tmp/src/high/a.c" "$tmp/src/high/b.c" "$tmp/src/high/a.h"

head='/* SPDX-License-Identifier: MIT */
/* For the test. */'
echo "$head" | tee "$tmp/src/low/a.h" "$tmp/src/high/a.c" >/dev/null
metrics 0 ''
{
	echo "$head"
	printf 'int f(int a, int b, int c, int d, int e, int g)\n{\n'
	printf '\tif (a) {\n\tfor (;;) {\n\twhile (b) {\n\tif (c) {\n\t}\n\t}\n\t}\n\t}\n'
	seq -f '	a = %g;' 60
	printf '}\n'
} >"$tmp/src/low/b.c"
metrics 1 'b.c:4: f: lines 68'
metrics 1 'b.c:4: f: nesting 4'
metrics 1 'b.c:4: f: parameters 6'
{
	echo "$head"
	seq -f '/* A comment */ int x%g;' 299
	seq -f '/* %g. */' 300
} >"$tmp/src/low/b.c"
metrics 1 'b.c: file 601'
echo 'src/low/b.c file a table of constants' >"$tmp/tools/metrics-exceptions"
metrics 1 'b.c: comments 50.2, the limits are 1.5 and 50'
echo 'src/low/b.c comments a table of constants' >>"$tmp/tools/metrics-exceptions"
metrics 0 ''
rm "$tmp/src/low/b.c"
metrics 1 'is not needed'
: >"$tmp/tools/metrics-exceptions"
{
	sed -n 1p "$tmp/src/low/a.h"
	seq -f 'int x%g;' 60
} >"$tmp/src/low/b.h"
metrics 1 'b.h: head 0'
metrics 1 'b.h: comments 1.64, the limits are 8 and 85'
rm "$tmp/src/low/b.h"
{
	printf '#!/bin/sh\n# SPDX-License-Identifier: MIT\n# For the test.\nf()\n{\n'
	seq 61
	printf '}\ng() { :; }\nh()\n{\n\t:\n}\n'
} >"$tmp/tools/script"
metrics 1 'tools/script:4: f: lines 62'
{
	printf '#!/usr/bin/env python3\n# SPDX-License-Identifier: MIT\ndef f():\n'
	seq -f '    %g' 61
} >"$tmp/tools/script"
metrics 1 'tools/script:3: f: lines 61'
metrics 1 'tools/script: head 0'
rm "$tmp/tools/script"

mkdir -p "$tmp/src/rt" "$tmp/src/cmd"
printf 'static const char *const names[] = { "=" };\nstatic int f(int (*of)(void));\n' >"$tmp/src/rt/a.c"
state 0 ''
printf 'static const char *name;\n' >"$tmp/src/rt/a.c"
state 1 'src/rt/a.c:1: no comment at name names its lock'
printf '/* A block of the clock, unreleased. */\nstatic int name;\n' >"$tmp/src/rt/a.c"
state 1 'src/rt/a.c:2: no comment at name names its lock'
printf '/* Under the control lock. */\nstatic struct {\n\tint a;\n} name = { 1 };\n' >"$tmp/src/rt/a.c"
state 0 ''
printf 'int f(void)\n{\n\tstatic int calls; /* Relaxed. */\n}\n' >"$tmp/src/cmd/a.c"
state 1 'src/cmd/a.c:3: calls is mutable, which only'
printf 'extern const int one;\nextern int (*two)(int);\nextern int three(void);\n' >"$tmp/src/cmd/a.c"
state 1 'src/cmd/a.c:2: two is extern and mutable'
declared name 'int name;'
declared name 'struct pair name = { 1, 2 };'
declared name 'struct pair name[] = {\n\t{ 1, 2 },\n};'
declared name 'static struct pair {\n\tint (*get)(void);\n} name[4];'
declared name 'static int other, *const fixed, name[2];'
declared name 'static struct pair a = { f(1, 2), 3 }, name;'
declared name '__thread int name;'
declared name '_Thread_local static int name;'
declared name 'const char static *name;'
declared name '__attribute__((aligned(8))) static int name;'
declared name 'static VEC(int) name;'
declared name 'static int (*name)(int);'
declared name 'static int (*name[3])(int) = { f };'
declared name 'static const char *\n\tname;'
declared name 'void f(void)\n{\n\tif (a) {\n\t\tstatic struct pair name[3];\n\t}\n}'
declared name 'void f(void)\n{\n\tstatic __thread int name;\n}'
declared name '#define X(y) \\\n\tstatic int name; \\\n\tf(y)'
printf 'typedef int number;\nstruct pair {\n\tint a, b;\n};\nenum { ONE };\nint f(int a, int b)\n{\nout:\n\ta = b;\n}
void g(void) COLD;\nextern "C" {\n}\nstatic const int one = 1, two[] = { 1, 2 };\nint (*const h)(int) = f;
static struct pair *const none;\n' >"$tmp/src/cmd/a.c"
state 0 ''

# Variables that macros hide in the sources are found in the objects.
mkdir "$tmp/build"
cat >"$tmp/build/compile_commands.json" <<END
[{ "directory": "$tmp/build", "file": "../src/cmd/a.c", "output": "a.o" }]
END
built 1 'no object of src/ has any variable'
printf '#define KEEP(name) static int name##_kept\n' >"$tmp/src/cmd/a.h"
printf '#include "a.h"\nKEEP(what);\nint f(void)\n{\n\treturn what_kept++;\n}\n' >"$tmp/src/cmd/a.c"
cc -c -o "$tmp/build/a.o" "$tmp/src/cmd/a.c"
state 0 ''
built 1 'src/cmd/a.c: what_kept can be written'
printf 'int f(void)\n{\n\tstatic int calls;\n\treturn calls++;\n}\nint (*const table[])(void) = { f };
const char *const text = "x";\n' >"$tmp/src/cmd/a.c"
cc -fPIC -c -o "$tmp/build/a.o" "$tmp/src/cmd/a.c"
built 0 ''
rm -r "$tmp/build" "$tmp/src/cmd/a.h"

printf 'extern const int one;\nextern int (*two)(int);\n' >"$tmp/src/cmd/a.c"
echo 'src/cmd/a.c:two state a reason' >"$tmp/tools/metrics-exceptions"
state 0 ''
rm -r "$tmp/src/cmd" "$tmp/src/rt"
state 1 'src/cmd/a.c:two state is not needed'
: >"$tmp/tools/metrics-exceptions"

text 0 '' paths
printf 'see /%s/someone/x\n' home >"$tmp/notes.md"
text 1 'notes.md:1: a path of one machine' paths
echo 'int x;' >"$tmp/src/high/c.c"
text 1 'c.c: no SPDX' licence
printf '[there](nowhere.md)\n' >"$tmp/notes.md"
text 1 'nowhere.md leads nowhere' links
printf '## A `-word` here\n[there](#a--word-here)\n' >"$tmp/notes.md"
text 0 '' links
printf '[there](notes.md#nowhere)\n' >"$tmp/notes.md"
text 1 'notes.md has no heading #nowhere' links
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

# The habits are split, so that this file passes the check.
printf 'The reader is %s of a loss.\n' told >"$tmp/notes.md"
text 1 "notes.md:1: 'is ""told': write plainly" words
printf 'The reader gets a report of a loss.\n' >"$tmp/notes.md"
text 0 '' words
printf '/* %s x is. */\nint x;\n' What What What >"$tmp/src/high/d.c"
text 1 'comments open with What, Whether, Who or Where' words
printf '/* The number x. */\nint x;\n' >"$tmp/src/high/d.c"
text 0 '' words
printf '# %s x is\nx=1\n' Who Who Who >"$tmp/src/high/d.sh"
text 1 'src/high: 3 of ' words
rm "$tmp/src/high/d.c" "$tmp/src/high/d.sh"

git init -q "$tmp"
echo '*.pyc' >"$tmp/.gitignore"
: >"$tmp/a.pyc"
text 0 '' built
git -C "$tmp" add -f a.pyc
text 1 'a.pyc: is built, and in the repository' built

# Without git, in a clone: git's own files are skipped.
python=$(python3 -c 'import sys; print(sys.executable)')
plain=$tmp/plain
mkdir -p "$plain/.git/hooks"
printf '#!/bin/sh\n' >"$plain/.git/hooks/sample"
expect 0 '' env PATH="$tmp/no-programs" "$python" "$root/tests/house/text.py" licence "$plain"
printf '#!/bin/sh\n' >"$plain/script"
expect 1 'plain/script: no SPDX' env PATH="$tmp/no-programs" "$python" "$root/tests/house/text.py" \
	licence "$plain"
exit $status
