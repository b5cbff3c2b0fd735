/* SPDX-License-Identifier: MIT */
/*
 * The places at which a reader has arrived in the streams of a native trace, and a reader that goes
 * on from there. A packet keeps its number and content on its way from memory into a file, so a
 * place stays valid when its process, or recovery, moves the packet. Called by open.c.
 */
#include "read/ctf/ctf.h"

/* Returns the place after the events that were returned. */
static struct reader_position position_of(const struct ctf_stream *s)
{
	return (struct reader_position){
		.stream = s->instance,
		.packet = s->sequence,
		.offset = s->packet ? (uint64_t)(s->pos - s->packet) : s->resume,
		.ticks = s->ticks,
		.discarded = s->discarded,
		.evicted = s->evicted,
		.is_open = s->is_open,
		.gap = s->has_gap ? s->gap : (struct losses){ 0 },
	};
}

void ctf_positions(struct reader *base, struct reader_positions *positions)
{
	struct ctf_reader *r = (struct ctf_reader *)base;

	positions->all.count = positions->credits.count = 0;
	vec_foreach (struct ctf_stream *, s, &r->streams) {
		ctf_records_credit(r, s);
		vec_push(&positions->all, position_of(s));
		vec_foreach (const struct ctf_credit *, c, &s->credits) {
			vec_push(&positions->credits,
				((struct reader_credit){ s->instance, c->sequence, c->events }));
		}
	}
}

static void resume(struct ctf_stream *s, const struct reader_position *p)
{
	s->sequence = p->packet;
	s->resume = p->offset;
	s->ticks = p->packet ? p->ticks : s->ticks;
	s->discarded = p->discarded;
	s->evicted = p->evicted;
	s->is_open = p->is_open;
	s->gap = p->gap;
	s->gap_from = CTF_UNKNOWN;
	s->has_gap = losses_events(&p->gap) || losses_packets(&p->gap);
	ctf_stream_point(s, s->files, s->file_count);
}

void ctf_resume(struct ctf_reader *r, const struct reader_positions *positions)
{
	const struct reader_position *p = positions->all.items;
	const struct reader_position *end = p + positions->all.count;
	const struct reader_credit *c = positions->credits.items;
	const struct reader_credit *last = c + positions->credits.count;

	vec_foreach (struct ctf_stream *, s, &r->streams) { /* all are in the order of streams */
		while (p < end && p->stream < s->instance) {
			p++;
		}
		if (p < end && p->stream == s->instance) {
			resume(s, p);
		}
		for (; c < last && c->stream <= s->instance; c++) {
			if (c->stream == s->instance) {
				vec_push(
					&s->credits, ((struct ctf_credit){ c->packet, c->events }));
			}
		}
	}
}
