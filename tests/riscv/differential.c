/* SPDX-License-Identifier: MIT */
/*
 * Random programs leave the same behind whether they are interpreted or
 * translated: registers, memory, counts, the last trap, what devices got.
 * differential [SEED [PROGRAMS]]; what fails is printed with its seed.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hart/block.h"
#include "hart/decode.h"
#include "hart/hart.h"

#define RAM_BYTES (32 << 10)
#define WORDS 256 /* of a program, at most */
#define HANDLER 3000 /* offset in memory */
#define STEPS 5000 /* blocks; what takes longer may take for ever */
#define DEVICE UINT64_C(0x10000000)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct side {
	struct ram ram;
	struct bus bus;
	struct hart hart;
	uint64_t stored; /* in the device */
};

struct program {
	uint32_t words[WORDS];
	unsigned int count;
	uint64_t x[REGISTER_SINK];
	uint64_t mtvec;
	uint8_t data[RAM_BYTES];
};

static const struct {
	const char *name;
	uint32_t match;
	uint32_t mask;
} instructions[] = {
#define INSTRUCTION(name, match, mask, ...) { #name, match, mask },
#include "hart/instructions.def"
};

static uint64_t state;

static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t below(uint64_t bound)
{
	return (rnd() >> 20) % bound;
}

static bool device_load(void *opaque, uint64_t offset, unsigned int size, uint64_t *value)
{
	(void)opaque;
	*value = offset * UINT64_C(0x8182838485868788);
	return size <= 4;
}

static bool device_store(void *opaque, uint64_t offset, unsigned int size, uint64_t value)
{
	struct side *side = opaque;

	side->stored = side->stored * 31 + value + offset;
	return size <= 4;
}

/* Numbers where something changes, and addresses of what is there, or ends there. */
static uint64_t number(void)
{
	static const uint64_t edges[] = { 0, 1, UINT64_MAX, UINT64_C(1) << 63, INT32_MIN, INT32_MAX,
		UINT32_MAX, UINT64_C(1) << 31, INT64_MAX, 63, 31, 64 };

	switch (below(8)) {
	case 0:
		return rnd();
	case 1:
		return (int32_t)rnd();
	case 2:
		return edges[below(COUNT(edges))];
	case 3:
		return DEVICE + below(40);
	case 4:
		return RAM_BASE + RAM_BYTES - below(20);
	case 5:
		return RAM_BASE + below(4 * WORDS);
	default:
		return RAM_BASE + below(RAM_BYTES);
	}
}

/* A jump forward by a few instructions, now and then to where none can be. */
static uint32_t branch_target(uint32_t word)
{
	uint32_t offset = 4 * (1 + below(6)) + (below(64) ? 0 : 2);

	if ((word & 0x7f) == 0x6f) {
		return (word & 0xfff) | (offset & 0x7fe) << 20;
	}
	return (word & ~UINT32_C(0xfe000f80)) | (offset & 0x1e) << 7 | (offset >> 5 & 0x3f) << 25;
}

/* Some that are there; neither the time nor any other that is not the same in both. */
static uint32_t csr(void)
{
	static const uint16_t numbers[] = { 0x300, 0x301, 0x304, 0x340, 0x341, 0x342, 0x343, 0x344,
		0xb00, 0xb02, 0xc00, 0xc02, 0xf11, 0xf14, 0x7ff };

	return (uint32_t)numbers[below(COUNT(numbers))] << 20;
}

static uint32_t instruction(void)
{
	unsigned int i = below(COUNT(instructions));
	uint32_t word = instructions[i].match | (rnd() & ~instructions[i].mask);
	const char *name = instructions[i].name;

	switch (word & 0x7f) {
	case 0x63:
	case 0x6f:
		return branch_target(word);
	case 0x67:
		return below(8) ? 0x13 : word;
	case 0x73:
		if (strncmp(name, "csr", 3) == 0) {
			return (word & 0xfffff) | csr();
		}
		return strcmp(name, "wfi") == 0 || below(4) ? 0x13 : word;
	case 0x03:
	case 0x23:
		/* Not far from what the register has. */
		return below(2) ? word & ~UINT32_C(0xf0000000) : word;
	default:
		return word;
	}
}

/* Behind a call, its target's address is that of an instruction nearby. */
static void add_call(struct program *p)
{
	unsigned int reg = 1 + below(31);

	p->words[p->count++] = 0x17 | reg << 7; /* auipc */
	p->words[p->count++] =
		0x67 | below(32) << 7 | reg << 15 | (uint32_t)(8 + 4 * below(4) + below(3)) << 20;
}

/* Rounds of random instructions, counted by a register that none of them should change. */
static void add_loop(struct program *p)
{
	uint32_t counter = 1 + below(31);
	unsigned int start, length = 1 + below(90);

	p->words[p->count++] = 0x13 | counter << 7 | (uint32_t)(1 + below(20)) << 20; /* li */
	start = p->count;
	while (p->count < start + length) {
		uint32_t word = instruction();

		if ((word >> 7 & 31) == counter && (word & 0x7f) != 0x63 && (word & 0x7f) != 0x23) {
			word = 0x13;
		}
		p->words[p->count++] = word;
		if (below(30) == 0) {
			add_call(p);
		}
	}
	uint32_t back = 4 * (start - p->count - 1);

	p->words[p->count++] = 0xfff00013 | counter << 7 | counter << 15; /* addi -1 */
	p->words[p->count++] = 0x1063 | counter << 15 | (back >> 12 & 1) << 31 |
			       (back >> 5 & 0x3f) << 25 | (back >> 1 & 15) << 8 |
			       (back >> 11 & 1) << 7; /* bnez */
}

