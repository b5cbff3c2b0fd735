/* SPDX-License-Identifier: MIT */
/*
 * Makes the line of an event on the stack, or in mapped memory if it is long, and passes it to its
 * backend. Called by log, syslog, ftrace and hitrace in any thread and signal handler.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/compiler.h"
#include "brace/brace.h"
#include "rt/event/registry.h"
#include "rt/host/error.h"
#include "rt/text/site_text.h"
#include "rt/text/text.h"

#define SHORT_LINE 768

/*
 * The parts of a line, in a struct because a va_list that is a parameter cannot be passed on by its
 * address.
 */
struct source {
	const struct text_style *style;
	const void *context;
	const struct waymark_event *event;
	const struct waymark_message *message; /* NULL: the format and its arguments */
	const char *fmt;
	va_list args;
};

_Static_assert(WAYMARK_ERROR_SPARE >= REASON_BYTES, "too small for a number");

const char *waymark_error_text(char spare[WAYMARK_ERROR_SPARE])
{
	return waymark_reason(errno, spare);
}

/* Prints the format's text, which begins with a blank unless it is empty. */
static void print_format(struct line *l, struct source *s)
{
	bool brackets = s->style->has_brackets;
	va_list args;

	waymark_line_put(l, brackets ? "[%s]" : "%s", s->event->name);
	size_t begin = l->len;

	va_copy(args, s->args);
	waymark_line_vprintf(l, s->fmt, args);
	va_end(args);
	if (brackets && l->len == begin) {
		waymark_line_add(l, " ", 1);
	}
}

void waymark_text_put(
	struct line *l, const struct waymark_event *event, const struct waymark_message *m)
{
	struct brace_sink sink;

	if (event->flags & WAYMARK_EVENT_SITE) {
		waymark_site_put_body(l, event, m);
		return;
	}
	waymark_line_put(l, "[%s] ", event->name);
	if (m->text) {
		waymark_line_add(l, m->text, m->length);
		return;
	}
	line_sink(&sink, l);
	brace_format(&sink, event_format(event), strlen(event_format(event)), m->values, m->count);
}

static void put_mark(struct line *l, const struct waymark_message *m)
{
	static const char *const marks[] = {
		[WAYMARK_MARK_NONE] = "",
		[WAYMARK_MARK_START] = "[SCOPE_START]",
		[WAYMARK_MARK_END] = "[SCOPE_END]",
		[WAYMARK_MARK_ASYNC_START] = "[SCOPE_START(id=",
		[WAYMARK_MARK_ASYNC_END] = "[SCOPE_END(id=",
	};
	bool has_id = m->mark == WAYMARK_MARK_ASYNC_START || m->mark == WAYMARK_MARK_ASYNC_END;

	waymark_line_put(l, "%s", marks[m->mark]);
	if (has_id) {
		waymark_line_put(l, "%d)]", (int)m->id);
	}
}

static void print_message(struct line *l, struct source *s)
{
	const struct waymark_message *m = s->message;

	l->keeps_lines = s->style->keeps_lines;
	if (s->event->flags & WAYMARK_EVENT_SITE && !s->style->hides_mark) {
		waymark_site_put(l, s->event, m);
		return;
	}
	if (!s->style->hides_mark) {
		put_mark(l, m);
	}
	if (m->mark == WAYMARK_MARK_END) {
		return;
	}
	size_t begin = l->len;

	waymark_text_put(l, s->event, m);
	for (size_t i = begin; s->style->hides_bars && i < l->len; i++) {
		l->data[i] = l->data[i] == '|' ? '/' : l->data[i];
	}
}

/* print() has left room for the tail. */
static void end_line(struct line *l, const char *tail, size_t length)
{
	waymark_line_end(l);
	if (length) {
		memcpy(l->data + l->len - 1, tail, length);
		l->len += length;
		l->data[l->len - 1] = '\n';
	}
}

static void print(struct line *l, char *text, size_t size, struct source *s)
{
	const char *tail = s->style->tail;
	size_t tail_length = tail ? strlen(tail) : 0;

	line_init(l, text, size - tail_length);
	s->style->print_prefix(l, s->context);
	if (s->message) {
		print_message(l, s);
	} else {
		print_format(l, s);
	}
	end_line(l, tail, tail_length);
}

/* Returns false if there is no memory. */
static COLD bool write_long(struct source *s)
{
	size_t size = s->style->max;
	char *text = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct line l;

	if (text == MAP_FAILED) {
		return false;
	}
	print(&l, text, size, s);
	s->style->write(l.data, l.len, s->context);
	munmap(text, size);
	return true;
}

static void write_line(struct source *s)
{
	char text[SHORT_LINE];
	size_t size = s->style->max < sizeof(text) ? s->style->max : sizeof(text);
	struct line l;

	print(&l, text, size, s);
	if (LIKELY(!l.cut) || size == s->style->max || !write_long(s)) {
		s->style->write(l.data, l.len, s->context);
	}
}

void waymark_text_write(const struct text_style *style, const void *context,
	const struct waymark_event *event, const char *fmt, va_list args)
{
	struct source s = { .style = style, .context = context, .event = event, .fmt = fmt };
	int saved = errno;

	va_copy(s.args, args);
	write_line(&s);
	va_end(s.args);
	errno = saved;
}

void waymark_text_write_message(const struct text_style *style, const void *context,
	const struct waymark_event *event, const struct waymark_message *m)
{
	struct source s = { .style = style, .context = context, .event = event, .message = m };
	int saved = errno;

	write_line(&s);
	errno = saved;
}
