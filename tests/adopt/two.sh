#!/bin/sh
# SPDX-License-Identifier: MIT
# Two libraries and their program have groups of one name, with events of one name but
# different declarations. One pattern switches all of them, or each alone; each is recorded as
# declared, also after one library is unloaded and loaded again. Events that the trace cannot
# distinguish are reported: two.sh ROOT BUILD
. "$(dirname "$0")/common.sh"
flags=$(pkg-config --cflags waymark)
libs=$(pkg-config --libs waymark)

generate() { # DIRECTORY BACKENDS, of the declarations in standard input
	mkdir -p "$1"
	cat >"$1/trace-events"
	for format in h c; do
		tracetool --format=$format --backends="$2" --group=io "$1/trace-events" "$1/trace-io.$format"
	done
}
library() { # NAME CALL
	printf '#include "trace-io.h"\nvoid %s(void);\nvoid %s(void)\n{\n\t%s;\n\ttrace_io_same(%d);\n}\n' \
		$1 $1 "$2" "'$1'" >$1/$1.c
	cc -Wall -Wextra -Werror -shared -fPIC -I$1 $flags $1/$1.c $1/trace-io.c $libs -o lib$1.so
}
generate a ctf,simple,log <<'END'
io_read(int fd, const char *path) "fd %d of %s"
io_same(int n) "n %d"
END
generate b ctf,simple,log <<'END'
io_read(uint64_t offset) "offset %" PRIu64
io_same(int n) "n %d"
END
generate host ctf,simple,log <<'END'
io_read(uint8_t a, uint8_t b) "a %u b %u"
END
library a 'trace_io_read(3, "a file")'
library b 'trace_io_read(UINT64_C(0x123456789a))'

# Only the library's own function is visible: the symbols that the linker makes for the section of
# events are hidden.
for name in a b; do
	readelf -W --dyn-syms lib$name.so >symbols
	[ "$(awk '$5 ~ /GLOBAL|WEAK/ && $6 == "DEFAULT" && $7 != "UND" { print $4, $8 }' symbols)" = "FUNC $name" ] ||
		fail "lib$name.so exports: $(cat symbols)"
done

# host: each argument loads a library (a), calls its function (:a), unloads it (-a), lists the
# events (?), or switches on io_read of only one object (=N, from 0).
cat >host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace-io.h"
#include "trace/control.h"

static void *loaded[256];

static void load(const char *name)
{
	char path[] = "./libX.so";

	path[5] = *name;
	loaded[(int)*name] = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!loaded[(int)*name]) {
		puts(dlerror());
		exit(1);
	}
}

static void call(const char *name)
{
	((void (*)(void))dlsym(loaded[(int)*name], name))();
}

static void list(void)
{
	TraceEventIter iter;
	TraceEvent *event;

	trace_event_iter_init_all(&iter);
	while ((event = trace_event_iter_next(&iter))) {
		printf("%s=%d ", trace_event_get_name(event), trace_event_get_state_dynamic(event));
	}
	printf("\n");
}

static void only(int n)
{
	TraceEventIter iter;
	TraceEvent *event;

	trace_event_iter_init_pattern(&iter, "io_read");
	for (int i = 0; (event = trace_event_iter_next(&iter)); i++) {
		trace_event_set_state_dynamic(event, i == n);
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	trace_io_read(1, 2);
	while (*++argv) {
		switch (**argv) {
		case ':': call(*argv + 1); break;
		case '-': dlclose(loaded[(int)(*argv)[1]]); break;
		case '?': list(); break;
		case '=': only(atoi(*argv + 1)); break;
		default: load(*argv);
		}
	}
	trace_io_read(1, 2);
	return 0;
}
END
cc -Wall -Wextra -Werror -Ihost $flags host.c host/trace-io.c $libs -o host_program

said() { # the lines of a log or a trace, without the text before the event
	sed 's/.*\(io_[a-z]*\) /\1 /' "$1" >seen
}
a='io_read fd 3 of a file
io_same n 97'
b='io_read offset 78187493530
io_same n 98'
host='io_read a 1 b 2'
is() { # WHAT EXPECTED: in `seen`
	printf '%s\n' "$2" >expected
	cmp -s expected seen || fail "$1: $(diff expected seen)"
}

# All events are on. One library is unloaded, the other one still records, and the first returns
# with its former event numbers.
WAYMARK_TRACE='io_*,file=all.ctf,log.file=all.log' ./host_program a b :a :b -a :b a :a :b -b :a 2>told
waymark print all.ctf >out
all="$host
$a
$b
$b
$a
$b
$a
$host"
said out
is 'the native trace' "$all"
said all.log
is 'the log' "$all"
[ "$(grep -ac '^event {.* name = "io_read"' all.ctf/metadata)" -eq 3 ] ||
	fail "not three declarations of io_read: $(grep -a '^event' all.ctf/metadata)"
babeltrace2 all.ctf >out 2>err || fail "babeltrace2: $(cat err)"
[ ! -s err ] || fail "babeltrace2 warns: $(cat err)"
[ "$(grep -c 'io_read: .*{ fd = 3, path_length = [0-9]*, path = "a file" }$' out)" -eq 3 ] || fail "$(cat out)"
[ "$(grep -c 'io_read: .*{ offset = 78187493530 }$' out)" -eq 3 ] || fail "$(cat out)"
[ "$(grep -c 'io_read: .*{ a = 1, b = 2 }$' out)" -eq 2 ] || fail "$(cat out)"
waymark print --json all.ctf | grep -c '"offset": *78187493530' | grep -qx 3 || fail 'not in JSON'

# The list has the name once for each loaded object; the objects are switched together and
# separately.
./host_program '?' a b '?' -a '?' >out
printf '%s\n' 'io_read=0 ' 'io_read=0 io_read=0 io_same=0 io_read=0 io_same=0 ' \
	'io_read=0 io_read=0 io_same=0 ' | cmp - out || fail "wrong lists: $(cat out)"
for n in 0 1 2; do
	WAYMARK_TRACE="log.file=one$n.log" ./host_program a b "=$n" :a :b '?' >out
	[ "$(grep -o 'io_read=1' out | wc -l)" -eq 1 ] || fail "not one is on: $(cat out)"
	said one$n.log
	case $n in
	0) is 'that of the program' "$host" ;;
	1) is 'that of a' 'io_read fd 3 of a file' ;;
	2) is 'that of b' 'io_read offset 78187493530' ;;
	esac
