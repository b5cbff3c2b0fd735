/* SPDX-License-Identifier: MIT */
/* See reason.h. */
#include <string.h>

#include "rt/host/line.h"
#include "rt/host/reason.h"

/* NULL where the C library has no table that a signal handler may look into. */
static const char *description(int error)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 32))
	return strerrordesc_np(error);
#else
	(void)error;
	return NULL;
#endif
}

const char *waymark_reason(int error, char spare[REASON_BYTES])
{
	const char *text = description(error);
	struct line l;

	if (text) {
		return text;
	}
	line_init(&l, spare, REASON_BYTES);
	waymark_line_put(&l, "error %d", error);
	return spare;
}
