#!/bin/bash
# SPDX-License-Identifier: MIT
# The completions know exactly the options, formats and backends that tracetool's own
# tables know, as --help prints them.
. "$(dirname "$0")/lib.sh"

"$tracetool" --help | grep -oE -- '--[a-z-]+' | sort -u >options
[ "$(wc -l <options)" -gt 10 ] || fail "--help: only $(wc -l <options) options"

# complete WORD...: what bash offers for the last word
complete_words()
{
	COMP_WORDS=("$tracetool" "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_tracetool "$tracetool" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null
	printf '%s\n' "${COMPREPLY[@]}" | sort -u
}

offers() # EXPECTED WORD...
{
	local expected=$1 found
	shift
	found=$(complete_words "$@" | tr '\n' ' ')
	[ "${found% }" = "$expected" ] || fail "completion of '$*' offers '$found', not '$expected'"
}

. "$root/completions/tracetool"
# An option that takes a value ends in `=`.
"$tracetool" --help | sed -n 's/^  \(-., \)\?\(--[a-z-]*=\?\).*/\2/p' | sort -u >words
sed 's/=$//' words | sort -u | diff options - || fail "options of --help and of its table differ"
complete_words -- | diff words - || fail "options of --help (<) and of the completion (>) differ"
offers '--format=' --form
formats=$("$tracetool" --list-formats | tr -d , | tr ' ' '\n' | sort)
backends=$("$tracetool" --list-backends | tr -d , | tr ' ' '\n' | sort)
offers "$(echo $formats)" --format ''
offers "$(echo $backends)" --backends ''
offers 'simple' --backends si
offers 'log,simple' --backends log,si
touch declared
offers declared --check decl

# zsh_offers EXPECTED WORD...: its completion, with what it calls replaced
zsh_offers()
{
	local expected=$1 found
	shift
	found=$(zsh -f -c '
		compset() { }
		_files() { echo files }
		compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- "$@" }
		complete_words() { source "$0" }
		file=$1; shift
		words=("$@"); CURRENT=$#; service=tracetool
		functions[complete_words]=$(<$file)
		complete_words' zsh "$root/completions/zsh/_waymark" "$tracetool" "$@" | sort -u | tr '\n' ' ')
	[ "${found% }" = "$expected" ] || fail "zsh: '$*' offers '$found', not '$expected'"
}

if have zsh; then
	zsh_offers "$(echo $formats)" --format ''
	zsh_offers "$(echo $formats)" --format=
	zsh_offers "$(echo $backends)" --backends=log,s
	zsh_offers "$(tr '\n' ' ' <words | sed 's/ $//')" -
	zsh_offers files --check decl
else
	echo 'the completion of zsh is not tested: zsh is missing'
fi

# fish_offers EXPECTED LINE
fish_offers()
{
	local found
	found=$(PATH=${tracetool%/*}:$PATH HOME=$tmp fish --no-config -c \
		'source $argv[1]; complete -C $argv[2]' \
		"$root/completions/fish/tracetool.fish" "tracetool $2" 2>&1 | cut -f1 | sort -u | tr '\n' ' ')
	[ "${found% }" = "$1" ] || fail "fish: '$2' offers '$found', not '$1'"
}

if have fish; then
	fish_offers '--format --format=' --format
	fish_offers '--max-args=' --max
	fish_offers "$(echo $formats)" '--format '
	fish_offers "$(echo "$formats" | sed 's/^/--format=/' | tr '\n' ' ' | sed 's/ $//')" --format=
	fish_offers 'simple' '--backends si'
	fish_offers 'log,simple' '--backends log,si'
	fish_offers '--backends=log,simple' --backends=log,si
else
	echo 'the completion of fish is not tested: fish is missing'
fi
finish
