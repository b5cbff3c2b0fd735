/* SPDX-License-Identifier: MIT */
/*
 * The log backend: one event, one line, one write.
 *
 *	<tid>@<sec>.<usec>:<name> <message>
 *
 * A line is made without malloc: in 768 bytes of the stack, and where they do
 * not hold it, in 8 KiB that are mapped for it, at which it is cut and ends in
 * "...". vsnprintf() itself needs some 2 KiB of stack, more for numbers with a point.
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include <waymark/record.h>

#include "base/compiler.h"
#include "rt/host/line.h"
#include "rt/sink/log_file.h"
#include "rt/sink/log_prefix.h"

#define SHORT_LINE 768
#define LONG_LINE 8192

/*
 * The thread id is asked for each time: a copy would be wrong in the child of a
 * raw clone that shares our memory, and the write costs ten times as much.
 */
static void take_stamp(struct log_stamp *s)
{
	s->tid = gettid();
	clock_gettime(CLOCK_REALTIME, &s->time);
}

/* An event, its message and the moment: what a line is made of. */
struct message {
	const struct waymark_event *event;
	struct log_stamp stamp;
	const char *fmt;
	va_list args;
};

static void print(struct line *l, struct message *m)
{
	va_list args;

	waymark_log_prefix_print(l, &m->stamp);
	waymark_line_printf(l, "%s", m->event->name);
	va_copy(args, m->args);
	waymark_line_vprintf(l, m->fmt, args);
	va_end(args);
	waymark_line_end(l);
}

/* False where there is no memory for it. */
static COLD bool write_long(struct message *m)
{
	char *text =
		mmap(NULL, LONG_LINE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct line l;

	if (text == MAP_FAILED) {
		return false;
	}
	line_init(&l, text, LONG_LINE);
	print(&l, m);
	waymark_log_write(l.data, l.len);
	munmap(text, LONG_LINE);
	return true;
}

static void write_line(struct message *m)
{
	char text[SHORT_LINE];
	struct line l;

	line_init(&l, text, sizeof(text));
	print(&l, m);
	if (LIKELY(!l.cut) || !write_long(m)) {
		waymark_log_write(l.data, l.len);
	}
}

void waymark_log(const struct waymark_event *event, const char *fmt, ...)
{
	struct message m = { .event = event, .fmt = fmt };
	int saved = errno;

	if (!waymark_log_is_on()) {
		return;
	}
	take_stamp(&m.stamp);
	va_start(m.args, fmt);
	write_line(&m);
	va_end(m.args);
	errno = saved;
}
