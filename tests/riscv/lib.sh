# SPDX-License-Identifier: MIT
# For scripts that run the machine: changes to a new folder, and ends the script at the first
# fault. Source this after making the arguments absolute.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

fail() {
	echo "$*"
	[ ! -f out ] || head -n 40 out
	exit 1
}
