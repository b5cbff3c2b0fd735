/* SPDX-License-Identifier: MIT */
/*
 * The A extension, by the host's atomics, all of them sequentially consistent.
 * An sc succeeds while its lr's value is still there, whoever wrote it meanwhile:
 * who would change a value and change it back is not noticed.
 *
 * All return false after a trap: devices have no atomics, nor have addresses that
 * are no multiple of `size`, which is 4 or 8.
 */
#ifndef RISCV_HART_ATOMIC_H
#define RISCV_HART_ATOMIC_H

#include "hart/decode.h"
#include "hart/hart.h"

bool atomic_load_reserved(struct hart *hart, const struct instruction *in, unsigned int size);
bool atomic_store_conditional(struct hart *hart, const struct instruction *in, unsigned int size);

/* The rows AMO of instructions.def. */
bool atomic_update(struct hart *hart, const struct instruction *in, unsigned int size);

/* The instruction fence, of whatever sets. */
static inline bool atomic_fence(void)
{
	__sync_synchronize();
	return true;
}

#endif
