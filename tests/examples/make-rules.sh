#!/bin/sh
# SPDX-License-Identifier: MIT
# The make rules: the default backend is log, others can be named; files are generated again
# when declarations, backends or tracetool change, and only then. The Makefile keeps its
# default goal.
. "$(dirname "$0")/common.sh"
tracetool=$build/src/cmd/tracetool
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
WAYMARK_TRACE='io_*' ./program 2>log
grep -q ':io_read fd 7$' log || fail "no lines of the log without a backend named: $(cat log)"

# later: files touched from here on get a newer time than generated files
later() {
	touch now
	while [ ! now -nt program ]; do
		sleep 0.01
		touch now
	done
}
later
echo 'io_read(int fd) "descriptor %d"' >io/trace-events
make -s program
WAYMARK_TRACE='io_*' ./program 2>log
grep -q ':io_read descriptor 7$' log || fail "changed declarations change nothing"

touch -r program before
make -s
[ ! program -nt before ] || fail "made again though nothing changed"

cp "$tracetool" newer
make -s WAYMARK_TRACETOOL=./newer
later
touch newer
make -s WAYMARK_TRACETOOL=./newer
[ build/trace-io.h -nt now ] || fail "a newer tracetool makes nothing again"
touch -r program before
make -s WAYMARK_TRACETOOL=./newer
[ ! program -nt before ] || fail "a newer tracetool makes it again each time"

make -s program WAYMARK_BACKENDS=simple
WAYMARK_TRACE='io_*,file=io.trace' ./program
"$waymark" print -e io/trace-events io.trace | grep -q 'io_read descriptor 7$' ||
	fail "WAYMARK_BACKENDS=simple records nothing"

make -s program WAYMARK_BACKENDS=ctf
WAYMARK_TRACE='io_*,file=io.ctf' ./program
"$waymark" print io.ctf | grep -q ' io_read descriptor 7$' || fail "WAYMARK_BACKENDS=ctf records nothing"

# Trace points without a declaration use the backends of WAYMARK_SCOPES; a change of it rebuilds
# them.
cat >points.c <<'END'
#include <waymark/scope.h>
#define CATEGORIES(C) C(Net, true, "a network")
WAYMARK_CATEGORIES(CATEGORIES);
int main(void)
{
	WAYMARK_INSTANT(Net, "a packet");
	return 0;
}
END
printf 'points: points.o\n\t$(CC) $(CFLAGS) $^ $(LDLIBS) -o $@\npoints.o: build/waymark.scopes\n' >>Makefile
make -s points
! nm points | grep -q waymark_site || fail "trace points are in the program with no backend chosen"
make -s points WAYMARK_SCOPES=log,ctf
WAYMARK_TRACE='Net,backend=log' ./points 2>log
grep -q 'Net Instant: a packet$' log || fail "WAYMARK_SCOPES=log,ctf logs nothing: $(cat log)"
touch -r points before
make -s points WAYMARK_SCOPES=log,ctf
[ ! points -nt before ] || fail "points are made again though nothing changed"
make -s points
! nm points | grep -q waymark_site || fail "trace points stay when their backends are gone"

# The name of a CPU's struct is in the header, which is made again when the name changes.
mkdir cpu
echo 'vcpu cpu_run(int n) "n %d"' >cpu/trace-events
echo '$(eval $(call waymark_group,cpu,cpu/trace-events,build))' >>Makefile
make -s build/trace-cpu.h
grep -qx 'struct CPUState;' build/trace-cpu.h || fail "no CPUState without a type named"
make -s build/trace-cpu.h build/trace-cpu.o WAYMARK_VCPU_TYPE='struct hart *' ||
	fail "WAYMARK_VCPU_TYPE='struct hart *' does not compile"
grep -qx 'struct hart;' build/trace-cpu.h || fail "WAYMARK_VCPU_TYPE changes nothing"

# The events of translated code, for targets that depend on their header.
echo 'tcg vcpu cpu_load(TCGv address) "", "address %" PRIx64' >>cpu/trace-events
[ ! -e build/trace-tcg-cpu.h ] || fail 'there is a header for translators without being named'
make -s build/trace-tcg-cpu.h build/trace-cpu.h WAYMARK_VCPU_TYPE='struct hart *'
grep -A1 'struct hart \*__cpu,' build/trace-tcg-cpu.h | grep -q 'waymark_value __env' || fail "$(cat build/trace-tcg-cpu.h)"
echo '#include "trace-tcg-cpu.h"' >translator.c
gcc -Wall -Wextra -Werror -Ibuild $(pkg-config --cflags waymark) -fsyntax-only translator.c ||
	fail 'the header for translators does not compile'

# refused BACKENDS LINE: make ends, and one line of its output is this one
refused()
{
	! make -s program WAYMARK_BACKENDS="$1" >out 2>&1 || fail "WAYMARK_BACKENDS='$1' is taken"
	grep -qxF "$2" out || fail "WAYMARK_BACKENDS='$1': says $(cat out)"
	[ "$(wc -l <out)" -le 4 ] || fail "WAYMARK_BACKENDS='$1': says more: $(cat out)"
}
refused 'ctf log' 'Write commas between backends, and no blanks: ctf,log'
refused 'ctf,lgo' "There are: $("$tracetool" --list-backends)"

# A changed provider changes the names of probes.
if [ -e /usr/include/sys/sdt.h ] || [ -e "/usr/include/$(gcc -print-multiarch)/sys/sdt.h" ]; then
	probes() # EXPECTED MAKE-ARGUMENTS...
	{
		expected=$1
		shift
		make -s program WAYMARK_BACKENDS=dtrace "$@"
		readelf -n program | grep -qx " *Provider: $expected" || fail "$*: $(readelf -n program)"
	}
	probes io
	probes disk WAYMARK_PROVIDER=disk
	probes disk2 WAYMARK_PROVIDER=disk WAYMARK_PROVIDER_io=disk2
	touch -r program before
	probes disk2 WAYMARK_PROVIDER_io=disk2
	[ ! program -nt before ] || fail "made again though the provider is the same"
	probes io
else
	echo "systemtap-sdt-dev is not installed: not tested with probes"
fi

# The backend ust has two more files; its header is made before the source is compiled.
if ! pkg-config --exists lttng-ust; then
	echo "liblttng-ust-dev is not installed: not tested with it"
	exit 0
fi
make -s -j2 WAYMARK_BACKENDS=log,ust build/trace-io.o build/trace-ust-io.o ||
	fail "WAYMARK_BACKENDS=log,ust does not compile"
nm build/trace-ust-io.o | grep -q ' lttng_ust_tracepoint_io___io_read$' ||
	fail "trace-ust-io.c defines no tracepoint"
make -s WAYMARK_BACKENDS=log,ust WAYMARK_PROVIDER=disk build/trace-io.o build/trace-ust-io.o
nm build/trace-ust-io.o | grep -q ' lttng_ust_tracepoint_disk___io_read$' ||
	fail "WAYMARK_PROVIDER is not in the name of a tracepoint"
make -s WAYMARK_BACKENDS=log,ust build/trace-io.o build/trace-ust-io.o
touch -r build/trace-ust-io.o before
make -s WAYMARK_BACKENDS=log,ust build/trace-ust-io.o
[ ! build/trace-ust-io.o -nt before ] || fail "trace-ust-io.o is made again though nothing changed"
