#!/bin/sh
# SPDX-License-Identifier: MIT
# A client that attaches to a scope by its name gets its begins and ends, and no other events;
# the counts of the scope include both.
#
#	attached.sh WAYMARK FORMS MONITOR
set -u
waymark=$(realpath "$1")
forms=$(realpath "$2")
LD_LIBRARY_PATH=$(dirname "$(realpath "$3")")
export LD_LIBRARY_PATH
work=$(mktemp -d) || exit 99
mkfifo "$work/input"
WAYMARK_TRACE="control=$work/socket,ctf.file=$work/trace,stats=on" timeout 100 "$forms" repeat \
	<"$work/input" >"$work/said" 2>&1 &
exec 3>"$work/input"
trap 'exec 3>&-; wait; rm -rf "$work"' EXIT
tries=0
until "$waymark" ctl "$work/socket" stats >"$work/stats" 2>&1 || [ $((tries += 1)) -gt 100 ]; do
	sleep 0.1
done

"$waymark" attach "$work/socket" reserve --count 40 >"$work/out" 2>"$work/err" || {
	echo "attach: exit $?: $(cat "$work/err" "$work/said")"
	exit 1
}
began=$(grep -c ' reserve reserve 0x7 bytes scope=' "$work/out")
ended=$(grep -c ' reserve_end scope=' "$work/out")
"$waymark" ctl "$work/socket" flush
"$waymark" ctl "$work/socket" stats --events --json >"$work/stats" || exit 1
python3 - "$work/stats" <<'END' || exit 1
import json, sys
with open(sys.argv[1]) as file:
    stats = json.load(file)
counted = [(e["name"], e["recorded"]) for e in stats["per-event"] if e["recorded"]]
print("in all", stats["recorded"], "counted", counted)
sys.exit(counted != [("reserve", stats["recorded"])])
END
"$waymark" ctl "$work/socket" stats --events >"$work/stats" || exit 1
grep -q '^A scope counts twice: its begin and its end are events.$' "$work/stats" || {
	cat "$work/stats"
	exit 1
}
# Of a scope, a condition decides at its begin, and its end is shown with it.
"$waymark" attach "$work/socket" reserve if 'size == 7' --count 20 >"$work/some" 2>"$work/err" || {
	echo "attach under a condition: exit $?: $(cat "$work/err")"
	exit 1
}
if [ "$(grep -c ' reserve_end ' "$work/some")" -lt 5 ] || [ "$(wc -l <"$work/some")" -ne 20 ]; then
	cat "$work/some"
	exit 1
fi
echo "$began began, $ended ended, $(wc -l <"$work/out") lines"
[ "$began" -ge 10 ] && [ $((began - ended)) -ge -1 ] && [ $((began - ended)) -le 1 ] &&
	[ $((began + ended)) -eq "$(wc -l <"$work/out")" ]
