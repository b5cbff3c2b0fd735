#!/bin/sh
# SPDX-License-Identifier: MIT
# waymark_debug() accepts C++'s enums, also scoped ones, in code that is linked and not only
# parsed, with every installed compiler: cpp_enums.sh TRACETOOL ROOT
. "$(dirname "$0")/../tracetool/lib.sh"

cat >enums.cc <<'END_OF_FILE'
#include <waymark/debug.h>
enum class scoped : short { value = -3 };
enum plain { seven = 7 };
int main()
{
	struct waymark_debug a = waymark_debug(scoped::value);
	struct waymark_debug b = waymark_debug(seven);

	return a.kind != WAYMARK_DEBUG_I16 || a.as.i != -3 || b.as.u != 7;
}
END_OF_FILE
tried=0
for compiler in g++ clang++; do
	have "$compiler" || continue
	tried=1
	"$compiler" -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$root/include" enums.cc -o enums ||
		fail "$compiler: does not compile"
	./enums || fail "$compiler: other values"
done
[ $tried = 1 ] || fail 'no C++ compiler'
finish
