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

# offers FUNCTION WANTED WORD...: completing the last word offers WANTED.
offers() {
	local function=$1 wanted=$2
	shift 2
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	"$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	if [[ " ${COMPREPLY[*]-} " != *" $wanted "* ]]; then
		echo "\`$*\` offers '${COMPREPLY[*]-}', not $wanted"
		status=1
	fi
}

offers _tracetool --backends= tracetool --ba
offers _tracetool simple tracetool --backends = s
offers _tracetool log,simple tracetool --backends=log,s
offers _tracetool c tracetool --format ''
offers _waymark print waymark p
offers _waymark --from= waymark print --f
offers _waymark recover waymark r
offers _waymark convert waymark c
offers _waymark --to= waymark convert --t
offers _waymark --discard waymark recover --d
exit $status
