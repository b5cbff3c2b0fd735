/* SPDX-License-Identifier: MIT */
/*
 * The text view: a line for each event,
 *
 *	4242.000000123 29600 blk_read offset 4096 length 512
 *
 * and, for each gap, a line that begins with `#`. Where hosts differ, theirs is
 * told before the process. Lines are written to an
 * output that the caller owns. One thread.
 */
#ifndef VIEW_TEXT_H
#define VIEW_TEXT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"
#include "read/reader.h"
#include "text/out.h"
#include "view/message.h"
#include "view/timestamp.h"

/* Names of hosts are cut to what remains of it. */
#define TEXT_PID_ROOM 128

struct text_view {
	struct out *out;
	struct reader *reader;
	bool colour;
	struct timestamp time;
	struct arena arena;
	VEC(struct message *) messages; /* by class index; NULL until first needed */
	uint32_t pid; /* that `pid_text` is of */
	uint32_t trace; /* that process is of */
	char pid_text[TEXT_PID_ROOM]; /* with a blank before and behind, and before that the host */
	unsigned int pid_length;
};

void text_view_init(struct text_view *v, struct out *out, struct reader *r,
	enum timestamp_mode mode, bool colour);
void text_view_fini(struct text_view *v);

/* Tells of a record that a filter may hold back. */
static inline void text_view_see(struct text_view *v, const struct record *rec)
{
	timestamp_see(&v->time, rec->ns);
}

/* Writes the record's line. */
void text_view_put(struct text_view *v, const struct record *rec);

#endif
