/* SPDX-License-Identifier: MIT */
/* Finds the device of an address, and traces each access to a device. Called by the interpreter. */
#include "bus.h"

#include <stddef.h>

#include "trace-riscv.h"

static const struct device *find(uint64_t address, unsigned int size)
{
	for (const struct device *device = bus_devices; device->size; device++) {
		uint64_t offset = address - device->base;

		if (offset < device->size && offset % size == 0) {
			return device;
		}
	}
	return NULL;
}

bool bus_load(struct machine *machine, uint64_t address, unsigned int size, uint64_t *value)
{
	const struct device *device = find(address, size);

	*value = 0;
	if (!device || !device->load(machine, address - device->base, size, value)) {
		trace_bus_refused(address, size);
		return false;
	}
	trace_bus_load(device->name, address - device->base, size, *value);
	return true;
}

bool bus_store(struct machine *machine, uint64_t address, unsigned int size, uint64_t value)
{
	const struct device *device = find(address, size);

	if (!device || !device->store(machine, address - device->base, size, value)) {
		trace_bus_refused(address, size);
		return false;
	}
	trace_bus_store(device->name, address - device->base, size, value);
	return true;
}
