#!/bin/sh
# SPDX-License-Identifier: MIT
# Huge and hostile files take time proportional to their size: each of these is read in
# well under a second, with a limited number of messages.
#
#	linear.sh DUMP_MODEL

dump=$1
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
bad=0

check() # NAME LINES_AT_MOST: none of them longer than a message and its line
{
	timeout 100 "$dump" --quiet "$work/$1" >"$work/out"
	status=$?
	lines=$(wc -l <"$work/out")
	longest=$(wc -L <"$work/out")
	echo "$1: $(wc -c <"$work/$1") bytes, exit status $status, $lines lines of $longest"
	if [ "$status" -gt 1 ] || [ "$lines" -gt "$2" ] || [ "$longest" -gt 1100 ]; then
		bad=1
	fi
}

repeat() # COUNT TEXT
{
	awk -v n="$1" -v text="$2" 'BEGIN { while (n--) printf "%s", text }'
}

awk 'BEGIN { for (i = 0; i < 100000; i++) printf "e%d(int a) \"%%s\"\n", i }' >"$work/errors"
check errors 401
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "e%d(uint64_t a) \"%%lx\"\n", i }' >"$work/warnings"
check warnings 401
awk 'BEGIN { for (i = 0; i < 100000; i++) print "same(int a)" }' >"$work/duplicates"
check duplicates 401
{ printf 'e(void) "'; repeat 2000000 x; printf '"\n'; } >"$work/long-format"
check long-format 4
{ printf 'e(void) "'; repeat 500000 '%m'; printf '"\n'; } >"$work/many-conversions"
check many-conversions 4
{ printf 'e(int a) "'; repeat 500000 '%5 '; printf '"\n'; } >"$work/no-letters"
check no-letters 4
{ printf 'e(void) "'; repeat 500000 '%d'; printf '"\n'; } >"$work/too-many"
check too-many 4
{ printf 'e('; repeat 500000 'int a, '; printf 'int b)\n'; } >"$work/many-arguments"
check many-arguments 50
{ repeat 500000 'disabel '; printf 'e(void)\n'; } >"$work/many-properties"
check many-properties 401
{ repeat 2000000 x; printf '(void)\n'; } >"$work/long-name"
check long-name 0
{ repeat 1000000 ü; printf '(void)\n'; } >"$work/long-wrong-name"
check long-wrong-name 4
{ printf 'e('; repeat 2000000 x; printf ' a)\n'; } >"$work/long-type"
check long-type 4
table='args = \"a: u8\"\nmessage = \"{}\"\nenabled = true\n'
awk "BEGIN { for (i = 0; i < 100000; i++) printf \"[[events]]\nname = \\\"e%d\\\"\n$table\", i }" \
	>"$work/tables.toml"
check tables.toml 0
awk 'BEGIN { for (i = 0; i < 100000; i++) print "[[events]]\nname = 1" }' >"$work/errors.toml"
check errors.toml 401
awk 'BEGIN { for (i = 0; i < 200000; i++) printf "k%d = 1\n", i }' >"$work/keys.toml"
check keys.toml 401
repeat 200000 'k = [ { a = "' >"$work/open-tables.toml"
check open-tables.toml 401
repeat 500000 "k = '''\n" >"$work/open-strings.toml"
check open-strings.toml 401
repeat 500000 'a = [\n' >"$work/open-arrays.toml"
check open-arrays.toml 401
{ printf 'events = ['; repeat 100000 '{ name = 1 }, '; printf ']\n'; } >"$work/array.toml"
check array.toml 401
{ printf '[[events]]\nname = "a"\nargs = "'; repeat 500000 'a: u8, '; printf '"\nmessage = "'; repeat 300000 '{} {'; printf '"\n'; } >"$work/long.toml"
check long.toml 50
repeat 500000 '((((' >"$work/no-newline"
check no-newline 10
exit $bad
