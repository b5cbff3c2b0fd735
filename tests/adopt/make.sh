#!/bin/sh
# SPDX-License-Identifier: MIT
# make with pkg-config: a program, a static one and one with the archive, a C++ one, a plug-in
# and its host, from one Makefile with parallel jobs. Generated files are made again when needed,
# and only then; bad input ends make with one error: make.sh ROOT BUILD
. "$(dirname "$0")/common.sh"

mkdir project project/cache
cd project
cat >Makefile <<'END'
CPPFLAGS += -I. -Ibuild $(shell pkg-config --cflags waymark)
CFLAGS += -Wall -Wextra -Werror -fPIC
CXXFLAGS += $(CFLAGS)
LDLIBS += $(shell pkg-config --libs waymark)
OBJECTS := build/main.o build/trace-cache.o

all: program program-static program-archive program-cxx plug.so host

include $(shell pkg-config --variable=makerules waymark)
$(eval $(call waymark_group,cache,cache/trace-events,build))
$(eval $(call waymark_group,plug,plug.events,build))

program: $(OBJECTS)
	$(CC) $^ $(LDLIBS) -o $@
program-static: $(OBJECTS)
	$(CC) -static $^ $(LDLIBS) -pthread -o $@
program-archive: $(OBJECTS)
	$(CC) $^ -Wl,-Bstatic $(LDLIBS) -Wl,-Bdynamic -pthread -o $@
program-cxx: build/cxx.o build/trace-cache.o
	$(CXX) $^ $(LDLIBS) -o $@
plug.so: build/plug.o build/trace-plug.o
	$(CC) -shared $^ $(LDLIBS) -o $@
host: build/host.o
	$(CC) $^ -o $@

build/%.o: %.c
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
build/%.o: %.cc
	$(CXX) $(CPPFLAGS) $(CXXFLAGS) -c $< -o $@
build/trace-%.o: build/trace-%.c build/trace-%.h
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
build/main.o build/cxx.o: build/trace-cache.h
build/plug.o: build/trace-plug.h
END
echo 'cache_flush(int blocks) "%d dirty blocks"' >cache/trace-events
echo 'plug_work(int n) "n %d"' >plug.events
printf '#include "trace-cache.h"\nint main(void) { trace_cache_flush(7); return 0; }\n' >main.c
cat >cxx.cc <<'END'
#include "trace-cache.h"

template<typename T> static void flush(T blocks)
{
	trace_cache_flush(blocks);
}

int main()
{
	auto later = [](short blocks) { flush(blocks); };

	later(7);
}
END
printf '#include "trace-plug.h"\nvoid plug(void);\nvoid plug(void) { trace_plug_work(3); }\n' >plug.c
cat >host.c <<'END'
#include <dlfcn.h>

int main(void)
{
	for (int i = 0; i < 3; i++) {
		void *handle = dlopen("./plug.so", RTLD_NOW);
		void (*plug)(void) = handle ? (void (*)(void))dlsym(handle, "plug") : 0;

		if (!plug) {
			return 1;
		}
		plug();
		if (dlclose(handle)) {
			return 1;
		}
	}
	return 0;
}
END

mkdir build
quietly make -j4
logs ./program 'cache_flush 7 dirty blocks' # where no backend is named
quietly make -j4 WAYMARK_BACKENDS=ctf,log
for program in program program-static program-archive program-cxx; do
	records ./$program 'cache_flush 7 dirty blocks'
done
for program in program-static program-archive; do
	! ldd $program 2>&1 | grep libwaymark || fail "$program needs the shared library"
done
records ./host 'plug_work n 3'
[ "$(grep -c ' plug_work n 3$' "$tmp/events")" -eq 3 ] || fail "not each time: $(cat "$tmp/events")"

# Exactly the files that depend on a change are made again.
later() { # waits until a touched file gets a newer time than all generated files
	touch now
	while [ -n "$(find build program* host plug.so -newer now)" ] || [ ! now -nt program ]; do
		sleep 0.01
		touch now
	done
}
quietly make WAYMARK_BACKENDS=ctf,log
[ ! -s "$tmp/out" ] || fail "made again: $(cat "$tmp/out")"
later
echo 'plug_work(int n) "number %d"' >plug.events
quietly make -j4 WAYMARK_BACKENDS=ctf,log
! grep -q 'trace-cache' "$tmp/out" || fail "declarations of another group: $(cat "$tmp/out")"
records ./host 'plug_work number 3'
quietly make -j4 WAYMARK_BACKENDS=log
logs ./host 'plug_work number 3'
! strings -a program | grep -q waymark_cursors || fail 'ctf is still in the program'

# One error each, and no file that make would take for up to date.
refused() { # MESSAGE ARGUMENT...
	message=$1
	shift
	! make -s program "$@" >out 2>&1 || fail "$* is taken"
	grep -qF "$message" out || fail "$*: no \"$message\": $(cat out)"
	[ "$(grep -c '[Ee]rror:' out)" -le 1 ] || fail "$*: not one error: $(cat out)"
}
refused 'unknown backend: lgo' WAYMARK_BACKENDS=lgo
refused 'no backends specified' WAYMARK_BACKENDS=
refused 'write commas between backends, and no blanks: ctf,log' WAYMARK_SCOPES='ctf, log'
refused "a provider's name is an identifier of C: 1st" WAYMARK_PROVIDER=1st
refused 'tracetool: ' WAYMARK_TRACETOOL=./no/tracetool
mv cache/trace-events away
refused "No rule to make target 'cache/trace-events'"
mv away cache/trace-events
sed -i 's/group,cache,/group,ca!che,/; s/trace-cache/trace-ca!che/g' Makefile
refused "a group's name has letters, digits and _-. only: ca!che"
