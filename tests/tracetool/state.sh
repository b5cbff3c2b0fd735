#!/bin/sh
# SPDX-License-Identifier: MIT
# A generated header alone, without trace/control.h, answers whether an event is on: in every
# language, also for scopes; 0 at compile time where the event is disabled or built for nop.
#
#	state.sh TRACETOOL ROOT LIBWAYMARK
library=$(realpath "$3")
. "$(dirname "$0")/lib.sh"

if ! have gcc; then
	echo "skipped: gcc is missing"
	exit 77
fi
strict='-Wshadow -Wconversion -Wcast-qual -Wundef'

cat >state.events <<'END'
on_wanted(int n) "%d"
on_other(int n) "%d"
disable off_always(int n) "%d"
vcpu on_cpu(int n) "%d"
END
printf '[[scopes]]\nname = "on_scope"\nargs = ""\nmessage = ""\nenabled = true\n' >state.toml
generate_c log,ctf state state.events
generate_c log,ctf scope state.toml
generate_c nop nop state.events
cat >user.c <<'END'
#include "trace-state.h"
#include "trace-scope.h"

enum {
	OFF = trace_event_get_state(TRACE_OFF_ALWAYS),
	OFF_OUTSIDE = trace_event_get_state_backends(TRACE_OFF_ALWAYS),
	OFF_DYNAMIC = trace_event_get_state_dynamic_by_id(TRACE_OFF_ALWAYS)
};

int states(void);
int states(void)
{
	int found = OFF | OFF_OUTSIDE | OFF_DYNAMIC;

	if (trace_event_get_state(TRACE_ON_WANTED)) {
		found |= 1;
	}
	if (trace_event_get_state_backends(TRACE_ON_WANTED)) {
		found |= 2;
	}
	if (trace_event_get_state_dynamic_by_id(TRACE_ON_WANTED)) {
		found |= 4;
	}
	if (trace_event_get_state(TRACE_ON_SCOPE)) {
		found |= 8;
	}
	if (trace_event_get_state(TRACE_ON_OTHER) || trace_event_get_state_backends(TRACE_ON_OTHER) ||
		trace_event_get_state_backends(TRACE_ON_CPU)) {
		found |= 16;
	}
	return found;
}

#ifdef __cplusplus
extern "C"
#endif
int main(void)
{
	return states();
}
END
cat >nop.c <<'END'
#include "trace-nop.h"

enum {
	ON = trace_event_get_state(TRACE_ON_WANTED) | trace_event_get_state_backends(TRACE_ON_WANTED) |
		trace_event_get_state_dynamic_by_id(TRACE_ON_WANTED)
};
int nothing[ON ? -1 : 1];
END
# Also together with the whole API, in either order.
printf '#include "trace-state.h"\n#include "trace/control.h"\n' >before.c
printf '#include "trace/control.h"\n#include "trace-state.h"\n' >after.c
compilers >all
while read -r compiler; do
	for source in user nop before after; do
		$compiler $warnings $strict -I"$include" -I. -c $source.c -o $source.o ||
			fail "$compiler: $source.c"
	done
	$compiler -I"$include" -I. $tsan -c user.c -o user.o
	gcc $tsan -I"$include" -I. -x none user.o -x c trace-state.c trace-scope.c -x none "$library" \
		-o user || fail "$compiler: link"
	LD_LIBRARY_PATH=${library%/*} WAYMARK_TRACE='on_wanted,enable=on_scope,backend=log' ./user
	[ $? -eq 15 ] || fail "$compiler: not exactly what is on"
	LD_LIBRARY_PATH=${library%/*} WAYMARK_TRACE='' ./user || fail "$compiler: something is on"
done <all
[ -s all ] || fail 'no compiler is here'
finish
