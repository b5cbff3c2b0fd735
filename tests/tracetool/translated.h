/* SPDX-License-Identifier: MIT */
/*
 * The output of the translators of translate.c: a list of calls of helpers, whose
 * arguments are constants and register numbers. A CPU is opaque; its env follows it
 * in memory.
 */
#ifndef TRANSLATED_H
#define TRANSLATED_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS 8
#define OPERANDS 11
#define REGISTERS 8
#define REGISTER_OF_ENV 0
#define ENV_OFFSET 0x1000

struct translated_call {
	void (*helper)(const uint64_t *arguments);
	unsigned int count;
	bool is_value[OPERANDS];
	unsigned int sizes[OPERANDS];
	uint64_t words[OPERANDS]; /* a constant, or the number of a register */
};

static struct translated_call translated[CALLS];
static size_t translated_count;
static uint64_t registers[REGISTERS];

static struct translated_call *new_call(
	void (*helper)(const uint64_t *arguments), unsigned int count)
{
	if (translated_count == CALLS || count > OPERANDS) {
		abort();
	}
	struct translated_call *c = &translated[translated_count++];

	c->helper = helper;
	c->count = count;
	return c;
}

/* Returns a register's bytes, with random bits in the upper half. */
static uint64_t value_of(uint64_t reg, unsigned int size)
{
	return size == sizeof(uint64_t) ? registers[reg]
					: registers[reg] | (uint64_t)0x5a5a5a5a << 8 * size;
}

static void execute(void *cpu)
{
	printf("  execution on %p\n", cpu);
	registers[REGISTER_OF_ENV] = (uint64_t)(uintptr_t)cpu + ENV_OFFSET;
	for (size_t n = 0; n < translated_count; n++) {
		const struct translated_call *c = &translated[n];
		uint64_t arguments[OPERANDS];

		memset(arguments, 0xa5, sizeof(arguments));
		for (unsigned int i = 0; i < c->count; i++) {
			arguments[i] =
				c->is_value[i] ? value_of(c->words[i], c->sizes[i]) : c->words[i];
		}
		c->helper(arguments);
	}
}

#endif
