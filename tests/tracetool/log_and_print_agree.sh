#!/bin/sh
# SPDX-License-Identifier: MIT
# The log backend and `waymark print` show an event in the same form: with a format, with an
# empty one, and without any.
#
#	log_and_print_agree.sh TRACETOOL ROOT LIBWAYMARK WAYMARK
library=$(realpath "$3")
waymark=$(realpath "$4")
. "$(dirname "$0")/lib.sh"

if ! have gcc; then
	echo "skipped: gcc is missing"
	exit 77
fi
cat >some.events <<'END'
no_format(int a, const char *s, void *p, char c, uint8_t u)
no_arguments(void)
empty_format(void) ""
text_only(void) "text"
hexadecimal(uint64_t a, const char *s) "a 0x%" PRIx64 " s '%s'"
END
for format in h c; do
	"$tracetool" --format=$format --backends=log,simple --group=some -o trace-some.$format \
		some.events || fail "$format"
done
cat >main.c <<'END'
#include "trace-some.h"
#include "trace/control.h"

int main(void)
{
	trace_no_format(-1, "text", NULL, 'A', 200);
	trace_no_arguments();
	trace_empty_format();
	trace_text_only();
	trace_hexadecimal(255, "x");
	return 0;
}
END
gcc $tsan $warnings -I"$include" -I. main.c trace-some.c "$library" -o program || fail "gcc"
LD_LIBRARY_PATH=${library%/*} WAYMARK_TRACE='*,simple.file=trace,log.prefix=none' ./program 2>log ||
	fail "exit $?"
"$waymark" print -e some.events trace | sed 's/^ *[^ ]* *[^ ]* //' >printed
printf '%s\n' 'no_format a=-1 s=text p=0x0 c=65 u=200' no_arguments empty_format 'text_only text' \
	"hexadecimal a 0xff s 'x'" >expected
diff expected log || fail "the log (>) is not as expected"
diff log printed || fail "the log (<) and waymark print (>) differ"
finish
