#!/bin/sh
# SPDX-License-Identifier: MIT
# The make rules: a native trace where no backend is named, the one that is named
# otherwise, and files that are made again when declarations or backends change, and
# only then. The default goal stays the Makefile's.
. "$(dirname "$0")/common.sh"
cd "$tmp"
mkdir io
echo 'io_read(int fd) "fd %d"' >io/trace-events
cat >main.c <<'END'
#include "trace-io.h"

int main(void)
{
	trace_io_read(7);
	return 0;
}
END
cat >Makefile <<'END'
CPPFLAGS += -Ibuild $(shell pkg-config --cflags waymark)
LDLIBS += $(shell pkg-config --libs waymark)

include $(shell pkg-config --variable=makerules waymark)
$(eval $(call waymark_group,io,io/trace-events,build))

all: program
program: main.o build/trace-io.o
	$(CC) $(LDFLAGS) $(CFLAGS) $^ $(LDLIBS) -o $@
main.o build/trace-io.o: build/trace-io.h
END

make -s
[ -x program ] || fail "make without a goal does not make the first one of the Makefile"
WAYMARK_TRACE='io_*,file=first' ./program
"$waymark" print first | grep -q ' io_read fd 7$' || fail "no native trace without a backend named"

echo 'io_read(int fd) "descriptor %d"' >io/trace-events
make -s program
WAYMARK_TRACE='io_*,file=second' ./program
"$waymark" print second | grep -q ' io_read descriptor 7$' || fail "changed declarations change nothing"

touch -r program before
make -s
[ ! program -nt before ] || fail "made again though nothing changed"

make -s program WAYMARK_BACKENDS=simple
WAYMARK_TRACE='io_*,file=io.trace' ./program
"$waymark" print -e io/trace-events io.trace | grep -q 'io_read descriptor 7$' ||
	fail "WAYMARK_BACKENDS=simple records nothing"

make -s program WAYMARK_BACKENDS=log
WAYMARK_TRACE='io_*' ./program 2>log
grep -q ':io_read descriptor 7$' log || fail "WAYMARK_BACKENDS=log logs nothing: $(cat log)"

# The backend ust has two files more; its header is there before the source is compiled.
if ! pkg-config --exists lttng-ust; then
	echo "liblttng-ust-dev is not installed: not tested with it"
	exit 0
fi
make -s -j2 WAYMARK_BACKENDS=log,ust build/trace-io.o build/trace-ust-io.o ||
	fail "WAYMARK_BACKENDS=log,ust does not compile"
nm build/trace-ust-io.o | grep -q ' lttng_ust_tracepoint_io___io_read$' ||
	fail "trace-ust-io.c defines no tracepoint"
touch -r build/trace-ust-io.o before
make -s WAYMARK_BACKENDS=log,ust build/trace-ust-io.o
[ ! build/trace-ust-io.o -nt before ] || fail "trace-ust-io.o is made again though nothing changed"
