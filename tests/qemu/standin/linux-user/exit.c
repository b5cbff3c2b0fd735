/* SPDX-License-Identifier: MIT */
/* The place of the edit in user mode, whose programs end without exit(). */
#include "qemu/osdep.h"
#include "qemu.h"

void preexit_cleanup(CPUArchState *env, int code)
{
#ifdef CONFIG_GCOV
	__gcov_dump();
#endif
	fflush(NULL);
}
