#!/bin/sh
# SPDX-License-Identifier: MIT
# The names of this host's system calls, by number, from the compiler's headers: COMPILER...
set -eu
echo '/* SPDX-License-Identifier: MIT */'
echo '#include <stddef.h>'
echo '#include <sys/syscall.h>'
echo '#include "read/kernel/text.h"'
# On arm, two names share a number.
echo '#pragma GCC diagnostic ignored "-Woverride-init"'
echo 'static const char *const names[] = {'
echo '#include <sys/syscall.h>' | "$@" -E -dM - |
	sed -n 's/^#define SYS_\([a-z0-9_]*\) .*/	[SYS_\1] = "\1",/p' | LC_ALL=C sort
echo '};'
echo 'const char *kernel_syscall_name(unsigned long number)'
echo '{ return number < sizeof(names) / sizeof(names[0]) ? names[number] : NULL; }'
