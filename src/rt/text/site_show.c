/* SPDX-License-Identifier: MIT */
/*
 * Hands a trace point of waymark/scope.h to the text backends. Called by rt/site in any thread and
 * any signal handler. A new text backend that takes trace points gets a row here.
 */
#include "base/compiler.h"
#include "rt/text/site_text.h"

static const struct {
	unsigned int backend;
	void (*take)(const struct waymark_event *event, const struct waymark_message *m);
} backends[] = {
	{ WAYMARK_LOG, waymark_log_message },
	{ WAYMARK_FTRACE, waymark_ftrace_message },
	{ WAYMARK_SYSLOG, waymark_syslog_message },
	{ WAYMARK_HITRACE, waymark_hitrace_message },
};

void waymark_site_show(const struct waymark_event *event, const struct waymark_debug *values,
	uint32_t count, unsigned int on, enum waymark_mark mark)
{
	struct waymark_message m = waymark_message_of(values + 1, count, event->file, event->line);

	m.mark = mark;
	m.id = values[0].as.i;
	for (size_t i = 0; i < ARRAY_SIZE(backends); i++) {
		if (on & backends[i].backend) {
			backends[i].take(event, &m);
		}
	}
}
