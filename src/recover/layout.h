/* SPDX-License-Identifier: MIT */
/*
 * What recovery has to know of a trace's metadata: whose it is, how far it is
 * whole, and how long each event is. It reads the lines that
 * format/ctf_text.h writes, and nothing else. One thread.
 */
#ifndef RECOVER_LAYOUT_H
#define RECOVER_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "format/ctf_clock.h"
#include "text/out.h"

/* An event's fields in order: bytes of a number, or what else it is. */
#define FIELD_STRING 0
#define FIELD_DEBUG UINT8_MAX /* the kind of a debug value, and the value */

struct event_layout {
	const uint8_t *fields; /* NULL: no event has this id */
	size_t count;
};

struct layouts {
	struct arena arena;
	char *text; /* the metadata, NUL-terminated */
	size_t whole; /* bytes of it up to the end of the last whole declaration */
	size_t length; /* bytes of it in the file */
	uint8_t uuid[16];
	VEC(struct event_layout) by_id;
};

enum layouts_result {
	LAYOUTS_OK,
	LAYOUTS_NONE, /* not the metadata of a native trace */
	LAYOUTS_CUT, /* it ends before the first event */
	LAYOUTS_FOREIGN, /* of a host with the other byte order */
	LAYOUTS_UNREADABLE, /* errno says why */
};

/* Reads the metadata of the trace in the folder `directory`. */
enum layouts_result layouts_read(struct layouts *l, int directory);
void layouts_fini(struct layouts *l);

/* The trace's first reading of the clocks; *begin stays where the metadata has none. */
void layouts_get_begin(const struct layouts *l, struct buffer_clock *begin);

/* enum ctf_ended, as the metadata has it. */
uint64_t layouts_ended(const struct layouts *l);

/* Writes the whole part with `ended`, and a better clock unless `begin` and `now` tell none. */
void layouts_put_text(struct out *out, const struct layouts *l, uint64_t ended,
	const struct buffer_clock *begin, const struct buffer_clock *now);

/* What the events of a packet say. */
struct walk {
	uint64_t events;
	uint64_t last; /* ticks of the last one; timestamp_begin when there is none */
	size_t content; /* bytes up to the end of the last one that is whole */
};

/* Goes through the events of a packet of which `n` bytes are there. */
struct walk layouts_walk(const struct layouts *l, const unsigned char *packet, size_t n);

#endif
