# SPDX-License-Identifier: MIT
# For scripts that check tracetool's messages and output files: runs it, and checks the
# last run. Sourced after lib.sh; the current folder has the declarations `a` and `b`,
# and `broken`, whose format misses its argument.

# run EXIT ARGUMENTS...: runs tracetool; its output goes to `out`, its messages to `err`
run()
{
	local wanted=$1 status=0
	shift
	what="tracetool $*"
	"$tracetool" "$@" >out 2>err </dev/null || status=$?
	[ "$status" -eq "$wanted" ] || fail "$what: exit $status, not $wanted: $(cat err)"
}

# refused MESSAGE ARGUMENTS...: exit status 1, that message first, nothing on standard output
refused()
{
	local message=$1
	shift
	run 1 "$@"
	[ "$(head -n1 err)" = "Error: $message" ] || fail "$what: says '$(cat err)', not '$message'"
	[ ! -s out ] || fail "$what: writes to standard output"
}

says() # TEXT: the last run printed it
{
	grep -qF -- "$1" out || fail "$what: does not print '$1'"
}

told() # TEXT: in a message of the last run
{
	grep -qF -- "$1" err || fail "$what: says '$(cat err)', not '$1'"
}

silent()
{
	[ ! -s err ] || fail "$what: says '$(cat err)'"
}

holds() # FILE TEXT
{
	grep -qF -- "$2" "$1" || fail "$what: $1 lacks '$2'"
}

# many: prints the declarations of 20000 events
many()
{
	seq 20000 | sed 's/.*/event_&(int value) "value %d"/'
}

absent() # FILE...
{
	local file
	for file; do
		[ ! -e "$file" ] || fail "$what: left $file behind"
	done
}

# The two options that are always required.
both='--format=h --backends=log'
echo 'one(int value) "value %d"' >a
echo 'two(int value) "value %d"' >b
echo 'broken(int value) "value"' >broken
