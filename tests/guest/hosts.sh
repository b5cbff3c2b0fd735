#!/bin/sh
# SPDX-License-Identifier: MIT
# The code of vCPU events compiles without a warning in every language, with any struct as
# the host's CPU, with the host's or the generated header first; with each backend, and
# without backends.
#
#	hosts.sh TRACETOOL ROOT
. "$(dirname "$0")/../tracetool/lib.sh"
events=$root/tests/guest/documented.events
strict='-Wshadow -Wconversion -Wcast-qual -Wformat=2 -Wwrite-strings -Wundef'

cat >typedef.h <<'END'
typedef struct CPUState CPUState;
struct CPUState {
	int index;
};
END
cat >hart.h <<'END'
struct hart {
	int index;
};
END
cat >calls.h <<'END'
unsigned int calls(HOST_CPU *cpu);
unsigned int calls(HOST_CPU *cpu)
{
	trace_foo(0xd1);
	trace_bar(cpu, 0xd2);
	trace_baz_trans(cpu, 0xd3);
	trace_baz_exec(cpu, 0xd3);
	return TRACE_BAR_VCPU_STATE(cpu) | TRACE_BAZ_EXEC_VCPU_STATE(cpu);
}
unsigned int asks(HOST_CPU *cpu);
unsigned int asks(HOST_CPU *cpu)
{
	return TRACE_BAR_VCPU_STATE(cpu);
}
END

# host NAME TYPE BACKENDS: makes two sources that include the host's header and the generated one,
# and the generated source
host()
{
	"$tracetool" --format=ust-events-h --backends=ust --group="$1" --vcpu-type="$2" \
		--output="trace-ust-$1.h" "$events" || fail 'ust-events-h'
	generate_c "$3" "$1" "$events" --vcpu-type="$2"
	printf '#include "%s.h"\n#include "trace-%s.h"\n#include "calls.h"\n' "$4" "$1" >"$1-before.c"
	printf '#include "trace-%s.h"\n#include "%s.h"\n#include "calls.h"\n' "$1" "$4" >"$1-after.c"
	grep -qx "struct ${2#struct };" "trace-$1.h" || fail "$2 is not declared in trace-$1.h"
	echo "trace-$1.c" >>sources
	echo "$1-before.c -DHOST_CPU=$5" >>sources
	echo "$1-after.c -DHOST_CPU=$5" >>sources
}

every=$(usable | grep -v nop | paste -sd,)
host typedef CPUState "$every" typedef CPUState
host hart 'struct hart' "$every" hart 'struct\ hart'
host nothing CPUState nop typedef CPUState

compilers >list
while read -r compiler; do
	while read -r source flags; do
		eval "$compiler $warnings $strict $flags -I$include -I. -O1 -c $source -o out.o" ||
			fail "$compiler $source"
	done <sources
done <list

# An invalid name of a struct is refused with a message that describes valid ones.
for type in 'void *' 'hart **' 'struct' 'class' '3d' '' 'a b' 'int' 'NULL'; do
	"$tracetool" --format=h --backends=log --group=x --vcpu-type="$type" -o x.h "$events" 2>said &&
		fail "--vcpu-type='$type' passes"
	grep -qF "Error: --vcpu-type takes a struct, as in 'CPUState *' or 'struct hart', not $type" said ||
		fail "--vcpu-type='$type' says: $(cat said)"
done
for type in 'CPUState' 'CPUState *' 'CPUState*' 'struct CPUState' ' struct  CPUState  * '; do
	"$tracetool" --format=h --backends=log --group=x --vcpu-type="$type" -o x.h "$events" &&
		grep -qx 'struct CPUState;' x.h || fail "--vcpu-type='$type'"
done
finish
