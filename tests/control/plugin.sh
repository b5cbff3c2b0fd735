#!/bin/sh
# SPDX-License-Identifier: MIT
# A plug-in with events is loaded and unloaded: plugin.sh HOST PLUGIN UNLOADER. The environment
# names its events before it is loaded: that is reported, and takes effect when it is loaded.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
WAYMARK_TRACE="plugin_run,backend=simple,simple.file=$tmp/trace" "$1" "$2" "$tmp/log" 2>"$tmp/told"
awk 'BEGIN {
	for (i = 1; i <= 1000; i++) {
		print "plugin_run value=" i
		print "shared_name value=" i
		print "shared_name value=-" i
	}
}' >"$tmp/expected"
cmp "$tmp/expected" "$tmp/log"
[ "$(wc -c <"$tmp/trace")" -gt 1000 ]
cat >"$tmp/expected" <<'END'
waymark: WAYMARK_TRACE: backend=, simple.file=: no effect so far: no loaded event was built with the backend 'simple', only with 'log'
waymark: WAYMARK_TRACE: no such trace event so far: 'plugin_run'
END
cmp "$tmp/expected" "$tmp/told"

# In a program without events the report comes at its end, and does not name events of an unloaded
# plug-in.
WAYMARK_TRACE="plugin_run,backend=simple,simple.file=$tmp/gone,syslog.rate=1" "$3" "$2" 2>"$tmp/told"
[ "$(wc -c <"$tmp/gone")" -gt 24 ]
cat >"$tmp/expected" <<'END'
waymark: WAYMARK_TRACE: syslog.rate=: no effect so far: no loaded event was built with the backend 'syslog', only with 'simple', 'log'
END
cmp "$tmp/expected" "$tmp/told"
