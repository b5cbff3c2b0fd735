/* SPDX-License-Identifier: MIT */
/*
 * waymark/unlinked.h - macros for functions that a program without the library may call. Part of
 * waymark/linked.h; not for hand-written code.
 */
#ifndef WAYMARK_UNLINKED_H
#define WAYMARK_UNLINKED_H

#include <stddef.h>

/* clang-format off */

#define WAYMARK_UNLINKED_INLINE static inline __attribute__((unused))

/* Returns `result`; sets `reason`, unless it is NULL, to the reason for a failure, or to "". */
WAYMARK_UNLINKED_INLINE int waymark_without(int result, char *reason)
{
	static const char text[] = "this program has been built without tracing";

	if (reason) {
		__builtin_memcpy(reason, result ? text : "", result ? sizeof(text) : 1);
	}
	return result;
}

WAYMARK_UNLINKED_INLINE const int *waymark_no_syscalls(size_t *count)
{
	static const int none = 0;

	*count = 0;
	return &none;
}

/*
 * Defines name##_or_not(), to which the header then maps `name`: calls the function, or returns
 * `nothing` if the library is missing.
 */
#define WAYMARK_UNLINKED(type, name, parameters, arguments, nothing) \
	extern type name##_linked parameters __asm__(#name) __attribute__((weak)); \
	WAYMARK_UNLINKED_INLINE type name##_or_not parameters \
	{ \
		return name##_linked ? name##_linked arguments : (nothing); \
	}

/* The same for a function that returns nothing. */
#define WAYMARK_UNLINKED_VOID(name, parameters, arguments) \
	extern void name##_linked parameters __asm__(#name) __attribute__((weak)); \
	WAYMARK_UNLINKED_INLINE void name##_or_not parameters \
	{ \
		if (name##_linked) { \
			name##_linked arguments; \
		} \
	}

/* clang-format on */

#endif
