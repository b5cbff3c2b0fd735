#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages speak of every key, prefix and function, and of no others: documented.sh ROOT
set -eu
cd "$1"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
status=0

# compare WHAT: the lists `code` and `page` are the same.
compare() {
	sort -u "$tmp/code" >"$tmp/code.sorted"
	sort -u "$tmp/page" >"$tmp/page.sorted"
	[ -s "$tmp/code" ] && diff "$tmp/code.sorted" "$tmp/page.sorted" >"$tmp/diff" || {
		echo "$1: code (<) and manual page (>) differ"
		cat "$tmp/diff"
		status=1
	}
}

trace=docs/man/waymark-trace.7
sed -n 's/^WAYMARK_OPTION("\([^"]*\)".*/\1/p' src/rt/option/options.def >"$tmp/code"
sed -n 's/^\.It Cm \([a-z.-]*\)= .*/\1/p' $trace >"$tmp/page"
compare "keys of the option"

sed -n 's/^WAYMARK_LOG_PREFIX("\([^"]*\)".*/\1/p' src/rt/text/log_prefixes.def >"$tmp/code"
sed -n 's/^\.It Cm log.prefix= Ns Cm \(.*\)/\1/p' $trace | tr -d ' ' | tr '|' '\n' >"$tmp/page"
compare "log prefixes"

sed -n 's/^WAYMARK_BACKEND([0-9]*, [A-Z]*, \([a-z]*\))/\1/p' include/waymark/backends.def | sort >"$tmp/reserved"
sed -n 's/^EMIT_BACKEND(\([a-z]*\),.*/\1/p' src/emit/backends.def | grep -vx nop | sort >"$tmp/code"
sed -n 's/^\.Pq Cm \(ctf, .*\|ctf .*\) \.$/\1/p' $trace | tr -d ' ' | tr ',' '\n' >"$tmp/page"
outside=$(sed -n 's/.*WAYMARK_OUTSIDE_BACKENDS = \(.*\),/\1/p' include/waymark/backend.h |
	sed 's/ | /|/g; s/WAYMARK_//g' | tr A-Z a-z)
[ "$outside" ] && grep -qE "$outside" "$tmp/code" && grep -vxE "$outside" "$tmp/code" >"$tmp/switched"
cp "$tmp/code" "$tmp/built"
mv "$tmp/switched" "$tmp/code"
compare "backends"
mv "$tmp/built" "$tmp/code"
for absent in $(comm -23 "$tmp/reserved" "$tmp/code"); do
	if grep -nwi "$absent" $trace docs/man/waymark-control.3 src/rt/option/options.def \
		include/trace/control.h include/waymark/control.h; then
		echo "this speaks of the backend $absent, which does not exist"
		status=1
	fi
done

# functions HEADER: declared there, and in its page.
functions() {
	page=docs/man/waymark-$1.3
	grep -vE '^ \*' "include/waymark/$1.h" | grep -oE '\bwaymark_[a-z_]+\(' | tr -d '(' >"$tmp/code"
	sed -n 's/^\.Fn \(waymark_[a-z_]*\) ".*/\1/p' "$page" >"$tmp/page"
	compare "functions of waymark/$1.h"
	sed -n 's/^\.Nm \(waymark_[a-z_]*[a-z]\)\( ,\)*$/\1/p' "$page" >"$tmp/page"
	compare "names at the head of waymark-$1.3"
}

functions control
functions vcpu

sed -n 's/^JAIL_CALL(\([a-z_]*\),.*/\1/p' src/rt/control/jail_calls.def >"$tmp/code"
sed -n '/^\.Ss System calls/,/^\.El/s/^\.It \([a-z_, ]*\) Ta .*/\1/p' docs/man/waymark-jail.7 |
	tr -d ' ' | tr ',' '\n' >"$tmp/page"
compare "system calls in a jail"
exit $status
