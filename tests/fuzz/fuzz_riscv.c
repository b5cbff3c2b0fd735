/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a program of the machine in examples/riscv: an ELF file to load,
 * or instructions. A guest may do what it wants, for a number of blocks; the
 * host stays whole, and what holds of a hart holds of it then. Interpreted and
 * translated, it does the same.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hart/block.h"
#include "hart/hart.h"
#include "loader/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int fuzz_clock_gettime(clockid_t clock, struct timespec *now);

#define RAM_BYTES (64 << 10)
#define STEPS 300
#define DECODED 1024 /* bytes, of which each word is looked at */

struct side {
	struct ram ram;
	struct bus bus;
	struct hart hart;
};

/* The machine's clock, by a macro: it stands still. */
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
	require(hart->retired <= STEPS * BLOCK_INSTRUCTIONS);
	require((hart->mie & ~HART_INTERRUPTS) == 0);
}

/*
 * HART_STOP is there from the beginning: nothing would wake a hart that sleeps, and
 * translated code leaves after a block.
 */
static void start(struct hart *hart, uint64_t entry, uint64_t interrupts)
{
	block_flush(hart, "another program");
	hart_reset(hart, entry);
	hart->interrupts = HART_STOP | interrupts;
}

static void check_same(const struct hart *a, const struct hart *b)
{
	require(memcmp(a->x, b->x, REGISTER_SINK * sizeof(a->x[0])) == 0);
	require(a->pc == b->pc && a->retired == b->retired);
	require(a->mcause == b->mcause && a->mtval == b->mtval);
	require(a->mstatus == b->mstatus && a->lost == b->lost);
}

static void run(struct side sides[2], uint64_t entry, uint64_t interrupts)
{
	start(&sides[0].hart, entry, interrupts);
	start(&sides[1].hart, entry, interrupts);
	for (unsigned int i = 0; i < STEPS && !sides[0].hart.lost; i++) {
		hart_step(&sides[0].hart, interrupts);
		check_hart(&sides[0].hart);
		hart_step(&sides[1].hart, interrupts);
		check_same(&sides[0].hart, &sides[1].hart);
	}
	require(memcmp(sides[0].ram.bytes, sides[1].ram.bytes, RAM_BYTES) == 0);
}

static void init(struct side *side)
{
	bus_add(&side->bus, &(struct device){ .name = "some",
				    .base = 0x10000000,
				    .size = 16,
				    .load = device_load,
				    .store = device_store });
	require(ram_init(&side->ram, RAM_BYTES));
	require(hart_init(&side->hart, 0, &side->ram, &side->bus));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct side sides[2];
	uint64_t entry;

	if (!sides[0].ram.bytes) {
		init(&sides[0]);
		init(&sides[1]);
		hart_translate(&sides[1].hart); /* where it can be */
	}
	memset(sides[0].ram.bytes, 0, RAM_BYTES);
	check_decoder(data, size);
	if (load(&sides[0].ram, data, size, &entry)) {
		memcpy(sides[1].ram.bytes, sides[0].ram.bytes, RAM_BYTES);
		run(sides, entry, size % 2 ? HART_INTERRUPTS : 0);
	}
	return 0;
}
