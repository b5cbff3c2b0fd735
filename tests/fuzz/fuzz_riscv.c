/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a program of the machine in examples/riscv: an ELF file to load, or instructions.
 * Whatever the guest does in a number of blocks, the host's memory stays intact and the invariants
 * of every hart hold.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "block.h"
#include "bus.h"
#include "loader.h"
#include "machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int fuzz_clock_gettime(clockid_t clock, struct timespec *now);

#define RAM_BYTES (64 << 10)
#define STEPS 300
#define DECODED 1024 /* bytes; each word of them is decoded */

/* Replaces the machine's clock by a macro: always the same time. */
int fuzz_clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = (struct timespec){ .tv_sec = 7 };
	return 0;
}

static void require(bool promise)
{
	if (!promise) {
		abort();
	}
}

/* A device with registers of only one and two bytes. */
static bool device_load(
	struct machine *machine, uint64_t offset, unsigned int size, uint64_t *value)
{
	(void)machine;
	*value = offset * 0x11;
	return size <= 2;
}

static bool device_store(
	struct machine *machine, uint64_t offset, unsigned int size, uint64_t value)
{
	(void)machine, (void)offset, (void)value;
	return size <= 2;
}

const struct device bus_devices[] = {
	{ "some", 0x10000000, 16, device_load, device_store },
	{ 0 },
};

static bool load(struct machine *machine, const uint8_t *data, size_t size, uint64_t *entry)
{
	struct elf_error error = { "" };

	if (size >= SELFMAG && memcmp(data, ELFMAG, SELFMAG) == 0) {
		bool loaded = elf_load(data, size, machine, entry, &error);

		require(loaded == (error.text[0] == '\0'));
		require(memchr(error.text, '\0', sizeof(error.text)));
		return loaded;
	}
	memcpy(machine->ram, data, size < RAM_BYTES ? size : RAM_BYTES);
	*entry = RAM_BASE;
	return true;
}

/* For any word, the fields are valid register numbers. */
static void check_decoder(const uint8_t *data, size_t size)
{
	uint32_t bits;

	size = size < DECODED ? size : DECODED;
	for (size_t at = 0; at + sizeof(bits) <= size; at += sizeof(bits)) {
		memcpy(&bits, data + at, sizeof(bits));
		struct instruction in = decode(bits);

		require(in.op != OP_end && in.op != OP_event && in.bits == bits && in.rs1 < 32 &&
			in.rs2 < 32);
		require(in.op == OP_illegal || (in.rd > 0 && in.rd <= REGISTER_SINK));
	}
}

static void check_hart(const struct hart *hart)
{
	require(hart->x[0] == 0);
	require(hart->pc % 4 == 0);
	require(hart->retired <= STEPS * BLOCK_INSTRUCTIONS);
	require((hart->mie & ~HART_INTERRUPTS) == 0);
}

/* HART_STOP is pending from the start, because nothing would wake a sleeping hart. */
static void run(struct hart *hart, uint64_t entry, uint64_t interrupts)
{
	block_flush(hart, "another program");
	hart_reset(hart, entry);
	hart->interrupts = HART_STOP | interrupts;
	for (unsigned int i = 0; i < STEPS && !hart->lost; i++) {
		hart_step(hart);
		check_hart(hart);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct machine machine;
	uint64_t entry;

	if (!machine.ram) {
		machine.ram = malloc(RAM_BYTES);
		machine.ram_bytes = RAM_BYTES;
		require(machine.ram && hart_init(&machine.harts[0], &machine, 0));
	}
	memset(machine.ram, 0, RAM_BYTES);
	check_decoder(data, size);
	if (load(&machine, data, size, &entry)) {
		run(&machine.harts[0], entry, size % 2 ? HART_INTERRUPTS : 0);
	}
	return 0;
}
