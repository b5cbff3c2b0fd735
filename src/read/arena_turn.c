/* SPDX-License-Identifier: MIT */
/* Arena files whose process goes on in another trace, see read/arena.h. */
#include <string.h>

#include "read/arena_source.h"

int32_t arena_source_turns(const struct arena_source *s)
{
	uint32_t turn = 0;

	return arena_source_read(s, &turn, sizeof(turn), offsetof(struct arena_file, turn))
		       ? (int32_t)(turn - s->turn)
		       : 0;
}

/* As the process has it by now. */
static bool read_header(const struct arena_source *s, struct arena_file *h)
{
	return arena_source_read(s, h, sizeof(*h), 0);
}

/*
 * The trace that took over from the one that is wanted. Two turns are remembered, until the
 * next one is prepared: of more, the newest.
 */
static uint32_t next_turn(const struct arena_source *s, const struct arena_file *h)
{
	return h->turn - s->turn == 2 ? h->turn - 1 : h->turn;
}

bool arena_source_next_trace(const struct arena_source *s, uint8_t uuid[16], char *directory)
{
	struct arena_file h;

	if (arena_source_turns(s) <= 0 || !read_header(s, &h)) {
		return false;
	}
	const struct arena_trace *t = &h.traces[next_turn(s, &h) % 2];

	if (!memchr(t->directory, '\0', sizeof(t->directory))) {
		return false;
	}
	memcpy(uuid, t->uuid, sizeof(t->uuid));
	strcpy(directory, t->directory);
	return true;
}

void arena_source_turn(struct arena_source *s, const uint8_t uuid[16])
{
	struct arena_file h;

	if (!read_header(s, &h)) {
		return;
	}
	bool is_newest = memcmp(h.traces[h.turn % 2].uuid, uuid, 16) == 0;
	if (is_newest || memcmp(h.traces[(h.turn - 1) % 2].uuid, uuid, 16) == 0) {
		memcpy(s->header.traces, h.traces, sizeof(h.traces));
		s->turn = is_newest ? h.turn : h.turn - 1;
	}
}
