/* SPDX-License-Identifier: MIT */
/* The table of devices, and who is meant by an address. */
#include "machine/bus.h"

#include <assert.h>
#include <stddef.h>

#include "machine/trace.h"

void bus_add(struct bus *bus, const struct device *device)
{
	assert(bus->count < BUS_DEVICES);
	bus->devices[bus->count++] = *device;
}

static const struct device *find(const struct bus *bus, uint64_t address, unsigned int size)
{
	for (unsigned int i = 0; i < bus->count; i++) {
		const struct device *device = &bus->devices[i];
		uint64_t offset = address - device->base;

		if (offset < device->size && offset % size == 0) {
			return device;
		}
	}
	return NULL;
}

bool bus_load(const struct bus *bus, uint64_t address, unsigned int size, uint64_t *value)
{
	const struct device *device = find(bus, address, size);

	*value = 0;
	if (!device || !device->load(device->opaque, address - device->base, size, value)) {
		trace_bus_refused(address, size);
		return false;
	}
	trace_bus_load(device->name, address - device->base, size, *value);
	return true;
}

bool bus_store(const struct bus *bus, uint64_t address, unsigned int size, uint64_t value)
{
	const struct device *device = find(bus, address, size);

	if (!device || !device->store(device->opaque, address - device->base, size, value)) {
		trace_bus_refused(address, size);
		return false;
	}
	trace_bus_store(device->name, address - device->base, size, value);
	return true;
}
