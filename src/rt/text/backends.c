/* SPDX-License-Identifier: MIT */
/*
 * The table of text backends, and the function that passes trace points of waymark/scope.h to them.
 * Called by rt/site in any thread and any signal handler; control and loss.c read the table.
 */
#include "base/compiler.h"
#include "rt/text/backends.h"
#include "rt/text/site_text.h"

const struct text_backend_row waymark_text_backends[] = {
#define TEXT_ROW(bit, upper, lower, kind, help)                           \
	WAYMARK_IF_PRINTS_##kind({ WAYMARK_##upper, #lower, LOSS_##upper, \
					 waymark_##lower##_message, &waymark_text_##lower }, )
	WAYMARK_ALL_BACKENDS(TEXT_ROW)
#undef TEXT_ROW
};

/* The functions that generated code calls if the event has no other backend. */
#define TEXT_PRINTF(bit, upper, lower, kind, help)                                              \
	WAYMARK_IF_PRINTF_##kind(                                                               \
		void waymark_##lower(const struct waymark_event *event, const char *fmt, ...) { \
			va_list args;                                                           \
                                                                                                \
			va_start(args, fmt);                                                    \
			waymark_text_##lower.print(event, fmt, args);                           \
			va_end(args);                                                           \
		})
WAYMARK_ALL_BACKENDS(TEXT_PRINTF)
#undef TEXT_PRINTF

void waymark_site_show(const struct waymark_event *event, const struct waymark_debug *values,
	uint32_t count, unsigned int on, enum waymark_mark mark)
{
	struct waymark_message m = waymark_message_of(values + 1, count, event->file, event->line);

	m.mark = mark;
	m.id = values[0].as.i;
	for (size_t i = 0; i < ARRAY_SIZE(waymark_text_backends); i++) {
		if (on & waymark_text_backends[i].bit) {
			waymark_text_backends[i].print(event, &m);
		}
	}
}
