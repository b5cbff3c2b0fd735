/* SPDX-License-Identifier: MIT */
/* Buffer files whose process goes on in another trace, see read/buffer.h. */
#include <string.h>

#include "read/buffer_source.h"

int32_t buffer_source_turns(const struct buffer_source *s)
{
	uint32_t turn = 0;

	return buffer_source_read(s, &turn, sizeof(turn), offsetof(struct buffer_file, turn))
		       ? (int32_t)(turn - s->turn)
		       : 0;
}

/* As the process has it by now. */
static bool read_header(const struct buffer_source *s, struct buffer_file *h)
{
	return buffer_source_read(s, h, sizeof(*h), 0);
}

/*
 * The trace that took over from the one that is wanted. Two turns are remembered, until the
 * next one is prepared: of more, the newest.
 */
static uint32_t next_turn(const struct buffer_source *s, const struct buffer_file *h)
{
	return h->turn - s->turn == 2 ? h->turn - 1 : h->turn;
}

bool buffer_source_next_trace(const struct buffer_source *s, uint8_t uuid[16], char *directory)
{
	struct buffer_file h;

	if (buffer_source_turns(s) <= 0 || !read_header(s, &h)) {
		return false;
	}
	const struct buffer_trace *t = &h.traces[next_turn(s, &h) % 2];

	if (!memchr(t->directory, '\0', sizeof(t->directory))) {
		return false;
	}
	memcpy(uuid, t->uuid, sizeof(t->uuid));
	strcpy(directory, t->directory);
	return true;
}

void buffer_source_turn(struct buffer_source *s, const uint8_t uuid[16])
{
	struct buffer_file h;

	if (!read_header(s, &h)) {
		return;
	}
	bool is_newest = memcmp(h.traces[h.turn % 2].uuid, uuid, 16) == 0;
	if (is_newest || memcmp(h.traces[(h.turn - 1) % 2].uuid, uuid, 16) == 0) {
		memcpy(s->header.traces, h.traces, sizeof(h.traces));
		s->turn = is_newest ? h.turn : h.turn - 1;
	}
}
