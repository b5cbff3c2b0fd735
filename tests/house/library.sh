#!/bin/sh
# SPDX-License-Identifier: MIT
# The runtime library exports its interface only and needs nothing but libc:
# library.sh LIBWAYMARK.SO
set -eu
status=0
foreign=$(nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@.*//' |
	grep -vE '^(waymark_|trace_(event|init|fini|get|list|enable|opt)_|WAYMARK_[0-9])' || true)
if [ -n "$foreign" ]; then
	echo "exported, but no part of the interface:" $foreign
	status=1
fi
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
	grep -vE '^(libc\.so|ld-linux)' || true)
if [ -n "$needed" ]; then
	echo "needs more than libc:" $needed
	status=1
fi
exit $status
