/* SPDX-License-Identifier: MIT */
/* A host of translate.c with QEMU's interface of helpers, as far as events need it. */
#ifndef TCG_HOST_H
#define TCG_HOST_H

#include "qemu/osdep.h"

#include "cpu.h"

#include "translated.h"

/* A temporary's number: registers come before constants. */
#define TEMPS 64

static uint64_t constants[TEMPS];
static unsigned int temp_count = REGISTERS;
static unsigned int freed_count = REGISTERS;

static inline uintptr_t new_constant(uint64_t value)
{
	if (temp_count == TEMPS) {
		abort();
	}
	constants[temp_count] = value;
	return temp_count++;
}

static inline TCGv_i32 tcg_const_i32(int32_t value)
{
	return (TCGv_i32)new_constant((uint32_t)value);
}

static inline TCGv_i64 tcg_const_i64(int64_t value)
{
	return (TCGv_i64)new_constant((uint64_t)value);
}

#define tcg_const_ptr(pointer) ((TCGv_ptr)new_constant((uintptr_t)(pointer)))

static inline void tcg_temp_free_i32(TCGv_i32 temp)
{
	freed_count += (uintptr_t)temp >= REGISTERS;
}

static inline void tcg_temp_free_i64(TCGv_i64 temp)
{
	freed_count += (uintptr_t)temp >= REGISTERS;
}

static inline void tcg_temp_free_ptr(TCGv_ptr temp)
{
	freed_count += (uintptr_t)temp >= REGISTERS;
}

static inline void emit_call(void (*helper)(const uint64_t *arguments), const char *name,
	unsigned int count, const uintptr_t *temps)
{
	struct translated_call *c = new_call(helper, count);

	printf("    call of %s:", name);
	for (unsigned int i = 0; i < count; i++) {
		c->is_value[i] = temps[i + 1] < REGISTERS;
		c->sizes[i] = sizeof(uint64_t);
		c->words[i] = c->is_value[i] ? temps[i + 1] : constants[temps[i + 1]];
		printf(c->is_value[i] ? " r%" PRIu64 : " constant", c->words[i]);
	}
	putchar('\n');
}

#include "trace-tcg.h"

#define HOST_CPU(n) ((CPUState *)(uintptr_t)(0xc0 + (n)))
#define HOST_TL(reg) ((TCGv)(uintptr_t)(reg))
#define HOST_I32(reg) ((TCGv_i32)(uintptr_t)(reg))
#define HOST_I64(reg) ((TCGv_i64)(uintptr_t)(reg))
#define HOST_PTR(reg) ((TCGv_ptr)(uintptr_t)(reg))
#define HOST_ENV ((TCGv_env)(uintptr_t)REGISTER_OF_ENV)

/* Checks that every constant was freed. */
static void check_host(void)
{
	if (freed_count != temp_count) {
		printf("%u temporaries were not freed\n", temp_count - freed_count);
	}
}

#endif
