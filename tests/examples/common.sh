# SPDX-License-Identifier: MIT
# For the tests of the example, which get ROOT and BUILD: builds the example like a user, and runs
# it in a new directory.
set -eu
root=$1
build=$2
waymark=$build/src/cmd/waymark
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export PKG_CONFIG_PATH="$build/meson-uninstalled"
export LD_LIBRARY_PATH="$build/src/rt"

case ${WAYMARK_SANITIZER-} in
address) export CFLAGS="-g -O1 -fsanitize=address,undefined" ;;
thread) export CFLAGS="-g -O1 -fsanitize=thread" ;;
esac

# make_example DIRECTORY [make arguments]
make_example() {
	directory=$1
	shift
	make -s -C "$root/examples/blockcache" BUILD="$directory" "$@"
}

fail() {
	echo "$*"
	exit 1
}
