# SPDX-License-Identifier: MIT
# For the tests of adoption, which get ROOT and BUILD: installs Waymark once for all of them, in
# another prefix than it was configured for. Each test is a user's project in a new directory,
# which does not use this tree.
set -eu
root=$1
build=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
installed=$build/tests/adopt/installed
. "$root/tests/adopt/block.sh"

# is_installed: succeeds if no installed file is older than the build.
is_installed() {
	[ -e "$installed.stamp" ] && [ -z "$(find "$build/src" "$build/packaging" "$root/packaging" \
		"$root/integrations" \
		"$root/include" "$build/meson-private/install.dat" -type f -newer "$installed.stamp")" ]
}

install_once() {
	rm -rf "$installed" "$installed.tmp"
	touch "$installed.new"
	meson install -C "$build" --no-rebuild --quiet --destdir "$installed.tmp" </dev/null
	moved=$(find "$installed.tmp" -type d -name 'waymark-[0-9]*')
	mv "${moved%/*/*}" "$installed"
	rm -rf "$installed.tmp"
	# Only these files contain the installation's path; `make install PREFIX=` writes it in the
	# same way.
	find "$installed" -name '*.pc' -exec sed -i "s|^prefix=.*|prefix=$installed|" {} +
	mv "$installed.new" "$installed.stamp"
}

mkdir -p "$build/tests/adopt"
exec 9>"$installed.lock"
flock 9
is_installed || install_once
exec 9>&-

library=$(find "$installed" -name libwaymark.so -exec dirname {} \;)
export PKG_CONFIG_PATH="$library/pkgconfig"
export LD_LIBRARY_PATH="$library"
export PATH="$installed/bin:$PATH"
unset WAYMARK_TRACE CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS DESTDIR
cd "$tmp"

fail() {
	echo "$*"
	exit 1
}

# quietly COMMAND...: shows its output only if it fails
quietly() {
	"$@" >"$tmp/out" 2>&1 </dev/null || fail "$*: $(tail -n 40 "$tmp/out")"
}

# records PROGRAM LINE: its events are in a native trace, and one of them ends in LINE
records() {
	WAYMARK_TRACE="*,file=$tmp/t.ctf,replace=on" "$1" 2>"$tmp/said" || fail "$1: $(cat "$tmp/said")"
	waymark print "$tmp/t.ctf" >"$tmp/events" || fail "$1: no trace: $(cat "$tmp/said")"
	grep -q " $2\$" "$tmp/events" || fail "$1: no \"$2\" in: $(cat "$tmp/events" "$tmp/said")"
}

# logs PROGRAM LINE: the same for the backend log
logs() {
	WAYMARK_TRACE='*' "$1" 2>"$tmp/said" || fail "$1: $(cat "$tmp/said")"
	grep -q ":$2\$" "$tmp/said" || fail "$1: no \"$2\" in: $(cat "$tmp/said")"
}
