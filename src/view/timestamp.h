/* SPDX-License-Identifier: MIT */
/*
 * Times as text: seconds and nine digits. From one record to the next little
 * changes, so the text is kept and only its last four digits are made anew.
 */
#ifndef VIEW_TIMESTAMP_H
#define VIEW_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "view/message/number.h"

/* What timestamp_put() writes at most, scratch included. */
#define TIMESTAMP_ROOM 64
#define TIMESTAMP_PREFIX 8

enum timestamp_mode {
	TIMESTAMP_ABSOLUTE, /* since boot */
	TIMESTAMP_RELATIVE, /* since the first record of the trace */
	TIMESTAMP_DELTA, /* since the line before, with a sign */
	TIMESTAMP_WALL, /* date and time (UTC), or since 1970 */
};

struct timestamp {
	enum timestamp_mode mode;
	const char *prefix;
	bool for_people;
	bool started;
	uint64_t origin; /* what times count from */
	uint64_t realtime; /* of TIMESTAMP_WALL: what makes a time one since 1970 */
	/* Times from `block` on, as far as `span`, begin with `text`. */
	uint64_t block;
	uint64_t span; /* 0: only the one that was prepared last */
	char text[32];
	unsigned int length;
};

/*
 * `prefix`: what goes before each time. `for_people`: a delta >= 0 has a sign too,
 * and a time of day is a date; else it is the seconds since 1970.
 */
void timestamp_init(
	struct timestamp *t, enum timestamp_mode mode, const char *prefix, bool for_people);

/* Tells of a record that may not be printed: the first one is what times are relative to. */
static inline void timestamp_see(struct timestamp *t, uint64_t ns)
{
	if (!t->started && (t->mode == TIMESTAMP_RELATIVE || t->mode == TIMESTAMP_DELTA)) {
		t->origin = ns;
	}
	t->started = true;
}

/* Whether timestamp_put() may be called for this time. */
static inline bool timestamp_is_ready(const struct timestamp *t, uint64_t ns)
{
	return LIKELY(ns - t->block < t->span);
}

/* Makes it ready for this time; once for each line that it was not ready for. */
void timestamp_prepare(struct timestamp *t, uint64_t ns);

/* Writes the time of a record that timestamp_see() was told of; returns its end. */
static inline char *timestamp_put(const struct timestamp *t, char *out, uint64_t ns)
{
	memcpy(out, t->text, sizeof(t->text));
	return number_fixed4(out + t->length, (uint32_t)(ns - t->block));
}

#endif
