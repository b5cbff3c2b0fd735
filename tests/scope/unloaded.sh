#!/bin/sh
# SPDX-License-Identifier: MIT
# Scopes that are open when their plug-in is unloaded are discarded: unloaded.sh UNLOADED PLUGIN
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
said=$folder/said
for backend in log ctf; do
	"$1" "$2" "Shared,backend=$backend,ctf.file=$folder/trace" >"$said" 2>&1 || {
		echo "$backend: exit $?"
		cat "$said"
		exit 1
	}
	test $backend = log || continue
	sed -n 's/^.*Shared \(Exit\|Flow end\): //p' "$said" >"$folder/ends"
	printf '%s\n' 'of the program' 'of the program' 'of both' 'of both' behind |
		diff - "$folder/ends" || exit 1
done
