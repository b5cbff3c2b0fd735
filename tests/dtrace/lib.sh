# SPDX-License-Identifier: MIT
# Shared by the scripts of this folder, which get TRACETOOL, ROOT and LIBWAYMARK; also
# sources tests/tracetool/lib.sh.
library=$(realpath "$3")
here_dtrace=$(cd "$(dirname "$0")" && pwd)
. "$here_dtrace/../tracetool/lib.sh"
export LD_LIBRARY_PATH="${library%/*}"

need() # COMMAND...: skips the test where one is missing
{
	for command in "$@"; do
		have "$command" || {
			echo "skipped: $command is missing"
			exit 77
		}
	done
}

if [ ! -e /usr/include/sys/sdt.h ] &&
	! echo '#include <sys/sdt.h>' | cc -E - >/dev/null 2>&1; then
	echo "skipped: sys/sdt.h is missing (systemtap-sdt-dev)"
	exit 77
fi

# generate BACKENDS: makes trace-test.[hc] of this folder's events
generate()
{
	for format in h c; do
		"$tracetool" --format=$format --backends="$1" --group=test \
			--output=trace-test.$format "$here_dtrace/trace-events" || fail "$format"
	done
}

# build OUTPUT COMPILER...: builds the program without a shared object
build()
{
	output=$1
	shift
	"$@" $warnings -Wno-strict-prototypes -I"$include" -I. -I"$here_dtrace" \
		"$here_dtrace"/program.c "$here_dtrace"/fire.c trace-test.c \
		"$library" -o "$output"
}

# Skips the test without a kernel and rights that bpftrace can work with.
need_bpftrace()
{
	need bpftrace
	bpftrace -e 'BEGIN { exit(); }' >probe 2>&1 || {
		echo "skipped: bpftrace cannot run here: $(grep -m1 -i error probe)"
		exit 77
	}
}
