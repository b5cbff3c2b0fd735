#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds one fuzz target and runs it for a few seconds from its seeds; a finding fails the
# test and is kept in a file, whose name libFuzzer prints. Skipped without a clang with
# libFuzzer.
#
#	[FUZZ_SECONDS=N] [FUZZ_CORPUS=DIR] [CLANG=clang] fuzz.sh REPOSITORY NAME SOURCE...
#
# FUZZ_CORPUS: keeps its corpus and findings in DIR/NAME, and continues from there.
# A SOURCE is relative to src/.

root=$1
name=$2
shift 2
clang=${CLANG:-clang}
seconds=${FUZZ_SECONDS:-2}
here=$root/tests/fuzz
flags="-std=gnu11 -D_GNU_SOURCE -DWAYMARK_LINKED -g -O1 -fno-omit-frame-pointer
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all"

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 9 ? 0 : 0; }' \
	>"$work/probe.c"
if ! "$clang" $flags -o "$work/probe" "$work/probe.c" 2>/dev/null; then
	echo "skipped: $clang cannot build with -fsanitize=fuzzer,address,undefined"
	exit 77
fi

cd "$root/src" || exit 99
"$clang" $flags -I"$root/src" -I"$root/include" -o "$work/fuzz" "$here/fuzz_$name.c" "$@" || exit 1

corpus=$work/corpus
findings=${TMPDIR:-/tmp}/fuzz-$name-
if [ -n "${FUZZ_CORPUS-}" ]; then
	corpus=$FUZZ_CORPUS/$name
	findings=$FUZZ_CORPUS/$name-
fi
mkdir -p "$corpus" || exit 99
seeds=$here/$name.seeds
[ -d "$seeds" ] || seeds=
dict=$here/$name.dict
[ -f "$dict" ] && dict=-dict=$dict || dict=

# In a subshell, whose `times` are those of the fuzzer without the compiler's.
(
	"$work/fuzz" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 -error_exitcode=1 \
		-artifact_prefix="$findings" $dict "$corpus" $seeds \
		>"$work/log" 2>&1
	status=$?
	times >"$work/times"
	exit $status
)
status=$?
if [ $status -eq 0 ]; then
	tail -n 6 "$work/log"
	sed -n '2s/^/processor time: /p' "$work/times"
else
	grep -v '^#' "$work/log" | head -n 100
fi
exit $status
