#!/bin/sh
# SPDX-License-Identifier: MIT
# The code generated for scopes equals golden/, has the layout of .clang-format, and compiles
# without a warning in every language, with every installed compiler and at every level of
# optimization. To accept a change: golden.sh TRACETOOL ROOT --update
. "$(dirname "$0")/../tracetool/lib.sh"

folder=$root/tests/scope
cp "$folder/golden.toml" .
mkdir made include
for backends in ctf ctf,log,ust dtrace,ftrace,simple nop; do
	name=$(echo "$backends" | tr , -)
	for format in h c; do
		"$tracetool" --format=$format --backends="$backends" --group=golden \
			--output="made/$name.$format" golden.toml || fail "$backends: $format"
	done
done
for format in bpftrace log-stap; do
	"$tracetool" --format=$format --backends=dtrace --group=golden --binary=/usr/bin/program \
		--probe-prefix=program --output="made/scopes.$format" golden.toml || fail "$format"
done
if [ "${3:-}" = --update ]; then
	mkdir -p "$folder/golden"
	cp made/* "$folder/golden"
elif ! diff -ru "$folder/golden" made; then
	fail 'the goldens (-) differ from what is generated (+): see the head of golden.sh'
fi
! have clang-format-14 || check_layout made/*.[ch]

"$tracetool" --format=ust-events-h --backends=ust --group=golden golden.toml >include/trace-ust-golden.h
cat >call.c <<'END'
#include "trace-golden.h"
int call(int32_t n);
int call(int32_t n)
{
	struct waymark_scope s WAYMARK_SCOPE_ENDS = trace_update_cursor_start();
	struct waymark_scope t = trace_refresh_start(1);
	TRACE_UPDATE_CURSOR_SCOPE(); TRACE_UPDATE_CURSOR_SCOPE();
	TRACE_REFRESH_SCOPE(2); TRACE_REFRESH_SCOPE(3);
	TRACE_HANDLE_MESSAGE_SCOPE(waymark_debug_i32(n), n);
	uint64_t u = trace_handle_message_enter(waymark_debug_i32(n), n);

	if (TRACE_UPDATE_CURSOR_STATE() || TRACE_REFRESH_BACKENDS()) {
		n++;
	}
	trace_handle_message_leave(&u);
	waymark_scope_end(&t);
	return n;
}
END
for backends in $(usable | grep -E '^(ctf|nop|log|ust|dtrace)$') ctf,log; do
	"$tracetool" --format=h --backends="$backends" --group=golden --always \
		--output=include/trace-golden.h golden.toml || fail "$backends: h"
	"$tracetool" --format=c --backends="$backends" --group=golden --always \
		--output=trace.c golden.toml || fail "$backends: c"
	compilers | grep -E "$([ "$backends" = ctf,log ] && echo . || echo '^gcc.*c99|^clang[+]')" >list
	while read -r compiler; do
		for level in 0 1 3; do
			[ "$backends" = ctf,log ] || [ $level = 1 ] || continue
			for source in call.c trace.c; do
				$compiler $warnings -Wshadow -Wconversion -Wcast-qual -Wundef -O$level \
					-I"$include" -Iinclude -c $source -o out.o ||
					fail "$backends: $compiler -O$level $source"
			done
		done
	done <list
done
finish
