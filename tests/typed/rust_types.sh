#!/bin/sh
# SPDX-License-Identifier: MIT
# Durations, descriptors and booleans are printed as Rust prints them: at once by the backend log,
# and later from the records of ctf and simple.
#
#	rust_types.sh TRACETOOL ROOT LIBWAYMARK.SO WAYMARK [STANDARD...]
library=$(realpath "$3")
waymark=$(realpath "$4")
. "$(dirname "$0")/../tracetool/lib.sh"
shift 4
if [ "${WAYMARK_SANITIZER-}" = thread ]; then
	echo "skipped: a program without TSan cannot load a library with it"
	exit 77
fi

cat >types.toml <<'END'
[[events]]
name = "fds"
args = "a: &EventFd, b: OwnedFd, c: BorrowedFd, d: File, e: RawFd"
message = "{:?} {:?} {:?} {:?} {:?}"
enabled = true

[[events]]
name = "others"
args = "a: Arc<EventFd>, b: &EventFd, c: EventFd"
message = "{:x?} {} {:#?}"
enabled = true

[[events]]
name = "values"
args = "a: &dyn fmt::Debug, b: &dyn fmt::Debug, c: &dyn fmt::Debug"
message = "{:?} {:.2?} {:>10?}"
enabled = true
END

cat >program.c <<'END'
#include <waymark/debug.h>
#include "trace-types.h"

static void put_timeouts(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_struct(&g, f, "Timeouts");
	waymark_debug_field(&g, "io", waymark_debug_duration(0, 1500000));
	waymark_debug_field(&g, "on", waymark_debug(false));
	waymark_debug_end(&g);
}

int main(void)
{
	trace_fds(5, 6, 7, 8, -1);
	trace_others(255, 10, 11);
	trace_values(waymark_debug_duration(0, 1500000), waymark_debug_duration(0, 999996000),
		waymark_debug_duration(0, 1500));
	trace_values(waymark_debug(true), waymark_debug(1), waymark_debug(false));
	trace_values(waymark_debug_object(put_timeouts, NULL),
		waymark_debug_duration(UINT64_MAX, 999999999), waymark_debug_eventfd(5));
	trace_values(waymark_debug_duration(UINT64_MAX, UINT64_MAX), waymark_debug_owned_fd(3),
		waymark_debug_borrowed_fd(-1));
	return 0;
}
END

# With {:>10?} each number of an EventFd is aligned separately, as in Rust.
cat >expected <<'END'
EventFd { eventfd: File { fd: 5, path: "anon_inode:[eventfd]", read: true, write: true } } OwnedFd { fd: 6 } BorrowedFd { fd: 7 } File { fd: 8, .. } -1
EventFd { eventfd: File { fd: ff, path: "anon_inode:[eventfd]", read: true, write: true } } 10 EventFd {\n    eventfd: File {\n        fd: 11,\n        path: "anon_inode:[eventfd]",\n        read: true,\n        write: true,\n    },\n}
1.5ms 1000.00ms      1.5µs
true 1      false
Timeouts { io: 1.5ms, on: false } 18446744073709551616.00s EventFd { eventfd: File { fd:          5, path: "anon_inode:[eventfd]", read:       true, write:       true } }
18446744073709551615.999999999s OwnedFd { fd: 3 } BorrowedFd { fd:         -1 }
END

sed 's/\\n/\n/g' expected >lines # as the log has them

generate_c log,ctf,simple types types.toml
for standard in "$@"; do
	cc -std=$standard $warnings -I"$include" program.c trace-types.c -o program "$library" || fail "$standard"
	rm -rf t.ctf t.simple
	LD_LIBRARY_PATH=$(dirname "$library") WAYMARK_TRACE='*,log.prefix=none,ctf.file=t.ctf,simple.file=t.simple' \
		./program 2>log || fail "$standard: exit $?"
	sed 's/^\[[a-z]*\] //' log | diff lines - || fail "$standard: log"
	"$waymark" print t.ctf | sed 's/^[0-9.]* [0-9]* [a-z]* //' | diff expected - || fail "$standard: ctf"
	"$waymark" print -e types.toml t.simple | sed 's/^[0-9.]* [0-9]* [a-z]* //' | diff expected - || fail "$standard: simple"
done
finish
