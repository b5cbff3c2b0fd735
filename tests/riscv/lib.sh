# SPDX-License-Identifier: MIT
# For scripts that run the machine: a folder of their own, which is the current one, and an end at
# the first fault. Sourced when the arguments have been made absolute.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

fail() {
	echo "$*"
	[ ! -f out ] || head -n 40 out
	exit 1
}
