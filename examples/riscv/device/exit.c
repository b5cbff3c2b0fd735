/* SPDX-License-Identifier: MIT */
/* The way out for the guest. */
#include "device/devices.h"
#include "device/trace.h"
#include "machine/machine.h"

static bool load(void *opaque, uint64_t offset, unsigned int size, uint64_t *value)
{
	(void)opaque, (void)offset, (void)size, (void)value;
	return false;
}

static bool store(void *opaque, uint64_t offset, unsigned int size, uint64_t value)
{
	(void)offset, (void)size;
	trace_exit_write(value);
	machine_stop(opaque, value & 0xff);
	return true;
}

void exit_add(struct machine *machine)
{
	bus_add(&machine->bus, &(struct device){ .name = "exit",
				       .base = EXIT_BASE,
				       .size = 4,
				       .load = load,
				       .store = store,
				       .opaque = machine });
}
