#!/bin/sh
# SPDX-License-Identifier: MIT
# A set-uid program ignores WAYMARK_ variables: setuid.sh STATIC_SILENT STATIC_WITH_MONITOR
set -eu
if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
	echo "needs root and setpriv to make and run a set-uid program"
	exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cp "$1" "$tmp/program"
cp "$2" "$tmp/monitored"
mkdir -m 777 "$tmp/notes"
export STUB_MONITOR="$tmp/notes/started"
as_nobody() {
	WAYMARK_TRACE='disk_read,control=on' setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/${1-program}" 2>&1
}
chmod 755 "$tmp/program"
as_nobody | grep -q 'disk_read value=1' || {
	echo "without the set-uid bit the environment should count"
	exit 1
}
chmod 755 "$tmp/monitored"
as_nobody monitored >/dev/null
[ -s "$STUB_MONITOR" ] || {
	echo "without the set-uid bit the monitor should start"
	exit 1
}
rm "$STUB_MONITOR"
chmod 4755 "$tmp/program" "$tmp/monitored"
if awk -v d="$tmp" '{ n = length($2); if (index(d, $2) == 1 && n >= best) { best = n; o = $4 } }
	END { exit o !~ /nosuid/ }' /proc/mounts; then
	echo "$tmp lies on a file system mounted nosuid"
	exit 77
fi
[ -z "$(as_nobody)" ] || {
	echo "a set-uid program obeyed WAYMARK_TRACE"
	exit 1
}
as_nobody monitored >/dev/null
[ ! -e "$STUB_MONITOR" ] || {
	echo "a set-uid program started a monitor for its environment"
	exit 1
}
