/* SPDX-License-Identifier: MIT */
/*
 * A host of translate.c that uses waymark/translate.h. Its values are in a struct, to show that
 * any type works.
 */
#ifndef TRANSLATE_HOST_H
#define TRANSLATE_HOST_H

#include "translated.h"

struct hart;

struct place {
	unsigned int reg;
};

static inline struct hart *hart_of(void *env)
{
	return (struct hart *)(void *)((char *)env - ENV_OFFSET);
}

#define WAYMARK_VALUE struct place
#define WAYMARK_CPU(env) hart_of(env)

#include "trace-tcg.h"

static inline struct place in_register(unsigned int reg)
{
	const struct place p = { reg };

	return p;
}

#define HOST_CPU(n) ((struct hart *)(uintptr_t)(0xc0 + (n)))
#define HOST_TL(reg) in_register(reg)
#define HOST_I32(reg) in_register(reg)
#define HOST_I64(reg) in_register(reg)
#define HOST_PTR(reg) in_register(reg)
#define HOST_ENV in_register(REGISTER_OF_ENV)
#define HOST_TAKES_MANY

void waymark_translate_call(const struct waymark_call *call)
{
	struct translated_call *c = new_call(call->helper, call->count);

	printf("    call of %s for %p:", call->event, call->cpu);
	for (unsigned int i = 0; i < call->count; i++) {
		const struct waymark_operand *o = &call->operands[i];

		c->is_value[i] = o->value != NULL;
		c->sizes[i] = o->size;
		c->words[i] = o->value ? o->value->reg : o->constant;
		if (o->value) {
			printf(" r%u/%u", o->value->reg, o->size);
		} else {
			printf(" constant/%u", o->size);
		}
	}
	putchar('\n');
}

static void check_host(void)
{
}

#endif
