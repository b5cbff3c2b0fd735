/* SPDX-License-Identifier: MIT */
/*
 * The text backends as the rest of the runtime sees them: a row for each that
 * waymark/backends.def has. src/rt/text/<name>.c defines waymark_text_<name>.
 */
#ifndef RT_TEXT_BACKENDS_H
#define RT_TEXT_BACKENDS_H

#include <stdbool.h>

#include <waymark/record.h>

#include "rt/text/loss.h"

/* What a backend does besides printing. Members may be NULL: nothing to do. */
struct text_backend {
	/*
	 * Called before an event is first switched on for it, and by waymark_init(): with no lock
	 * of ours held, not in a signal handler, any number of times.
	 */
	void (*load)(void);
	/* waymark_init() opens the output. False: there is none, which was reported. */
	bool (*open)(void);
	/* The descriptor that it writes to; -1: none is open. Any thread. */
	int (*descriptor)(void);
	/* The line at exit after the number of lost events; NULL: it loses none. */
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
