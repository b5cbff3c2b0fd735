/* SPDX-License-Identifier: MIT */
/*
 * The runtime's own lines. A standard error that is closed or full swallows
 * them: there is nobody left to tell.
 */
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "rt/host/line.h"
#include "rt/host/message.h"
#include "rt/host/write.h"

void waymark_message(const char *fmt, ...)
{
	int saved = errno;
	char text[1024];
	struct line l;
	struct stat st;
	va_list ap;

	line_init(&l, text, sizeof(text));
	waymark_line_printf(&l, "waymark: ");
	va_start(ap, fmt);
	waymark_line_vprintf(&l, fmt, ap);
	va_end(ap);
	waymark_line_end(&l);
	if (fstat(STDERR_FILENO, &st) == 0) {
		waymark_write(STDERR_FILENO, st.st_mode, l.data, l.len);
	}
	errno = saved;
}
