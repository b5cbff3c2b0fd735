/* SPDX-License-Identifier: MIT */
/*
 * Times as text: seconds and nine digits. Most digits equal those of the previous record, so the
 * text is kept and only its last four digits are written again.
 */
#ifndef VIEW_TIMESTAMP_H
#define VIEW_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "view/message/number.h"

/* Bytes that timestamp_put() may write. */
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
	uint64_t origin; /* times are relative to it */
	uint64_t realtime; /* TIMESTAMP_WALL: offset from a time to the time since 1970 */
	/* Times from `block` to `block + span` begin with `text`. */
	uint64_t block;
	uint64_t span; /* 0: valid only for the time that was prepared last */
	char text[32];
	unsigned int length;
};

/*
 * Initializes a time. `prefix` precedes each time. `for_people`: a delta >= 0 has a sign, too, and
 * TIMESTAMP_WALL is a date, otherwise the seconds since 1970.
 */
void timestamp_init(
	struct timestamp *t, enum timestamp_mode mode, const char *prefix, bool for_people);

/* Notes a record, even one that is not printed: relative times count from the first one. */
static inline void timestamp_see(struct timestamp *t, uint64_t ns)
{
	if (!t->started && (t->mode == TIMESTAMP_RELATIVE || t->mode == TIMESTAMP_DELTA)) {
		t->origin = ns;
	}
	t->started = true;
}

/* True if timestamp_put() may be called for this time. */
static inline bool timestamp_is_ready(const struct timestamp *t, uint64_t ns)
{
	return LIKELY(ns - t->block < t->span);
}

/* Prepares the text for this time. Call once for each line for which it is not ready. */
void timestamp_prepare(struct timestamp *t, uint64_t ns);

/* Writes the time of a record after timestamp_see(); returns its end. */
static inline char *timestamp_put(const struct timestamp *t, char *out, uint64_t ns)
{
	memcpy(out, t->text, sizeof(t->text));
	return number_fixed4(out + t->length, (uint32_t)(ns - t->block));
}

#endif
