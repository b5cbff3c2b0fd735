/* SPDX-License-Identifier: MIT */
/*
 * What is not memory: a table of devices and their addresses. It is complete
 * before a hart runs, and does not change until all have ended. A device's
 * functions are called from any hart's thread, by several at once.
 */
#ifndef RISCV_MACHINE_BUS_H
#define RISCV_MACHINE_BUS_H

#include <stdbool.h>
#include <stdint.h>

#define BUS_DEVICES 8

/*
 * A register is used at its offset in the device, `size` is 1, 2, 4 or 8 and the
 * offset a multiple of it. False refuses the access: the hart takes a fault.
 */
struct device {
	const char *name;
	uint64_t base;
	uint64_t size;
	bool (*load)(void *opaque, uint64_t offset, unsigned int size, uint64_t *value);
	bool (*store)(void *opaque, uint64_t offset, unsigned int size, uint64_t value);
	void *opaque;
};

struct bus {
	struct device devices[BUS_DEVICES];
	unsigned int count;
};

/* Adds a device whose addresses no other has. */
void bus_add(struct bus *bus, const struct device *device);

/* An access of a hart's. False where there is no device, or where it refuses. */
bool bus_load(const struct bus *bus, uint64_t address, unsigned int size, uint64_t *value);
bool bus_store(const struct bus *bus, uint64_t address, unsigned int size, uint64_t value);

#endif