/* Goes on behind what trapped: saves t0 in mscratch. */
static const uint32_t handler[] = { 0x34029073, 0x341022f3, 0x00428293, 0x34129073, 0x340022f3,
	0x30200073 };

static void make(struct program *p, uint64_t seed)
{
	state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	p->count = 0;
	for (unsigned int i = 0; i < REGISTER_SINK; i++) {
		p->x[i] = i ? number() : 0;
	}
	for (unsigned int i = 0; i < RAM_BYTES; i++) {
		p->data[i] = rnd();
	}
	p->mtvec = below(3) ? RAM_BASE + HANDLER : 0;
	add_loop(p);
	add_loop(p);
	p->words[p->count++] = 0x00000013;
	memcpy(p->data, p->words, p->count * sizeof(p->words[0]));
	/* Behind it, nothing is an instruction, and there is no handler any more. */
	uint32_t end[] = { 0x30501073, 0 };

	memcpy(p->data + p->count * sizeof(p->words[0]), end, sizeof(end));
	memcpy(p->data + HANDLER, handler, sizeof(handler));
}

static void prepare(struct side *side, const struct program *p)
{
	block_flush(&side->hart, "another program");
	hart_reset(&side->hart, RAM_BASE);
	side->hart.interrupts = 0;
	side->hart.mtvec = p->mtvec;
	side->hart.reserved_address = side->hart.reserved_value = 0;
	side->stored = 0;
	memcpy(side->hart.x, p->x, sizeof(p->x));
	memcpy(side->ram.bytes, p->data, sizeof(p->data));
	memset(side->ram.code, 0, RAM_BYTES / RAM_PAGE);
}

#define FIELD(name)                                \
	{                                          \
#name, offsetof(struct hart, name) \
	}

static const struct {
	const char *name;
	size_t offset;
} fields[] = { FIELD(pc), FIELD(retired), FIELD(mstatus), FIELD(mie), FIELD(mtvec), FIELD(mscratch),
	FIELD(mepc), FIELD(mcause), FIELD(mtval), FIELD(interrupts), FIELD(reserved_address),
	FIELD(reserved_value) };

static bool same(uint64_t seed, const char *name, uint64_t interpreted, uint64_t translated)
{
	if (interpreted != translated) {
		printf("seed %" PRIu64 ": %s is 0x%" PRIx64 " and, translated, 0x%" PRIx64 "\n",
			seed, name, interpreted, translated);
	}
	return interpreted == translated;
}

static bool compare(uint64_t seed, const struct side *a, const struct side *b)
{
	bool all = same(seed, "the device", a->stored, b->stored);

	for (unsigned int i = 0; i < REGISTER_SINK; i++) {
		char name[16];

		snprintf(name, sizeof(name), "x%u", i);
		all &= same(seed, name, a->hart.x[i], b->hart.x[i]);
	}
	for (unsigned int i = 0; i < COUNT(fields); i++) {
		const uint64_t *values[2] = {
			(const uint64_t *)((const char *)&a->hart + fields[i].offset),
			(const uint64_t *)((const char *)&b->hart + fields[i].offset),
		};
		all &= same(seed, fields[i].name, *values[0], *values[1]);
	}
	return all & same(seed, "memory", 0, memcmp(a->ram.bytes, b->ram.bytes, RAM_BYTES) != 0);
}

static bool init(struct side *side)
{
	bus_add(&side->bus, &(struct device){ .name = "some",
				    .base = DEVICE,
				    .size = 32,
				    .load = device_load,
				    .store = device_store,
				    .opaque = side });
	return ram_init(&side->ram, RAM_BYTES) && hart_init(&side->hart, 0, &side->ram, &side->bus);
}

/* Whether it ended. */
static bool interpret(struct side *side)
{
	for (unsigned int i = 0; i < STEPS && !side->hart.lost; i++) {
		hart_step(&side->hart, 0);
	}
	return side->hart.lost;
}

int main(int argc, char **argv)
{
	static struct side a, b;
	static struct program program;
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t end = seed + (argc > 2 ? strtoull(argv[2], NULL, 0) : 1);
	uint64_t ended = 0, instructions_count = 0, bad = 0;

	if (!init(&a) || !init(&b) || !hart_translate(&b.hart)) {
		perror("differential");
		return 1;
	}
	for (; seed < end && bad < 5; seed++) {
		make(&program, seed);
		prepare(&a, &program);
		if (!interpret(&a)) {
			continue;
		}
		prepare(&b, &program);
		alarm(60); /* a translation that never ends */
		hart_run(&b.hart);
		bad += !compare(seed, &a, &b);
		ended++;
		instructions_count += a.hart.retired;
	}
	printf("%" PRIu64 " programs, %" PRIu64 " instructions\n", ended, instructions_count);
	return bad || ended == 0;
}
