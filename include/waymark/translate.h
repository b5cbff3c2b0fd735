/* SPDX-License-Identifier: MIT */
/*
 * waymark/translate.h - the interface between a binary translator and events of its guest's code.
 * A generated trace-tcg.h includes it. The translator calls trace_<event>_tcg() when it translates,
 * and defines waymark_translate_call(), which emits code that fires the event at each execution.
 *
 * Compiles as C99 and C++11 with gcc and clang.
 */
#ifndef WAYMARK_TRANSLATE_H
#define WAYMARK_TRANSLATE_H

#include <waymark/event.h>

/*
 * The translator's type for a value that exists only when the guest runs: the number of a register
 * or a temporary of its code generator. It is an integer, a pointer or a struct, and must be the
 * same in all files that are linked together. Define it before including the first trace-tcg.h.
 */
#ifndef WAYMARK_VALUE
#define WAYMARK_VALUE uintptr_t
#endif

/*
 * Converts the `void *` of the value `env` at run time to the pointer of the executing CPU. The
 * translator may define it; by default they are the same.
 */
#ifndef WAYMARK_CPU
#define WAYMARK_CPU(env) (env)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef WAYMARK_VALUE waymark_value;

/* One argument of a call that is translated: a value of the guest, or a constant. */
struct waymark_operand {
	const waymark_value *value; /* NULL: a constant */
	uint64_t constant; /* 64 bits; signed values are sign-extended */
	unsigned int size; /* significant bytes: 1, 2, 4 or 8; the helper ignores the others */
};

struct waymark_call {
	const char *event; /* such as `block_entry_exec`, for listings of the translation */
	void *cpu; /* the first argument of trace_<event>_tcg(); NULL: no `vcpu` event */
	/* Called by translated code with `count` words in the order of the operands. */
	void (*helper)(const uint64_t *arguments);
	const struct waymark_operand *operands;
	unsigned int count; /* if 0, `arguments` may be anything */
};

/*
 * Defined by the translator. Emits, at the current place of the translation, code that stores the
 * operands into an array of uint64_t, for example on the stack, and calls the helper with it by the
 * calling convention of C. The helper does not keep the array, does not touch the guest's state and
 * may be called from any thread.
 *
 * @call: borrowed until the return, including operands and values
 *
 * Runs in the thread that called trace_<event>_tcg(), and only while the event is on for that CPU.
 * A constant may be a pointer, which is passed to the event at execution: its memory must live as
 * long as the translation.
 */
WAYMARK_HIDDEN void waymark_translate_call(const struct waymark_call *call);

#ifdef __cplusplus
}
#endif

#endif
