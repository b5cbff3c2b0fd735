#!/bin/sh
# SPDX-License-Identifier: MIT
# examples/backends builds with make and with meson for each backend that this system
# supports and for all of them, and its events arrive; a backend whose dependency is
# missing is refused by name before anything is built.
. "$(dirname "$0")/common.sh"
jobs=$root/examples/backends
tracetool=$build/src/cmd/tracetool
cd "$tmp"

with_make() { # BACKENDS [make arguments]
	backends=$1
	shift
	make -s -C "$jobs" BUILD="$tmp/make" WAYMARK_BACKENDS="$backends" "$@" >out 2>&1
}

with_meson() { # BACKENDS [meson arguments]
	backends=$1
	shift
	rm -rf meson
	meson setup "$tmp/meson" "$jobs" -Dbackends="$backends" "$@" </dev/null >out 2>&1
}

# runs PROGRAM BACKENDS: all events arrive in each backend that writes files
runs() {
	rm -rf jobs.*
	WAYMARK_TRACE='*,ctf.file=jobs.ctf,simple.file=jobs.simple,log.file=jobs.log' "$1" >counts 2>err ||
		fail "$2: $(cat err)"
	[ "$(cat counts)" = 'balance 0' ] || fail "$2: prints $(cat counts)"
	case ,$2, in
	*,ctf,*)
		[ "$("$waymark" print jobs.ctf | grep -c ' job_')" -eq 15 ] || fail "$2: not 15 events in ctf"
		;;
	esac
	case ,$2, in
	*,simple,*)
		[ "$("$waymark" print -e "$jobs/trace-events" jobs.simple | grep -c ' job_')" -eq 15 ] ||
			fail "$2: not 15 events in simple"
		;;
	esac
	case ,$2, in
	*,log,*) [ "$(grep -c ':job_' jobs.log)" -eq 15 ] || fail "$2: not 15 events in log" ;;
	esac
}

# refused_by_make MESSAGE BACKENDS [VARIABLE=VALUE...]: make fails with MESSAGE
refused_by_make() {
	message=$1
	shift
	rm -rf make
	! with_make "$@" || fail "make builds with $*"
	grep -qF "$message" out || fail "make: no \"$message\": $(cat out)"
	[ ! -e make ] || fail "make built something before it refused $1"
}

refused_by_meson() {
	message=$1
	shift
	! with_meson "$@" || fail "meson configures with $*"
	grep -qF "ERROR: Problem encountered: $message" out || fail "meson: no \"$message\": $(cat out)"
}

# The backends that this system can have. Each has a row in the table, or needs no dependency.
all=
for one in $("$tracetool" --list-backends | tr -d ,); do
	if with_make "$one"; then
		runs ./make/jobs "$one"
		all=$all${all:+,}$one
	else
		grep -q "backend $one: .* is missing; install " out || fail "make: $one: $(cat out)"
	fi
done
for one in ctf log simple; do
	case ,$all, in
	*,$one,*) ;;
	*) fail "$one cannot be built, only $all" ;;
	esac
done
with_make "$all" || fail "make: $all: $(cat out)"
runs ./make/jobs "$all"
with_meson "$all" || fail "meson: $all: $(cat out)"
ninja -C meson >out 2>&1 || fail "ninja: $all: $(cat out)"
runs ./meson/jobs "$all"

# Each row's refusal, independent of this system: no headers, no libraries, another kernel.
missing='<syslog.h> is missing; install libc6-dev'
refused_by_make "backend syslog: $missing" ctf,syslog CPPFLAGS=-nostdinc
refused_by_meson "backend syslog: $missing" ctf,syslog -Dc_args=-nostdinc
missing='<sys/sdt.h> is missing; install systemtap-sdt-dev'
refused_by_make "backend dtrace: $missing" dtrace CPPFLAGS=-nostdinc
refused_by_meson "backend dtrace: $missing" dtrace -Dc_args=-nostdinc
refused_by_make 'backend ftrace: not available on FreeBSD' log,ftrace SYSTEM=FreeBSD
cat >other.ini <<'END'
[binaries]
c = 'cc'
pkg-config = 'pkg-config'
pkgconfig = 'pkg-config'
[host_machine]
system = 'freebsd'
cpu_family = 'x86_64'
cpu = 'x86_64'
endian = 'little'
[properties]
needs_exe_wrapper = false
END
refused_by_meson 'backend ftrace: not available on freebsd' log,ftrace --cross-file other.ini
export PKG_CONFIG_LIBDIR="$tmp"
missing='lttng-ust >=2.13 is missing; install liblttng-ust-dev'
refused_by_make "backend ust: $missing" ust
refused_by_meson "backend ust: $missing" ctf,ust
refused_by_make 'backend bogus: tracetool has none of that name; it has nop, ctf, ' bogus
refused_by_meson 'backend bogus: tracetool has none of that name; it has nop, ctf, ' bogus
