#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/deb removes only its own packages from the directory it builds in; tools/check-chroot uses
# no directory that another user may have made: others.sh ROOT
set -eu
root=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "$*"
	exit 1
}

# A tree with only its packaging and its build script.
mkdir -p "$tmp/tree/tools" "$tmp/bin" "$tmp/built"
cp -r "$root/debian" "$tmp/tree"
cp "$root/tools/deb" "$tmp/tree/tools"
for program in "$tmp/tree/tools/deps" "$tmp/bin/dpkg-parsechangelog" "$tmp/bin/dpkg-buildpackage"; do
	printf '#!/bin/sh\necho 0\n' >"$program"
	chmod +x "$program"
done
echo 'touch ../libwaymark0_new_amd64.deb' >>"$tmp/bin/dpkg-buildpackage"
ours='libwaymark0_old_amd64.deb libwaymark0-dbgsym_old_amd64.deb waymark-tools_old_amd64.deb'
for file in $ours other_1_amd64.deb; do
	touch "$tmp/built/$file"
done
PATH="$tmp/bin:$PATH" "$tmp/tree/tools/deb" "$tmp/built" >"$tmp/out" 2>&1 || fail "$(cat "$tmp/out")"
left=$(cd "$tmp/built" && echo *.deb)
[ "$left" = "libwaymark0_new_amd64.deb other_1_amd64.deb" ] || fail "packages there: $left"

mkdir "$tmp/theirs"
ln -s theirs "$tmp/place"
! WAYMARK_CHROOTS="$tmp/place" "$root/tools/check-chroot" root >"$tmp/out" 2>&1 ||
	fail "chroots are made behind a link"
grep -q 'place is not a directory of ours' "$tmp/out" || fail "not refused: $(cat "$tmp/out")"
[ -z "$(ls "$tmp/theirs")" ] || fail "written there: $(ls "$tmp/theirs")"
