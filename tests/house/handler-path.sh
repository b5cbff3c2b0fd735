#!/bin/sh
# SPDX-License-Identifier: MIT
# The code that events, crashes and flushes run in any thread calls only functions of the C
# library that handler-path.txt allows: no malloc, no printf.
#
#	handler-path.sh LIBWAYMARK.A [LIST]
set -eu

library=$1
list=${2:-$(dirname "$0")/handler-path.txt}

# Objects that only control calls, the start of a thread or the log reach.
elsewhere='^(host_(line_printf|lock|thread)|'
elsewhere="$elsewhere"'ctf_(ctf|prepare)|text_(log|log_file|log_prefix)|sink_sink|'
elsewhere="$elsewhere"'simple_(hold|simple))\.c\.o$'
# One function of this object serves control calls only, and reports why it failed.
strerror_too='simple_open.c.o'

if nm "$library" 2>/dev/null | grep -Eq '__(asan|tsan|ubsan)_'; then
	echo "the library is built with a sanitizer, which has calls of its own"
	exit 77
fi
nm -u "$library" | awk -v elsewhere="$elsewhere" -v special="$strerror_too" '
	FNR == NR {
		if ($0 !~ /^#/)
			for (i = 2; i <= NF; i++)
				allowed[$i] = 1
		next
	}
	/:$/ {
		object = $1
		sub(/:$/, "", object)
		sub(/^\.\._/, "", object)
		skipped = object !~ /^(brace|ctf|host|record|simple|sink|site|text)_|^expr_eval|^event_vcpu_table/ || object ~ elsewhere
		looked += !skipped
		next
	}
	$1 == "U" && !skipped {
		name = $2
		sub(/@.*/, "", name)
		sub(/64$/, "", name)
		if (name in allowed || name ~ /^(waymark_|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail)/)
			next
		if (object == special && name ~ /^(strerror|stat)$/)
			next
		print object ": " name "() may not be called where a signal handler can come by"
		bad = 1
	}
	END {
		if (looked < 20) {
			print "only " looked + 0 " objects were found"
			bad = 1
		}
		exit bad
	}' "$list" -
