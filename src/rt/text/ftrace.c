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
 *		C|<pid>|<name>|<value>		a counter of waymark/scope.h
 *	hitrace	the same as OpenHarmony's: H: before the text, a blank before id and value
 *
 * A `|` in a message becomes `/` if it would end the message.
 *
 * The marker is checked before the text is made, so that an event costs almost nothing without a
 * marker. Sources of the grammars: Perfetto's parser of trace_marker, which reads the text after a
 * `|` as the id, and the documentation of OpenHarmony's HiTraceMeter.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <waymark/record.h>

#include "base/compiler.h"
#include "rt/text/backends.h"
#include "rt/text/ftrace.h"
#include "rt/text/ftrace_marker.h"
#include "rt/text/site_text.h"
#include "rt/text/text.h"

/* Forms of a line: one for each mark, and one for counters. */
#define FORM_COUNTER (WAYMARK_MARK_ASYNC_END + 1)
#define FORMS (FORM_COUNTER + 1)

/* The form of a style for one mark. */
struct form {
	const char *lead; /* before the process id; NULL: plain text */
	const char *behind; /* after the process id */
	const char *before_id; /* text before an id or a counter's value; NULL: neither */
	bool hides_bars; /* see struct text_style */
};

static const struct style {
	const char *name;
	struct form forms[FORMS]; /* by enum waymark_mark */
} styles[] = {
	{ .name = "text" },
	{ .name = "atrace",
		.forms = {
			[WAYMARK_MARK_NONE] = { "I|", "|", NULL, false },
			[WAYMARK_MARK_START] = { "B|", "|", NULL, false },
			[WAYMARK_MARK_END] = { "E|", "", NULL, false },
			[WAYMARK_MARK_ASYNC_START] = { "S|", "|", "|", true },
			[WAYMARK_MARK_ASYNC_END] = { "F|", "|", "|", true },
			[FORM_COUNTER] = { "C|", "|", "|", true },
		} },
	{ .name = "hitrace",
		.forms = {
			[WAYMARK_MARK_NONE] = { "I|", "|H:", NULL, true },
			[WAYMARK_MARK_START] = { "B|", "|H:", NULL, true },
			[WAYMARK_MARK_END] = { "E|", "|", NULL, false },
			[WAYMARK_MARK_ASYNC_START] = { "S|", "|H:", " ", true },
			[WAYMARK_MARK_ASYNC_END] = { "F|", "|H:", " ", true },
			[FORM_COUNTER] = { "C|", "|H:", " ", true },
		} },
};

/* The state of writing one event. */
struct call {
	struct ftrace_marker marker;
	const struct form *form;
	char tail[360]; /* `before_id`, and the id or a value of at most 327 digits */
	bool is_bare; /* without a newline: the kernel adds one */
};

static void print_lead(struct line *l, const void *context)
{
	const struct form *form = ((const struct call *)context)->form;

	if (form->lead) {
		waymark_line_put(l, "%s%d%s", form->lead, (int)getpid(), form->behind);
	}
}

/* Relaxed: it orders no other memory. */
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
	const struct call *c = context;

	waymark_ftrace_write(&c->marker, text, len - c->is_bare);
}

static void make_tail(
	struct call *c, const struct waymark_event *event, const struct waymark_message *m)
{
	struct line l;

	line_init(&l, c->tail, sizeof(c->tail));
	waymark_line_put(&l, "%s", c->form->before_id);
	if (waymark_site_is_counter(event)) {
		waymark_site_put_value(&l, m);
	} else {
		waymark_line_put(&l, "%d", (int)m->id);
	}
}

/* Returns false, and counts the event as lost, if there is no marker. */
static bool begin(struct call *c, unsigned int form)
{
	c->is_bare = false;
	c->form = &__atomic_load_n(&chosen, __ATOMIC_RELAXED)->forms[form];
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

static void print_event(const struct waymark_event *event, const char *fmt, va_list args)
{
	int saved = errno;
	struct call c;

	if (begin(&c, WAYMARK_MARK_NONE)) {
		struct text_style style = style_of(&c);

		waymark_text_write(&style, &c, event, fmt, args);
	}
	errno = saved;
}

void waymark_ftrace_message(const struct waymark_event *event, const struct waymark_message *m)
{
	int saved = errno;
	struct call c;

	if (begin(&c, waymark_site_is_counter(event) ? FORM_COUNTER : m->mark)) {
		struct text_style style = style_of(&c);

		if (c.form->before_id) {
			make_tail(&c, event, m);
		}
		c.is_bare = event->flags & WAYMARK_EVENT_SITE && !c.form->lead;
		waymark_text_write_message(&style, &c, event, m);
	}
	errno = saved;
}

const struct text_backend waymark_text_ftrace = {
	.print = print_event,
	.open = waymark_ftrace_prepare,
	.descriptor = waymark_ftrace_descriptor,
	.lost = "events could not be written",
};
