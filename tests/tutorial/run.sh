#!/bin/sh
# SPDX-License-Identifier: MIT
# Each command of a document, by default docs/tutorial.md, prints what the document shows: with the
# build, installed below a new directory; or, with WAYMARK_INSTALLED=1, with the system's Waymark,
# and then only the document is from this tree. run.sh ROOT BUILD [DOCUMENT], WAYMARK_INSTALLED=1
# run.sh [DOCUMENT]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ -n "${WAYMARK_INSTALLED-}" ]; then
	exec python3 "$here/run.py" "${1-$here/../../docs/tutorial.md}"
fi
root=$1
build=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
meson install -C "$build" --no-rebuild --quiet --destdir "$tmp/root" </dev/null
bin=$(dirname "$(find "$tmp/root" -name tracetool -path '*/bin/*')")
for module in $(find "$tmp/root" -name '*.pc'); do
	sed -i "s,^prefix=.*,prefix=${bin%/bin}," "$module"
done
python3 "$here/run.py" "${3-$root/docs/tutorial.md}" "${bin%/bin}"
