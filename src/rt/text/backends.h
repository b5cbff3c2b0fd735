/* SPDX-License-Identifier: MIT */
/*
 * The text backends as the rest of the runtime sees them: a row for each text backend of
 * waymark/backends.def. src/rt/text/<name>.c defines waymark_text_<name>.
 */
#ifndef RT_TEXT_BACKENDS_H
#define RT_TEXT_BACKENDS_H

#include <stdarg.h>
#include <stdbool.h>

#include <waymark/record.h>

#include "rt/text/loss.h"

/* What a backend does. Members may be NULL: nothing to do. */
struct text_backend {
	/*
	 * Prepares the backend. Called any number of times: before an event is first switched on
	 * for it, and by waymark_init(); never in a signal handler or while a lock of ours is held.
	 */
	void (*load)(void);
	/* Prints an event as a line of text; NULL for a backend that prints only scopes. */
	void (*print)(const struct waymark_event *event, const char *fmt, va_list args);
	/* Opens the output, for waymark_init(). Returns false, after a report, if there is none. */
	bool (*open)(void);
	/* Returns the descriptor of the output; -1 if none is open. Any thread. */
	int (*descriptor)(void);
	/*
	 * Text of the line at exit, after the number of lost events; NULL: the backend loses none.
	 */
	const char *lost;
};

#define TEXT_BACKEND(bit, upper, lower, kind, help) \
	WAYMARK_IF_PRINTS_##kind(extern const struct text_backend waymark_text_##lower;)
WAYMARK_ALL_BACKENDS(TEXT_BACKEND)
#undef TEXT_BACKEND

struct text_backend_row {
	unsigned int bit; /* of enum waymark_backend */
	const char *name;
	enum loss loss;
	void (*print)(const struct waymark_event *event, const struct waymark_message *m);
	const struct text_backend *backend;
};

#define TEXT_BACKENDS_ONE(bit, upper, lower, kind, help) WAYMARK_IF_PRINTS_##kind(+1)
#define TEXT_BACKENDS (0 WAYMARK_ALL_BACKENDS(TEXT_BACKENDS_ONE))

extern const struct text_backend_row waymark_text_backends[TEXT_BACKENDS];

#endif
