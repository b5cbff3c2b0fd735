/* SPDX-License-Identifier: MIT */
/*
 * waymark/translate.h - what a binary translator and the events of its guest's
 * code know of each other. A generated trace-tcg.h includes it. The host is the
 * translator: it calls trace_<event>_tcg() where it translates, and defines
 * waymark_translate_call(), which emits what fires the event at each execution.
 *
 * Compiles as C99 and C++11 with gcc and clang.
 */
#ifndef WAYMARK_TRANSLATE_H
#define WAYMARK_TRANSLATE_H

#include <waymark/event.h>

/*
 * The type by which the host names a value that exists only when the guest runs:
 * the number of a register, a temporary of its code generator. An integer, a
 * pointer, a struct; alike in all files that are linked together. To be defined
 * before the first trace-tcg.h.
 */
#ifndef WAYMARK_VALUE
#define WAYMARK_VALUE uintptr_t
#endif

/*
 * The executing CPU, as a pointer, of the `void *` that the value `env` is when
 * the guest runs. An expression of the host, which may define it: by default the
 * one is the other.
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
	uint64_t constant; /* complete: signed ones are sign-extended */
	unsigned int size; /* the bytes that count: 1, 2, 4 or 8; the helper ignores the others */
};

struct waymark_call {
	const char *event; /* `block_entry_exec`: for a listing of the translation */
	void *cpu; /* the first argument of trace_<event>_tcg(); NULL: no `vcpu` event */
	/* What translated code shall call, with `count` words in the order of the operands. */
	void (*helper)(const uint64_t *arguments);
	const struct waymark_operand *operands;
	unsigned int count; /* 0: `arguments` may be anything */
};

/*
 * Defined by the host. Emits, where it translates just now, what stores the
 * operands into an array of uint64_t, on the stack for one, and calls the helper
 * with it by the calling convention of C. The helper keeps nothing of the array,
 * touches no state of the guest and may be called from any thread.
 *
 * @call: all of it, operands and values included, is the host's until the return
 *
 * Runs in the thread that called trace_<event>_tcg(), and only while the event is
 * on for that CPU. A constant may be a pointer, which the event takes as it is at
 * execution: what it points to has to live as long as the translation.
 */
WAYMARK_HIDDEN void waymark_translate_call(const struct waymark_call *call);

#ifdef __cplusplus
}
#endif

#endif
