/* SPDX-License-Identifier: MIT */
/* What is no memory is a device's, or nobody's. */
#include "hart/memory.h"

#include "hart/trap.h"

bool memory_load_slowly(struct hart *hart, uint64_t address, unsigned int size, uint64_t *value)
{
	return bus_load(hart->bus, address, size, value) || trap(hart, TRAP_LOAD_FAULT, address);
}

bool memory_store_slowly(struct hart *hart, uint64_t address, unsigned int size, uint64_t value)
{
	return bus_store(hart->bus, address, size, value) || trap(hart, TRAP_STORE_FAULT, address);
}
