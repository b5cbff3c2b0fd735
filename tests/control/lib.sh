# SPDX-License-Identifier: MIT
# For scripts that test programs' options: changes to a new folder, and compares outputs with
# expectations. Source it after making the arguments absolute.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
unset WAYMARK_TRACE
failures=0

fail() {
	echo "$*"
	failures=$((failures + 1))
}

# expect NAME STATUS STDERR COMMAND...: runs COMMAND and compares, without `tid@time:` prefixes;
# <pid> stands for its number, which is $last. Its standard output is in `out`.
expect() {
	local what=$1 status=$2 err=$3 got=0
	shift 3
	"$@" >out 2>err &
	last=$!
	wait $last || got=$?
	sed -E -i 's/^[0-9]+@[0-9]+\.[0-9]{6}://' err
	err=${err//<pid>/$last}
	if [ $got -ne "$status" ] || [ "$(cat err)" != "$err" ]; then
		fail "$what: status $got, wanted $status"
		diff <(echo "$err") err
	fi
}

finish() {
	exit $((failures > 0))
}
