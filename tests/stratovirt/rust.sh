#!/bin/sh
# SPDX-License-Identifier: MIT
# A program in C and one in Rust fire all events of StratoVirt's declarations once with the same
# values: the log, the native trace and Rust's output are the same.
#
#	rust.sh TRACETOOL ROOT LIBWAYMARK WAYMARK
library=$(realpath "$3")
waymark=$(realpath "$4")
. "$2/tests/tracetool/lib.sh"
. "$root/tests/stratovirt/fire.sh"
export LD_LIBRARY_PATH="${library%/*}"
unset WAYMARK_TRACE WAYMARK_LOG_LEVEL MALLOC_PERTURB_

if ! have rustc; then
	echo "skipped: rustc is not installed"
	exit 77
fi

build_fire
rustc -A warnings -o expected fire.rs || fail 'rustc'
./expected >by-rust || fail 'the program in Rust'

WAYMARK_TRACE='ctf.file=trace.ctf,log.prefix=none,log.file=by-c' ./fire || fail 'the program in C'
events=$(grep -c '^\[[a-z0-9_]*\] ' by-rust)
[ "$events" -eq 243 ] || fail "$events events, not 243"
diff by-rust by-c || fail 'what Rust prints (<) and the log (>) differ'

# A record is one line of print, so the line breaks of {:#?} are escaped there.
"$waymark" print trace.ctf >printed || fail 'print'
sed 's/^ *[^ ]* *[^ ]* *\([a-z0-9_]*\) \{0,1\}/[\1] /' printed >by-print
python3 - by-rust >one-a-line <<'END'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
for event in re.split(r"\n(?=\[[a-z0-9_]+\] )", text.rstrip("\n")):
    print(event.replace("\n", "\\n"))
END
diff one-a-line by-print || fail 'what Rust prints (<) and the native trace (>) differ'
finish
