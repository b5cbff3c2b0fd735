#!/bin/sh
# SPDX-License-Identifier: MIT
# Objects with events come and go: plugin.sh HOST PLUGIN
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$1" "$2" "$tmp/log"
awk 'BEGIN {
	for (i = 1; i <= 1000; i++) {
		print "plugin_run value=" i
		print "shared_name value=" i
		print "shared_name value=-" i
	}
}' >"$tmp/expected"
cmp "$tmp/expected" "$tmp/log"
