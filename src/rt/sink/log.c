/* SPDX-License-Identifier: MIT */
/*
 * The log backend: one event, one line, one write.
 *
 *	<tid>@<sec>.<usec>:<name> <message>
 */
#include <stdarg.h>
#include <unistd.h>

#include <waymark/record.h>

#include "rt/sink/log_file.h"
#include "rt/sink/log_prefix.h"
#include "rt/sink/text.h"

/*
 * The thread id is asked for each time: a copy would be wrong in the child of a
 * raw clone that shares our memory, and the write costs ten times as much.
 */
static void take_stamp(struct log_stamp *s)
{
	s->tid = gettid();
	clock_gettime(CLOCK_REALTIME, &s->time);
}

static void print_prefix(struct line *l, const void *stamp)
{
	waymark_log_prefix_print(l, stamp);
}

static void write_line(const char *text, size_t len, const void *stamp)
{
	(void)stamp;
	waymark_log_write(text, len);
}

static const struct text_style style = {
	.print_prefix = print_prefix,
	.write = write_line,
	.max = 8192,
};

void waymark_log(const struct waymark_event *event, const char *fmt, ...)
{
	struct log_stamp stamp;
	va_list args;

	if (!waymark_log_is_on()) {
		return;
	}
	take_stamp(&stamp);
	va_start(args, fmt);
	waymark_text_write(&style, &stamp, event, fmt, args);
	va_end(args);
}
