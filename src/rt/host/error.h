/* SPDX-License-Identifier: MIT */
/*
 * Errors as text. The runtime's functions return -1 with a reason in a struct waymark_error, and
 * their callers decide whether to report it.
 */
#ifndef RT_HOST_ERROR_H
#define RT_HOST_ERROR_H

#include <waymark/control.h>

#include "base/compiler.h"

/* Sets the reason; `error` may be NULL. Returns -1, so that a function can end with it. */
int waymark_fail(struct waymark_error *error, const char *fmt, ...) PRINTF(2, 3);

/* Empties the reason; `error` may be NULL. */
static inline void error_clear(struct waymark_error *error)
{
	if (error) {
		error->text[0] = '\0';
	}
}

#define REASON_BYTES 24u

/*
 * Returns the description of an errno, in English in every locale: strerror() and strerror_r() look
 * up translations, which locks and allocates. `spare` holds the text of an errno that has only a
 * number. Any thread, any signal handler.
 */
const char *waymark_reason(int error, char spare[REASON_BYTES]);

#endif
