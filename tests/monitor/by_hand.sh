#!/bin/bash
# SPDX-License-Identifier: MIT
# Commands that a user types into socat: by_hand.sh TALKER VERSION
set -u
talker=$(realpath "$1")
tmp=$(mktemp -d)
mkfifo "$tmp/input"
WAYMARK_TRACE="control=$tmp/s,control-mode=hmp,control-prompt=(qemu) " "$talker" <"$tmp/input" &
trap 'kill $!; wait; rm -rf "$tmp"' EXIT
exec 3>"$tmp/input"

for ((i = 0; i < 200; i++)); do
	[ -S "$tmp/s" ] && break
	sleep 0.05
done
# As on a terminal: the last line ends the conversation.
printf 'trace-event disk_* on\n  info trace-events  "disk_*" \n\n?trace\nquit\n' |
	timeout 60 socat -t5 - "UNIX-CONNECT:$tmp/s" >"$tmp/said" || exit 1
printf '%s\r\n' "Waymark $2 monitor - type 'help' for more information" \
	'(qemu) (qemu) disk_read : state 1' 'disk_write : state 1' \
	"(qemu) (qemu) unknown command: '?trace'" >"$tmp/wanted"
printf '(qemu) ' >>"$tmp/wanted"
diff "$tmp/wanted" "$tmp/said"
