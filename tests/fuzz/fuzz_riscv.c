/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a program of the machine in examples/riscv: an ELF file to load,
 * or instructions. A guest may do what it wants, for a number of blocks; the
 * host stays whole, and what holds of a hart holds of it then.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hart/block.h"
#include "hart/hart.h"
#include "loader/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RAM_BYTES (64 << 10)
#define BLOCKS 300
#define DECODED 1024 /* bytes, of which each word is looked at */

static void require(bool promise)
{
	if (!promise) {
		abort();
	}
}

/* Has registers of one and two bytes only. */
static bool device_load(void *opaque, uint64_t offset, unsigned int size, uint64_t *value)
{
	(void)opaque;
	*value = offset * 0x11;
	return size <= 2;
}

static bool device_store(void *opaque, uint64_t offset, unsigned int size, uint64_t value)
{
	(void)opaque, (void)offset, (void)value;
	return size <= 2;
}

static bool load(struct ram *ram, const uint8_t *data, size_t size, uint64_t *entry)
{
	struct elf_error error = { "" };

	if (size >= SELFMAG && memcmp(data, ELFMAG, SELFMAG) == 0) {
		bool loaded = elf_load(data, size, ram, entry, &error);

		require(loaded == (error.text[0] == '\0'));
		require(memchr(error.text, '\0', sizeof(error.text)));
		return loaded;
	}
	memcpy(ram->bytes, data, size < ram->size ? size : ram->size);
	*entry = RAM_BASE;
	return true;
}

/* Whatever the word, its fields are those of a register file. */
static void check_decoder(const uint8_t *data, size_t size)
{
	uint32_t bits;

	size = size < DECODED ? size : DECODED;
	for (size_t at = 0; at + sizeof(bits) <= size; at += sizeof(bits)) {
		memcpy(&bits, data + at, sizeof(bits));
		struct instruction in = decode(bits);

		require(in.op != OP_end && in.bits == bits && in.rs1 < 32 && in.rs2 < 32);
		require(in.op == OP_illegal || (in.rd > 0 && in.rd <= REGISTER_SINK));
	}
}

static void check_hart(const struct hart *hart)
{
	require(hart->x[0] == 0);
	require(hart->pc % 4 == 0);
	require(hart->retired <= BLOCKS * BLOCK_INSTRUCTIONS);
	require((hart->mie & ~HART_INTERRUPTS) == 0);
}

/* HART_STOP is there from the beginning: nothing would wake a hart that sleeps. */
static void run(struct hart *hart, uint64_t entry, uint64_t interrupts)
{
	block_flush(hart, "another program");
	hart_reset(hart, entry);
	hart->interrupts = HART_STOP | interrupts;
	for (unsigned int i = 0; i < BLOCKS && !hart->lost; i++) {
		hart_step(hart, interrupts);
		check_hart(hart);
	}
}

static void init(struct ram *ram, struct bus *bus, struct hart *hart)
{
	bus_add(bus, &(struct device){ .name = "some",
			     .base = 0x10000000,
			     .size = 16,
			     .load = device_load,
			     .store = device_store });
	require(ram_init(ram, RAM_BYTES) && hart_init(hart, 0, ram, bus));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ram ram;
	static struct bus bus;
	static struct hart hart;
	uint64_t entry;

	if (!ram.bytes) {
		init(&ram, &bus, &hart);
	}
	memset(ram.bytes, 0, ram.size);
	check_decoder(data, size);
	if (load(&ram, data, size, &entry)) {
		run(&hart, entry, size % 2 ? HART_INTERRUPTS : 0);
	}
	return 0;
}
