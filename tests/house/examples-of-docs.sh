#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples of docs/*.md are correct: tracetool accepts the declarations and refuses the
# invalid ones, and C blocks compile with the generated headers.
# examples-of-docs.sh ROOT TRACETOOL
set -eu
root=$1
tracetool=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
status=0

# blocks FILE TAG: prints the contents of the fenced blocks that begin with ```TAG.
blocks() {
	awk -v tag="\`\`\`$2" '/^```/ { inside = $0 == tag; next } inside' "$1"
}

# Compiles the C blocks of a file, after the group's header.
compile() {
	for compiler in gcc clang; do
		command -v "$compiler" >/dev/null || continue
		{
			printf '#include <stdio.h>\n#include "trace/control.h"\n#include "trace-docs.h"\n'
			blocks "$1" c
		} | "$compiler" -x c -std=gnu11 -Wall -Wextra -Werror -I"$tmp" -I"$root/include" \
			-c - -o "$tmp/docs.o"
	done
}

blocks "$root/docs/events.md" trace-events >"$tmp/trace-events"
[ -s "$tmp/trace-events" ] || { echo "no example found"; exit 1; }
for format in h c; do
	"$tracetool" --format=$format --backends=simple,log --group=docs "$tmp/trace-events" \
		"$tmp/trace-docs.$format"
done
"$tracetool" --format=translate-h --backends=simple,log --group=docs "$tmp/trace-events" \
	"$tmp/trace-tcg.h"
gcc -std=gnu11 -Wall -Wextra -Werror -I"$tmp" -I"$root/include" -c "$tmp/trace-docs.c" \
	-o "$tmp/trace-docs.o"
compile "$root/docs/events.md"
compile "$root/docs/building.md"

blocks "$root/docs/events.md" trace-events-wrong >"$tmp/wrong"
[ -s "$tmp/wrong" ] || { echo "no wrong example found"; exit 1; }
while IFS= read -r line; do
	printf '%s\n' "$line" >"$tmp/line"
	if "$tracetool" --format=h --backends=log --group=docs "$tmp/line" "$tmp/out.h" \
		2>/dev/null; then
		echo "not refused: $line"
		status=1
	fi
done <"$tmp/wrong"

blocks "$root/docs/from/stratovirt.md" toml >"$tmp/docs.toml"
sed -n '/^\.Sh EXAMPLES/,/^\.Ed/{/^\./!p}' "$root/docs/man/waymark-toml.5" >"$tmp/man.toml"
for declared in docs man; do
	grep -q '^\[\[events\]\]' "$tmp/$declared.toml" || { echo "no example in TOML: $declared"; exit 1; }
	"$tracetool" --check --werror "$tmp/$declared.toml"
done
"$tracetool" --format=h --backends=log --group=docs "$tmp/docs.toml" "$tmp/trace-docs.h"
compile "$root/docs/from/stratovirt.md"

# Trace points, with all backends and without backends.
blocks "$root/docs/from/crosvm.md" c >"$tmp/crosvm.c"
sed -n '/^\.Sh EXAMPLES/,/^\.Ed/{/^\./!p}' "$root/docs/man/waymark-trace-points.3" |
	sed 's/\\e$/\\/' >"$tmp/points.c"
for source in crosvm points; do
	grep -q WAYMARK_SCOPE "$tmp/$source.c" || { echo "no trace point: $source"; exit 1; }
	for compiler in gcc clang; do
		command -v "$compiler" >/dev/null || continue
		for scopes in ctf,simple,log,ftrace,syslog,hitrace nop; do
			"$compiler" -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$root/include" \
				-DWAYMARK_SCOPES=$scopes -c "$tmp/$source.c" -o "$tmp/points.o"
		done
	done
done
exit $status
