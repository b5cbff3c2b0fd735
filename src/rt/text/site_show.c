/* SPDX-License-Identifier: MIT */
/*
 * Hands a trace point of waymark/scope.h to the text backends. Called by rt/site in any thread and
 * any signal handler.
 */
#include "base/compiler.h"
#include "rt/text/site_text.h"

/* By the bit of the backend; NULL: it does not print. */
static void (*const print[])(const struct waymark_event *event, const struct waymark_message *m) = {
#define PRINTING(bit, upper, lower, kind, help) \
	WAYMARK_IF_PRINTS_##kind([bit] = waymark_##lower##_message, )
	WAYMARK_ALL_BACKENDS(PRINTING)
};

void waymark_site_show(const struct waymark_event *event, const struct waymark_debug *values,
	uint32_t count, unsigned int on, enum waymark_mark mark)
{
	struct waymark_message m = waymark_message_of(values + 1, count, event->file, event->line);

	m.mark = mark;
	m.id = values[0].as.i;
	for (size_t i = 0; i < ARRAY_SIZE(print); i++) {
		if (print[i] && on & 1u << i) {
			print[i](event, &m);
		}
	}
}
