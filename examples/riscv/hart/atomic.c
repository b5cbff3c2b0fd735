/* SPDX-License-Identifier: MIT */
/* LR, SC and the AMOs. */
#include "hart/atomic.h"

#include "hart/trace.h"
#include "hart/trap.h"

/* Where an atomic takes place; NULL after a trap. */
static void *place(struct hart *hart, uint64_t address, unsigned int size, bool store)
{
	void *at = ram_at(hart->ram, address, size);

	trace_guest_memory_exec(hart, hart->pc, address, size, store);
	if (address % size) {
		trap(hart, store ? TRAP_STORE_MISALIGNED : TRAP_LOAD_MISALIGNED, address);
		return NULL;
	}
	if (!at) {
		trap(hart, store ? TRAP_STORE_FAULT : TRAP_LOAD_FAULT, address);
	}
	return at;
}

static uint64_t load(const void *at, unsigned int size)
{
	return size == 4 ? (uint64_t)__atomic_load_n((const int32_t *)at, __ATOMIC_SEQ_CST)
			 : __atomic_load_n((const uint64_t *)at, __ATOMIC_SEQ_CST);
}

/* Puts `wanted` where `*old` is. Otherwise false, and `*old` becomes what is there. */
static bool exchange(void *at, unsigned int size, uint64_t *old, uint64_t wanted)
{
	if (size == 8) {
		return __atomic_compare_exchange_n(
			(uint64_t *)at, old, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	}
	int32_t word = *old;
	bool done = __atomic_compare_exchange_n(
		(int32_t *)at, &word, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);

	*old = word;
	return done;
}

bool atomic_load_reserved(struct hart *hart, const struct instruction *in, unsigned int size)
{
	uint64_t address = hart->x[in->rs1];
	const void *at = place(hart, address, size, false);

	if (!at) {
		return false;
	}
	hart->reserved = true;
	hart->reserved_address = address;
	hart->reserved_value = load(at, size);
	hart->x[in->rd] = hart->reserved_value;
	return true;
}

bool atomic_store_conditional(struct hart *hart, const struct instruction *in, unsigned int size)
{
	uint64_t address = hart->x[in->rs1];
	uint64_t old = hart->reserved_value;
	void *at = place(hart, address, size, true);

	if (!at) {
		return false;
	}
	bool done = hart->reserved && hart->reserved_address == address &&
		    exchange(at, size, &old, hart->x[in->rs2]);

	hart->reserved = false;
	hart->x[in->rd] = !done;
	if (done) {
		ram_written(hart->ram, at, size);
	}
	return true;
}

/* What an AMO puts in place of `was`. */
static uint64_t updated(enum operation op, uint64_t was, uint64_t operand)
{
	switch (op) {
#define AMO(name, match, mask, type, result) \
	case OP_##name: {                    \
		type old = was, b = operand; \
		(void)old;                   \
		return (type)(result);       \
	}
#include "hart/instructions.def"
	default:
		return was;
	}
}

bool atomic_update(struct hart *hart, const struct instruction *in, unsigned int size)
{
	void *at = place(hart, hart->x[in->rs1], size, true);
	uint64_t operand = hart->x[in->rs2];

	if (!at) {
		return false;
	}
	uint64_t old = load(at, size);

	while (!exchange(at, size, &old, updated(in->op, old, operand))) {
	}
	hart->x[in->rd] = old;
	ram_written(hart->ram, at, size);
	return true;
}
