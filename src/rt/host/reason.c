/* SPDX-License-Identifier: MIT */
/* See reason.h. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "rt/host/line.h"
#include "rt/host/reason.h"

#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 32))

static const char *description(int error)
{
	return strerrordesc_np(error);
}

#else /* no table that a signal handler may look into: the errors of files and sockets */

#define REASON(error, text) { error, text },
static const struct {
	int error;
	const char *text;
} reasons[] = {
#include "rt/host/reasons.def"
};
#undef REASON

static const char *description(int error)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (reasons[i].error == error) {
			return reasons[i].text;
		}
	}
	return NULL;
}

#endif

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
