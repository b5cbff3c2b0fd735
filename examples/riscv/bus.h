/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores outside of RAM: a constant table of devices by address. Any hart's thread may
 * call all functions, several threads at the same time.
 */
#ifndef RISCV_BUS_H
#define RISCV_BUS_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

/*
 * `size` is 1, 2, 4 or 8 bytes, `offset` is from `base` and a multiple of `size`. A
 * function that returns false refuses the access: the hart takes a fault.
 */
struct device {
	const char *name;
	uint64_t base;
	uint64_t size;
	bool (*load)(struct machine *machine, uint64_t offset, unsigned int size, uint64_t *value);
	bool (*store)(struct machine *machine, uint64_t offset, unsigned int size, uint64_t value);
};

/* The table, defined in devices.c; a device of size 0 ends it. */
extern const struct device bus_devices[];

/* Return false if the address has no device, or the device refuses the access. */
bool bus_load(struct machine *machine, uint64_t address, unsigned int size, uint64_t *value);
bool bus_store(struct machine *machine, uint64_t address, unsigned int size, uint64_t value);

#endif
