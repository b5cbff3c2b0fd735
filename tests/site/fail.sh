#!/bin/sh
# SPDX-License-Identifier: MIT
# Invalid trace points do not compile, in C and C++, with backends, without, and in a category that
# is compiled out; the first error names the fault. A valid variant of each compiles.
#
#	fail.sh TRACETOOL ROOT
. "$(dirname "$0")/../tracetool/lib.sh"

write() # STATEMENT
{
	cat >case.c <<-END
		#include <waymark/scope.h>
		#define CATEGORIES(C) C(Net, true, "a network") C(Out, false, "compiled out")
		WAYMARK_CATEGORIES(CATEGORIES);
		struct thing { int field; };
		void function(const char *text, struct thing thing, int number);
		void function(const char *text, struct thing thing, int number)
		{
			struct waymark_scope flow = WAYMARK_FLOW(Net, "flow");
			(void)text; (void)number; (void)thing;
			waymark_scope_end(&flow);
			$1;
		}
	END
	cp case.c case.cc
}

compile() # [OPTION...]
{
	case $compiler in
	*++) $compiler -std=c++11 -Wall -Wextra -I"$include" "$@" -fsyntax-only case.cc ;;
	*) $compiler -std=gnu11 -Wall -Wextra -I"$include" "$@" -fsyntax-only case.c ;;
	esac >out 2>&1
}

# refused PATTERN STATEMENT: the first error matches PATTERN, for all backends
refused()
{
	write "$2"
	for compiler in $found; do
		for backends in $with; do
			compile -Werror -DWAYMARK_SCOPES=$backends && fail "$compiler, $backends: $2"
			sed -n '/error:/{p;q}' out | grep -qE "$1" ||
				fail "$compiler, $backends: $2: the error is not '$1' but $(grep -m 1 error: out)"
		done
	done
}

accepted() # STATEMENT
{
	write "$1"
	for compiler in $found; do
		for backends in $with; do
			compile -Werror -DWAYMARK_SCOPES=$backends || fail "$compiler, $backends: $1: $(cat out)"
		done
	done
}

# unknown BACKENDS PATTERN: prints exactly one error, which matches
unknown()
{
	for compiler in $found; do
		compile "-DWAYMARK_SCOPES=$1" && fail "$compiler: WAYMARK_SCOPES=$1"
		[ "$(grep -c 'error:' out)" = 1 ] && grep -q "error:.*$2" out || fail "$compiler, $1: $(cat out)"
	done
}

found=
for compiler in gcc g++ clang clang++; do
	! have $compiler || found="$found $compiler"
done
[ "$found" ] || { echo "skipped: there is no compiler"; exit 77; }

several=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
for category in Net Out; do
	with='ctf nop'
	[ $category = Net ] || with=ctf
	accepted "WAYMARK_SCOPE($category, \"name\", text, number, &thing, 4,5,6,7,8,9,10,11,12,13,14,15, 16); WAYMARK_INSTANT($category, \"name\")"
	refused 'at_most_16_arguments' "WAYMARK_SCOPE($category, \"name\", $several, 16, number)"
	refused 'expected string.literal' "WAYMARK_INSTANT($category, text)"
	refused 'thing|waymark_kind_of|waymark_debug' "WAYMARK_SCOPE($category, \"name\", 1, thing)"
	refused 'a_counter_is_a_number_or_bool' "WAYMARK_COUNTER($category, \"name\", text)"
	refused 'unknown_one' "WAYMARK_INSTANT($category, \"name\", unknown_one)"
	refused 'format' "WAYMARK_PRINT_IN($category, \"%d\", text)"
	refused '' "WAYMARK_FLOW_STEP($category, &thing, \"step\")"
done
with=ctf
refused 'at_most_16_arguments' "WAYMARK_INSTANT(Net, \"name\", $several, $several, 31, 32)"
refused 'expected string.literal' 'WAYMARK_COUNTER(Net, text, number)'
refused 'format' 'WAYMARK_PRINT("%s", number)'

# A category in no list: one error, which names the category and the list.
with='ctf nop'
unlisted='category_Nett_is_not_in_WAYMARK_CATEGORIES'
for statement in 'WAYMARK_SCOPE(Nett, "name", number)' 'WAYMARK_BEGIN(Nett, "name")' 'WAYMARK_END(Nett)' \
	'flow = WAYMARK_FLOW(Nett, "name")' 'WAYMARK_FLOW_STEP(Nett, &flow, "name")' \
	'WAYMARK_INSTANT(Nett, "name", number, text)' 'WAYMARK_COUNTER(Nett, "name", number)' \
	'WAYMARK_PRINT_IN(Nett, "%d", number)'; do
	write "$statement"
	for compiler in $found; do
		for backends in $with; do
			compile -DWAYMARK_SCOPES=$backends && fail "$compiler, $backends: $statement"
			grep -q "error:.*$unlisted" out && [ "$(grep -c error: out)" = 1 ] && [ "$(wc -l <out)" -lt 50 ] ||
				fail "$compiler, $backends: $statement: $(cat out)"
		done
	done
done

# The generated names cause no warning, with any warning enabled.
write 'WAYMARK_SCOPE(Net, "name"); WAYMARK_PRINT_IN(Out, "text"); WAYMARK_END(Net)'
for compiler in $found; do
	for backends in $with; do
		extra='-Wshadow -Wredundant-decls'
		case $compiler in
		*++) extra="$extra -Wold-style-cast" ;;
		*) extra="$extra -Wnested-externs" ;;
		esac
		compile -Werror $extra -DWAYMARK_SCOPES=$backends || fail "$compiler, $backends: $(cat out)"
	done
done

found=${found#* } # one of them is enough for what the preprocessor finds
found=${found%% *}
write 'WAYMARK_INSTANT(Net, "name")'
for backends in ctf log,simple 'ctf,ftrace, hitrace,syslog' nop nop,nop; do
	for compiler in $found; do
		compile "-DWAYMARK_SCOPES=$backends" || fail "$compiler, $backends: $(cat out)"
		compile "-DWAYMARK_SCOPES_DEFAULT=$backends" || fail "$compiler, $backends: $(cat out)"
	done
done
for backends in ust dtrace ctf,ust dtrace,log; do
	unknown $backends 'ust and dtrace are for declared events'
done
for backends in '' 1 ctff ctf,logg nop,ctf,simple,log,ftrace,hitrac; do
	unknown "$backends" 'no such backend'
done
finish
