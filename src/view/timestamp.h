/* SPDX-License-Identifier: MIT */
/*
 * Times as text: seconds and nine digits. Between two records the second seldom
 * changes, so its text is kept and only the nine digits are made anew.
 */
#ifndef VIEW_TIMESTAMP_H
#define VIEW_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

/* What timestamp_put() writes at most, scratch included. */
#define TIMESTAMP_ROOM 64

enum timestamp_mode {
	TIMESTAMP_ABSOLUTE, /* since boot */
	TIMESTAMP_RELATIVE, /* since the first record of the trace */
	TIMESTAMP_DELTA, /* since the line before, with a sign */
};

struct timestamp {
	enum timestamp_mode mode;
	bool started;
	uint64_t origin; /* what times count from */
	uint64_t second; /* the start of the second that `text` is of */
	char text[24]; /* "SECONDS." */
	unsigned int length; /* 0: no text yet */
};

void timestamp_init(struct timestamp *t, enum timestamp_mode mode);

/* Tells of a record that may not be printed: the first one is what times are relative to. */
static inline void timestamp_see(struct timestamp *t, uint64_t ns)
{
	if (!t->started && t->mode != TIMESTAMP_ABSOLUTE) {
		t->origin = ns;
	}
	t->started = true;
}

/* Writes the time of a record that timestamp_see() was told of; returns its end. */
char *timestamp_put(struct timestamp *t, char *out, uint64_t ns);

#endif
