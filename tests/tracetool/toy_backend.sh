#!/bin/sh
# SPDX-License-Identifier: MIT
# A text backend is a row of waymark/backends.def and a file of src/rt/text: this adds one to a copy
# of the sources, writes the lists of texts, builds, and finds it wherever backends are named; an
# event of each kind is printed through it. Without it the sources are as before.
#
#	toy_backend.sh TRACETOOL ROOT
. "$(dirname "$0")/lib.sh"

if [ "${WAYMARK_SANITIZER-}" ]; then
	echo "skipped: the copy is built without sanitizers"
	exit 77
fi
have meson && have ninja || { echo "skipped: meson or ninja is not installed"; exit 77; }

# same WHAT WANTED: the difference of before/ and after/ must be WANTED
same()
{
	diff -rq before after | sed 's,^Files before/\(.*\) and .*,\1,; s,^Only in after/\(.*\): ,\1/,' >found
	printf '%s\n' $2 | sed '/^$/d' | diff - found || fail "$1: other files (>) have changed than should (<)"
}

# quietly COMMAND...: prints the command's output only if it fails
quietly()
{
	"$@" >said 2>&1 || { cat said; fail "$*"; finish; }
}

mkdir before
tar -C "$root" --exclude=.git --exclude='./build*' --exclude=__pycache__ -cf - . | tar -C before -xf -
cp -r before after

# ---- The row, with its class for #if, and the file ----

table=after/include/waymark/backends.def
bit=$(grep -c '^	ROW(' $table)
sed -i "/^	ROW([0-9]*, UST,/i\\
	ROW($bit, TOY, toy, text, \"a line on standard error that begins with toy\") \\\\
/^#define WAYMARK_SCOPES_KNOW_ust/i\\
#define WAYMARK_SCOPES_KNOW_toy 2" $table
cat >after/src/rt/text/toy.c <<'END'
/* SPDX-License-Identifier: MIT */
/* The backend toy: one event, one line on standard error, one write: `toy: <name> <message>`. */
#include <unistd.h>

#include "rt/text/backends.h"
#include "rt/text/text.h"

static void print_prefix(struct line *l, const void *context)
{
	(void)context;
	waymark_line_put(l, "toy: ");
}

static void write_line(const char *text, size_t len, const void *context)
{
	(void)context;
	if (write(STDERR_FILENO, text, len) < 0) {
		waymark_loss_add(LOSS_TOY, 1);
	}
}

static const struct text_style style = {
	.print_prefix = print_prefix,
	.write = write_line,
	.max = 1024,
};

static void print_event(const struct waymark_event *event, const char *fmt, va_list args)
{
	waymark_text_write(&style, NULL, event, fmt, args);
}

void waymark_toy_message(const struct waymark_event *event, const struct waymark_message *m)
{
	waymark_text_write_message(&style, NULL, event, m);
}

const struct text_backend waymark_text_toy = { .print = print_event, .lost = "toys are lost" };
END
same 'written by hand' 'include/waymark/backends.def src/rt/text/toy.c'
quietly after/tools/list-backends -w after
same 'written by tools/list-backends' 'docs/man/tracetool.1 docs/man/waymark-trace-points.3
	docs/man/waymark-trace.7 include/waymark/backends.def include/waymark/scope.h meson_options.txt
	src/rt/text/toy.c'

# ---- The places that name it ----

quietly meson setup -Dtests=none -Dmonitor=disabled -Dscopes=toy --buildtype=plain built after
quietly ninja -C built -j2 src/cmd/tracetool \
	"$(ninja -C built -t targets all | sed -n 's,^\(src/rt/libwaymark\.so[.0-9]*\):.*,\1,p')"
made=$tmp/built/src/cmd/tracetool
library=$tmp/built/src/rt/libwaymark.so
case $("$made" --list-backends) in
*', syslog, toy, ust') ;;
*) fail "--list-backends: $("$made" --list-backends)" ;;
esac
"$made" --help | grep -q '^  toy  *a line on standard error that begins with toy$' || fail '--help lacks toy'
sh after/completions/complete "$made" --backends=ctf,t >said
grep -q '^toy	a line' said || fail "completion: $(cat said)"
for page in tracetool.1:'^\.It Cm toy$' waymark-trace.7:' , syslog , toy \.$' \
	waymark-trace-points.3:' , syslog , toy ,$'; do
	grep -q "${page#*:}" "after/docs/man/${page%%:*}" || fail "${page%%:*} lacks toy"
done

# ---- Events that it prints ----

printf 'io_read(int count) "count=%%d"\n' >few.events
cat >few.toml <<'END'
[[events]]
name = "io_write"
args = "count: u32"
message = "wrote {}"
enabled = true
END
for format in h c; do
	quietly "$made" --format=$format --backends=toy,log --group=few --output=trace-few.$format few.events few.toml
done
cat >program.c <<'END'
#include <stdio.h>
#include <waymark/control.h>
#include <waymark/scope.h>
#include "trace-few.h"

#define CATEGORIES(C) C(Net, true, "network")
WAYMARK_CATEGORIES(CATEGORIES);

int main(void)
{
	fputs(waymark_option_help(), stdout);
	trace_io_read(3);
	trace_io_write(4);
	WAYMARK_INSTANT(Net, "kick", 1);
	return 0;
}
END
quietly gcc $warnings -DWAYMARK_SCOPES=toy,log -Iafter/include -I. program.c trace-few.c "$library" -o program
LD_LIBRARY_PATH=$tmp/built/src/rt WAYMARK_TRACE='*,backend=toy' ./program >help 2>said
printf '%s\n' 'toy: io_read count=3' 'toy: [io_write] wrote 4' 'toy: Net Instant: kick - (1: 1)' | diff - said || fail 'toy does not print'
grep -q 'some backends: .* syslog toy$' help || fail 'the help of the option lacks toy'
LD_LIBRARY_PATH=$tmp/built/src/rt ./program 2>said >/dev/null
[ ! -s said ] || fail "events that are off are printed: $(cat said)"

# ---- Without it ----

rm after/src/rt/text/toy.c
sed -i '/, toy, /d; /_KNOW_toy/d' $table
quietly after/tools/list-backends -w after
same 'after its removal' ''
finish
