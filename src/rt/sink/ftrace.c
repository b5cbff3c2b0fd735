/* SPDX-License-Identifier: MIT */
/*
 * The backend ftrace: one event, one line, one write to the kernel's trace_marker.
 *
 *	text	<name> <message>, [<name>] <message>, [SCOPE_START][<name>] <message> ...
 *	atrace	I|<pid>|<name> <message>	an instant, as viewers of Android's traces know it
 *		B|<pid>|[<name>] <message>	a scope begins
 *		E|<pid>				it ends
 *		S|<pid>|[<name>] <message>|<id>	an asynchronous scope begins
 *		F|<pid>|[<name>] <message>|<id>	it ends
 *	hitrace	the same as OpenHarmony's: H: before the text, a blank before the id
 *
 * An `|` in a message is shown as `/` where the grammar would end the message there.
 *
 * Whether there is a marker is asked before the text is made: without one an
 * event costs next to nothing. Sources of the grammars: Perfetto's parser of
 * trace_marker, which takes what stands behind an `|` for the id, and the
 * documentation of OpenHarmony's HiTraceMeter.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <waymark/record.h>

#include "base/compiler.h"
#include "rt/sink/ftrace.h"
#include "rt/sink/ftrace_marker.h"
#include "rt/sink/text.h"

#define MARKS (WAYMARK_MARK_ASYNC_END + 1)

/* A style's own of an event that is a mark. */
struct form {
	const char *lead; /* before the process id; NULL: the line is plain text */
	const char *behind; /* the process id */
	const char *before_id; /* NULL: there is no id */
	bool hides_bars; /* see struct text_style */
};

static const struct style {
	const char *name;
	struct form forms[MARKS]; /* by enum waymark_mark */
} styles[] = {
	{ .name = "text" },
	{ .name = "atrace",
		.forms = {
			[WAYMARK_MARK_NONE] = { "I|", "|", NULL, false },
			[WAYMARK_MARK_START] = { "B|", "|", NULL, false },
			[WAYMARK_MARK_END] = { "E|", "", NULL, false },
			[WAYMARK_MARK_ASYNC_START] = { "S|", "|", "|", true },
			[WAYMARK_MARK_ASYNC_END] = { "F|", "|", "|", true },
		} },
	{ .name = "hitrace",
		.forms = {
			[WAYMARK_MARK_NONE] = { "I|", "|H:", NULL, true },
			[WAYMARK_MARK_START] = { "B|", "|H:", NULL, true },
			[WAYMARK_MARK_END] = { "E|", "|", NULL, false },
			[WAYMARK_MARK_ASYNC_START] = { "S|", "|H:", " ", true },
			[WAYMARK_MARK_ASYNC_END] = { "F|", "|H:", " ", true },
		} },
};

/* What an event is written by: good for this one event only. */
struct call {
	struct ftrace_marker marker;
	const struct form *form;
	char tail[16]; /* the id and what stands before it */
};

static void print_lead(struct line *l, const void *context)
{
	const struct form *form = ((const struct call *)context)->form;

	if (form->lead) {
		waymark_line_put(l, "%s%d%s", form->lead, (int)getpid(), form->behind);
	}
}

/* Relaxed: no other memory hangs on it. */
static const struct style *chosen = styles;

void waymark_ftrace_choose_style(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(styles); i++) {
		if (strcmp(styles[i].name, name) == 0) {
			__atomic_store_n(&chosen, &styles[i], __ATOMIC_RELAXED);
		}
	}
}

static void write_line(const char *text, size_t len, const void *context)
{
	waymark_ftrace_write(&((const struct call *)context)->marker, text, len);
}

static void make_tail(struct call *c, int32_t id)
{
	struct line l;

	line_init(&l, c->tail, sizeof(c->tail));
	waymark_line_put(&l, "%s%d", c->form->before_id, (int)id);
}

/* False: there is no marker, and the event has been counted as lost. */
static bool begin(struct call *c, enum waymark_mark mark, int32_t id)
{
	c->form = &__atomic_load_n(&chosen, __ATOMIC_RELAXED)->forms[mark];
	if (c->form->before_id) {
		make_tail(c, id);
	}
	return waymark_ftrace_marker(&c->marker);
}

static struct text_style style_of(const struct call *c)
{
	return (struct text_style){
		.print_prefix = print_lead,
		.write = write_line,
		.max = c->marker.max,
		.keeps_lines = !c->form->lead,
		.hides_mark = c->form->lead,
		.hides_bars = c->form->hides_bars,
		.tail = c->form->before_id ? c->tail : NULL,
	};
}

void waymark_ftrace(const struct waymark_event *event, const char *fmt, ...)
{
	int saved = errno;
	struct call c;
	va_list args;

	if (begin(&c, WAYMARK_MARK_NONE, 0)) {
		struct text_style style = style_of(&c);

		va_start(args, fmt);
		waymark_text_write(&style, &c, event, fmt, args);
		va_end(args);
	}
	errno = saved;
}

void waymark_ftrace_message(const struct waymark_event *event, const struct waymark_message *m)
{
	int saved = errno;
	struct call c;

	if (begin(&c, (enum waymark_mark)m->mark, m->id)) {
		struct text_style style = style_of(&c);

		waymark_text_write_message(&style, &c, event, m);
	}
	errno = saved;
}
