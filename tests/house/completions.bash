#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The bash completions offer what the commands know: completions.bash ROOT BUILD
set -eu
root=$1
PATH=$2/src/cmd:$PATH
compopt() { :; }
source "$root/completions/tracetool"
source "$root/completions/waymark"
status=0

complete_words() {
	local function=$1
	shift
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	"$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" || true
}

# offers FUNCTION WANTED WORD...: completing the last word offers WANTED.
offers() {
	local function=$1 wanted=$2
	shift 2
	complete_words "$function" "$@"
	if [[ " ${COMPREPLY[*]-} " != *" $wanted "* ]]; then
		echo "\`$*\` offers '${COMPREPLY[*]-}', not $wanted"
		status=1
	fi
}

# all FUNCTION 'WANTED...' WORD...: these, in any order, and no others.
all() {
	local wanted
	wanted=$(tr ' ' '\n' <<<"$2" | sort | xargs)
	complete_words "$1" "${@:3}"
	local got
	got=$(printf '%s\n' "${COMPREPLY[@]-}" | sort | xargs)
	if [[ $got != "$wanted" ]]; then
		echo "\`${*:3}\` offers '$got', not '$wanted'"
		status=1
	fi
}

offers _tracetool --backends= tracetool --ba
offers _tracetool simple tracetool --backends = si
offers _tracetool log,simple tracetool --backends=log,si
offers _tracetool c tracetool --format ''
offers _waymark print waymark p
offers _waymark --from= waymark print --f
offers _waymark recover waymark r
offers _waymark convert waymark c
offers _waymark --to= waymark convert --t
offers _waymark --discard waymark recover --d
all _waymark 'abs rel delta wall' waymark print --time =
all _waymark 'abs' waymark print --time = a
all _waymark 'auto always never' waymark print --color = ''
all _waymark 'auto always never' waymark print --color ''
all _waymark 'ctf simple' waymark convert --to =
all _waymark 'record print info latency scopes flamegraph recover drain ls ctl attach convert' waymark help ''
offers _waymark --replace waymark record --r
offers _waymark sleep waymark record slee
offers _waymark sleep waymark record -e 'x*' --option = a=b --replace -- slee
offers _waymark "$root/completions/zsh" waymark record -- sleep -x "$root/completions/z"
all _waymark '' waymark record -- sleep --repl
all _waymark '--all --list --discard --discard-gone --dry-run --help --version' waymark recover --
all _waymark '--json --help --version' waymark ls --
all _waymark 'list on off categories stats flush snapshot file monitor qmp' waymark ctl 1 ''
all _waymark 'off on' waymark ctl --json 1 file o
all _waymark 'snapshot stats' waymark ctl --timeout = 5 1 s
all _waymark 'ctf simple log' waymark ctl 1 file --backend = ''
all _waymark '--seconds=' waymark attach 1 --s
offers _waymark "$root/completions/zsh" waymark ctl 1 snapshot "$root/completions/z"
offers _waymark "$root/completions/zsh" waymark attach -e "$root/completions/z"
all _waymark '--follow --from=' waymark print --f
all _waymark '--head= --help' waymark print --he
exit $status