done

# A simpletrace file has only names: the conflict is reported once for each pair that differs.
WAYMARK_TRACE='io_same,backend=simple,simple.file=same.trace' ./host_program a b :a :b 2>told
! grep 'declared differently' told || fail 'events with equal declarations are reported as a conflict'
WAYMARK_TRACE='io_*,backend=simple,simple.file=a.trace' ./host_program b :b -b b :b 2>told
[ "$(grep -c 'declared differently' told)" -eq 1 ] || fail "not told once: $(cat told)"
grep -q "waymark: simple: 'io_read' is declared differently at host/trace-events:1 and b/trace-events:1" told ||
	fail "not told of whom: $(cat told)"
# Independent of the order in which they were switched on and recorded.
WAYMARK_TRACE='backend=simple,simple.file=c.trace' ./host_program b =0 =1 :b =0 2>told
[ "$(grep -c "'io_read' is declared differently at b/trace-events:1 and host/trace-events:1" told)" -eq 1 ] ||
	fail "the other way round it is not told once: $(cat told)"
waymark print -e b/trace-events a.trace >out 2>err || :
said out
is 'with the declarations of one' "$b
$b"

# Archives in one program: events of both, and one event with the same declaration in both. If an
# event had two declarations, the linker would use the first one for both, and one group would
# record wrong arguments.
echo 'io_first(int n) "n %d"' | generate first ctf
echo 'io_second(int n) "n %d"' | generate second ctf
echo 'io_first(int n) "n %d"' | generate alike ctf
echo 'io_first(const char *n) "n %s"' | generate args ctf
echo 'io_first(int n) "number %d"' | generate text ctf
for name in scope scopes; do
	mkdir $name
	printf '[[scopes]]\nname = "io_first"\nargs = "n: %s"\nmessage = "{}"\nenabled = true\n' \
		$([ $name = scope ] && echo i32 || echo i64) >$name.toml
	for format in h c; do
		tracetool --format=$format --backends=ctf --group=io $name.toml $name/trace-io.$format
	done
done
archive() { # NAME EVENT
	printf '#include "trace-io.h"\nvoid %s(void);\nvoid %s(void)\n{\n\t%strace_%s(%s);\n}\n' $1 $1 \
		"$([ "${2%_enter}" = $2 ] || echo 'uint64_t token = ')" $2 "$([ $1 = args ] && echo '"five"' || echo 5)" >$1/$1.c
	[ "${2%_enter}" = $2 ] || sed -i 's/^}/\ttrace_io_first_leave(\&token);\n}/' $1/$1.c
	(cd $1 && cc -Wall -Wextra -Werror -I. $flags -c $1.c trace-io.c && ar cr lib$1.a $1.o trace-io.o)
}
for name in first alike args text; do
	archive $name io_first
done
archive second io_second
archive scope io_first_enter
archive scopes io_first_enter
both() { # ONE OTHER
	printf 'void %s(void);\nvoid %s(void);\nint main(void) { %s(); %s(); return 0; }\n' $1 $2 $1 $2 >both.c
	cc both.c $1/lib$1.a $2/lib$2.a $libs -o both 2>err
}
refused() { # SYMBOL ONE OTHER
	! both $2 $3 || fail "$2 and $3: two definitions in one program"
	grep -q "multiple definition of .$1" err || fail "$2 and $3: not said why: $(cat err)"
}
both first second || fail "archives with groups of one name: $(cat err)"
records ./both 'io_first n 5'
grep -q ' io_second n 5$' "$tmp/events" || fail "one archive only: $(cat "$tmp/events")"
both first alike || fail "archives with one event: $(cat err)"
records ./both 'io_first n 5'
[ "$(grep -c ' io_first n 5$' "$tmp/events")" -eq 2 ] || fail "not both: $(cat "$tmp/events")"
refused waymark_state_io_first first args
refused waymark_state_io_first first text
refused waymark_state_io_first scope scopes

# The type of a CPU is not part of a declaration: Rust, which has no such type, calls the same
# function.
echo 'vcpu io_cpu(int n) "n %d"' >cpu.events
for format in h rs; do
	[ $format = rs ] && type= || type='--vcpu-type=struct hart'
	tracetool --format=$format --backends=ctf --group=io ${type:+"$type"} cpu.events - |
		grep -o 'waymark_emit_io_cpu_[0-9a-f]*' | sort -u >names.$format
done
cmp names.h names.rs || fail "the struct of a CPU is in the names: $(cat names.*)"
