#!/bin/sh
# SPDX-License-Identifier: MIT
# The example of waymark-debug(3) prints what the page says: manual.sh ROOT LIBWAYMARK.A
set -eu
root=$1
library=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if nm "$library" 2>/dev/null | grep -Eq '__(asan|tsan|ubsan)_'; then
	echo "skipped: the library is built with a sanitizer, which needs more to link"
	exit 77
fi
# Prints block N of the page.
block() {
	awk -v n="$1" '/^\.Bd/ { block++; inside = 1; next } /^\.Ed/ { inside = 0 }
		inside && block == n' "$root/docs/man/waymark-debug.3"
}

{
	block 1
	cat <<'END'
#include <stdio.h>
#include <string.h>
#include "brace/brace.h"

int main(void)
{
	static const char message[] = "{:?}\n{:04x?}\n{:#?}\n";
	struct request r = { OUT, 255, "disk", { 1, 16 } };
	struct waymark_debug v = waymark_debug_object(put_request, &r);
	struct waymark_debug values[] = { v, v, v };
	struct brace_sink s;
	char text[1000];

	brace_sink_buffer(&s, text, sizeof(text));
	brace_format(&s, message, strlen(message), values, 3);
	fputs(text, stdout);
	return 0;
}
END
} >"$work/example.c"
cc -std=gnu11 -Wall -Wextra -Werror -I"$root/include" -I"$root/src" -o "$work/example" \
	"$work/example.c" "$library" -pthread
"$work/example" >"$work/printed"
block 2 >"$work/expected"
[ -s "$work/expected" ] || { echo "the page has no such block"; exit 1; }
diff "$work/expected" "$work/printed"
