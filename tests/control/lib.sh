# SPDX-License-Identifier: MIT
# For scripts that test programs' options: makes a current folder of their own, and compares
# outputs with expectations. Source it after the arguments have been made absolute.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
unset WAYMARK_TRACE
failures=0

fail() {
	echo "$*"
	failures=$((failures + 1))
}

# expect NAME STATUS STDERR COMMAND...: runs it and compares, `tid@time:` taken away; <pid> stands
# for its number, which is $last. What it prints is in `out`.
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
