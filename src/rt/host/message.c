/* SPDX-License-Identifier: MIT */
/* The runtime's own messages. They are dropped if standard error is closed or full. */
#include <errno.h>
#include <unistd.h>

#include "rt/host/message.h"
#include "rt/host/write.h"

void waymark_message_make(struct line *l, const char *fmt, va_list ap)
{
	waymark_line_put(l, "waymark: ");
	waymark_line_vput(l, fmt, ap);
	waymark_line_end(l);
}

void waymark_message_write(const char *line, size_t length)
{
	int saved = errno;
	struct stat st;
	size_t done;

	if (fstat(STDERR_FILENO, &st) == 0) {
		waymark_write(STDERR_FILENO, st.st_mode, line, length, &done);
	}
	errno = saved;
}

void waymark_message(const char *fmt, ...)
{
	char text[768];
	struct line l;
	va_list ap;

	line_init(&l, text, sizeof(text));
	va_start(ap, fmt);
	waymark_message_make(&l, fmt, ap);
	va_end(ap);
	waymark_message_write(l.data, l.len);
}
