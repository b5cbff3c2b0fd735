/* SPDX-License-Identifier: MIT */
/*
 * The log backend: one event, one line, one write.
 *
 *	<tid>@<sec>.<usec>:<name> <message>
 *	<tid>@<sec>.<usec>:[<name>] <message>	of a message with braces, newlines kept
 */
#include <stdarg.h>
#include <strings.h>
#include <unistd.h>

#include <waymark/record.h>

#include "base/compiler.h"
#include "rt/text/backends.h"
#include "rt/text/log.h"
#include "rt/text/log_prefix.h"
#include "rt/text/text.h"

/* In order, from the level that shows the fewest messages. */
static const char *const levels[] = { "error", "warn", "info", "debug", "trace" };

/* Relaxed: it orders no other memory. */
static bool hides_events;

bool waymark_log_level_set(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		if (strcasecmp(levels[i], name) == 0) {
			bool hides = strcasecmp(name, LOG_LEVEL_OF_EVENTS) != 0;

			__atomic_store_n(&hides_events, hides, __ATOMIC_RELAXED);
			return true;
		}
	}
	return false;
}

static void print_prefix(struct line *l, const void *context)
{
	const struct log_stamp *stamp = context;

	stamp->prefix->print(l, stamp);
}

static void write_line(const char *text, size_t len, const void *stamp)
{
	(void)stamp;
	waymark_log_write(text, len);
}

static struct text_style style_of(const struct log_stamp *stamp)
{
	return (struct text_style){
		.print_prefix = print_prefix,
		.write = write_line,
		.max = 8192,
		.has_brackets = stamp->prefix->has_brackets,
		.keeps_lines = true,
	};
}

static bool is_on(void)
{
	return waymark_log_is_on() && !__atomic_load_n(&hides_events, __ATOMIC_RELAXED);
}

static void print_event(const struct waymark_event *event, const char *fmt, va_list args)
{
	if (!is_on()) {
		return;
	}
	struct log_stamp stamp = {
		.prefix = waymark_log_prefix_chosen(),
		.file = event->file,
		.line = event->line,
	};
	struct text_style style = style_of(&stamp);

	waymark_text_write(&style, &stamp, event, fmt, args);
}

void waymark_log_message(const struct waymark_event *event, const struct waymark_message *m)
{
	if (!is_on()) {
		return;
	}
	struct log_stamp stamp = {
		.prefix = waymark_log_prefix_chosen(),
		.file = m->file ? m->file : event->file,
		.line = m->file ? m->line : event->line,
	};
	struct text_style style = style_of(&stamp);

	waymark_text_write_message(&style, &stamp, event, m);
}

const struct text_backend waymark_text_log = {
	.print = print_event,
	.descriptor = waymark_log_descriptor,
	.lost = "lines could not be written",
};
