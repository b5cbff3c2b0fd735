#!/bin/sh
# SPDX-License-Identifier: MIT
# SystemTap accepts tapsets with its keywords, its functions and the variables of its own
# tapsets as names of arguments and events; and files of any name.
#
#	names.sh TRACETOOL ROOT
. "$(dirname "$0")/lib.sh"

words=$(sed -n 's/^STAP_WORD(\(.*\))$/\1/p' "$root/src/emit/format/stap_words.def")
[ "$(echo "$words" | wc -l)" -gt 30 ] || fail 'stap_words.def has no words'

# C's keywords are not valid as names in declarations.
for word in $words; do
	echo "ev_$word(int $word, int other) \"%d %d\""
	echo "$word(int a) \"%d\""
done | grep -vwE '(int )?(break|continue|else|for|if|long|return|while)' >events
for word in name process pid stats count sum kernel module error user_string text user text_str; do
	echo "ev_$word(int $word, const char *other) \"%d %s\""
done >>events
"$tracetool" --format=stap --backends=log --group=st --binary="$tmp/program" --probe-prefix=st.x \
	events plain.stp 2>err || fail "$(cat err)"
python3 "$here/shim.py" program plain.stp | gcc -x c - -o program || fail 'gcc'
mkdir tapsets
tapset log-stap events tapsets/log.stp
tapset simpletrace-stap events tapsets/simpletrace.stp
events=$(grep -c '^probe' plain.stp)
[ "$events" -gt 50 ] || fail "$events events"
for infix in log simpletrace; do
	systemtap -p2 -I tapsets -e "probe st.x.$infix.* { }" >found 2>err || fail "$(cat err)"
	[ "$(grep -c '^process(' found)" -eq "$events" ] || fail "$infix: not all of $events events"
	grep -q '^# global' found && sed -n '/^# global$/,/^# /p' found | grep . &&
		fail 'an argument is a variable of a tapset'
done

# file NAME: builds a program with that name
file()
{
	rm -f tapsets/*
	cp program "$1"
	"$tracetool" --format=log-stap --backends=log --group=st --binary="$tmp/$1" --probe-prefix=st.x \
		events tapsets/log.stp 2>err || fail "$1: $(cat err)"
	systemtap -p2 -I tapsets -e 'probe st.x.log.ev_next { }' >found 2>err || fail "$1: $(cat err)"
}
file 'a blank'
file 'quoted "name"'
file 'back\slash'
file 'dollar $1 @1'

# A probe may name its provider; then other providers' probes are not found.
mkdir provider
for name in shim other; do
	"$tracetool" --format=log-stap --backends=log --group=st --binary="$tmp/program" --provider=$name \
		--probe-prefix=st.$name events provider/$name.stp 2>err || fail "$(cat err)"
done
systemtap -p2 -I provider -e 'probe st.shim.log.ev_next { }' >found 2>err || fail "$(cat err)"
systemtap -p2 -I provider -e 'probe st.other.log.ev_next { }' >found 2>err &&
	fail 'a probe of another provider is found'

# A mark that the program lacks does not hide the others.
echo 'missing(int a) "%d"' >>events
tapset log-stap events tapsets/log.stp
systemtap -p2 -I tapsets -e 'probe st.x.log.* { }' >found 2>err || fail "$(cat err)"
[ "$(grep -c '^process(' found)" -eq "$events" ] || fail 'a missing mark hides others'
finish
