/* SPDX-License-Identifier: MIT */
/*
 * Errors as text: the reason for which a function of the runtime fails, and an errno's description.
 * Control characters from a pattern or a file name are escaped: a reason is one line.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "rt/host/error.h"
#include "rt/host/line.h"

int waymark_fail(struct waymark_error *error, const char *fmt, ...)
{
	struct line l;
	va_list ap;

	if (!error) {
		return -1;
	}
	line_init(&l, error->text, sizeof(error->text));
	va_start(ap, fmt);
	waymark_line_vprintf(&l, fmt, ap);
	va_end(ap);
	waymark_line_end(&l);
	error->text[l.len - 1] = '\0';
	return -1;
}

#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 32))

static const char *description(int error)
{
	return strerrordesc_np(error);
}

#else /* no function that a signal handler may call: a table of common errors */

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
