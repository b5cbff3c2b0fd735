/* SPDX-License-Identifier: MIT */
/*
 * The backend ftrace: one event, one line, one write to the kernel's trace_marker.
 *
 *	text	<name> <message>
 *	atrace	I|<pid>|<name> <message>	an instant, as viewers of Android's traces know it
 *
 * Whether there is a marker is asked before the text is made: without one an
 * event costs next to nothing.
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

static void print_text(struct line *l, const void *marker)
{
	(void)l;
	(void)marker;
}

static void print_atrace(struct line *l, const void *marker)
{
	(void)marker;
	waymark_line_put(l, "I|%d|", (int)getpid());
}

static const struct style {
	const char *name;
	void (*print)(struct line *l, const void *marker);
} styles[] = {
	{ "text", print_text },
	{ "atrace", print_atrace },
};

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

static void write_line(const char *text, size_t len, const void *marker)
{
	waymark_ftrace_write(marker, text, len);
}

void waymark_ftrace(const struct waymark_event *event, const char *fmt, ...)
{
	struct ftrace_marker marker;
	int saved = errno;
	va_list args;

	if (waymark_ftrace_marker(&marker)) {
		const struct text_style style = {
			.print_prefix = __atomic_load_n(&chosen, __ATOMIC_RELAXED)->print,
			.write = write_line,
			.max = marker.max,
		};

		va_start(args, fmt);
		waymark_text_write(&style, &marker, event, fmt, args);
		va_end(args);
	}
	errno = saved;
}
