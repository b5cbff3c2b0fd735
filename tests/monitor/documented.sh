#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual has every command of the table, with its parameters: documented.sh ROOT
set -eu
cd "$1"
text=$(mktemp)
trap 'rm -f "$text" "$text.commands"' EXIT
if ! command -v mandoc >/dev/null; then
	echo "skipped: mandoc is not installed"
	exit 77
fi
mandoc -Tascii -O width=200 docs/man/waymark-monitor.7 | sed "s/.$(printf '\b')//g" >"$text"
# COMMAND("name", DIALECTS, "parameters", ...: one line each, whatever it is wrapped to.
tr '\n' ' ' <src/mon/session/commands.def | sed 's/COMMAND(/\nCOMMAND(/g' |
	sed -n 's/^COMMAND("\([^"]*\)", [A-Z| ]*, *"\([^"]*\)".*/\1:\2/p' >"$text.commands"
count=0
status=0
while IFS= read -r line; do
	name=${line%%:*}
	usage=" +$(echo "$name" | sed 's/[?]/\\?/')"
	for parameter in ${line#*:}; do
		case $parameter in
		*:switch) shown='on\|off' ;;
		*\|*) shown=$(echo "${parameter#*:}" | sed 's/?$//; s/|/\\|/g') ;;
		*) shown=${parameter%%:*} ;;
		esac
		case $parameter in
		*\?) usage="$usage \\[$shown\\]" ;;
		*) usage="$usage $shown" ;;
		esac
	done
	grep -qE "(^|,)$usage(,|\$)" "$text" || {
		echo "docs/man/waymark-monitor.7 does not have:$usage"
		status=1
	}
	count=$((count + 1))
done <"$text.commands"
echo "$count commands"
[ $count -gt 20 ] || status=1
exit $status
