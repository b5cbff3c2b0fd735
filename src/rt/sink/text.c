/* SPDX-License-Identifier: MIT */
/* See text.h. */
#include <errno.h>
#include <sys/mman.h>

#include "base/compiler.h"
#include "rt/sink/text.h"

#define SHORT_LINE 768

/* What a line is made of; a va_list that is a parameter cannot be passed on by its address. */
struct message {
	const struct text_style *style;
	const void *context;
	const struct waymark_event *event;
	const char *fmt;
	va_list args;
};

static void print(struct line *l, struct message *m)
{
	va_list args;

	m->style->print_prefix(l, m->context);
	waymark_line_put(l, "%s", m->event->name);
	va_copy(args, m->args);
	waymark_line_vprintf(l, m->fmt, args);
	va_end(args);
	waymark_line_end(l);
}

/* False where there is no memory for it. */
static COLD bool write_long(struct message *m)
{
	size_t size = m->style->max;
	char *text = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct line l;

	if (text == MAP_FAILED) {
		return false;
	}
	line_init(&l, text, size);
	print(&l, m);
	m->style->write(l.data, l.len, m->context);
	munmap(text, size);
	return true;
}

static void write_line(struct message *m)
{
	char text[SHORT_LINE];
	struct line l;

	line_init(&l, text, sizeof(text));
	print(&l, m);
	if (LIKELY(!l.cut) || !write_long(m)) {
		m->style->write(l.data, l.len, m->context);
	}
}

void waymark_text_write(const struct text_style *style, const void *context,
	const struct waymark_event *event, const char *fmt, va_list args)
{
	struct message m = { .style = style, .context = context, .event = event, .fmt = fmt };
	int saved = errno;

	va_copy(m.args, args);
	write_line(&m);
	va_end(m.args);
	errno = saved;
}
