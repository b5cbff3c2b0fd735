# SPDX-License-Identifier: MIT
# Shared by the scripts of this folder. Sourced with TRACETOOL and ROOT (the repository)
# as the first two arguments.
#
# No kernel module is built or loaded: `stap -p2` reads the tapset, finds the marks in a
# real program and resolves their names. It needs a kernel's build tree but reads only the
# configuration, so a made-up tree is enough.
. "$(dirname "$0")/../tracetool/lib.sh"
here=$root/tests/stap

skip() # REASON
{
	echo "skipped: $1"
	exit 77
}

have stap || skip 'stap is missing (package systemtap)'
have gcc || skip 'gcc is missing'
[ -f /usr/include/sys/sdt.h ] || echo '#include <sys/sdt.h>' | gcc -E - >/dev/null 2>&1 ||
	skip 'sys/sdt.h is missing (package systemtap-sdt-dev)'
[ "$(uname -m)" = x86_64 ] || skip 'the kernel configuration of these tests is that of x86_64'

mkdir -p kernel/include/config kernel/include/generated
printf 'CONFIG_%s=y\n' X86_64 MODULES UPROBES ARCH_SUPPORTS_UPROBES KPROBES PERF_EVENTS \
	TRACEPOINTS >kernel/.config
echo 6.1.0 >kernel/include/config/kernel.release
touch kernel/Module.symvers kernel/System.map kernel/Makefile

systemtap() # ARGUMENT...
{
	SYSTEMTAP_DIR=$tmp/.systemtap stap -w -r "$tmp/kernel" "$@"
}

tapset() # FORMAT EVENTS OUTPUT: for the program $tmp/program
{
	"$tracetool" --format="$1" --backends=log --group=st --binary="$tmp/program" \
		--probe-prefix=st.x "$2" "$3" 2>tracetool.err || fail "$1 of $2: $(cat tracetool.err)"
}
