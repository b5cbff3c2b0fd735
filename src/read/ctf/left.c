/* SPDX-License-Identifier: MIT */
/*
 * A stream's packets that no file holds, out of its process's memory. While the
 * process lives, they may leave it at any moment: for their file, which is where
 * the caller has to look then, or, with full=overwrite, for good.
 */
#include <string.h>

#include "read/ctf/packet.h"

static void drop(struct ctf_stream *s)
{
	s->left++;
	s->left_count--;
}

/*
 * Sequences have 64 bits and begin with 1, so none comes again, and a smaller one is older. The
 * last packet's own is not read as long as the packet has more than was read of it. Of a damaged
 * trace's, the one behind the largest is 0, which no packet in memory has.
 */
static bool is_read(const struct ctf_stream *s, const struct buffer_packet *p)
{
	return p->header.sequence <= s->sequence &&
	       !ctf_stream_goes_on(s, &p->header, p->content_bytes);
}

bool ctf_left_has_next(const struct ctf_stream *s)
{
	for (size_t i = 0; i < s->left_count; i++) {
		if (s->left[i].header.sequence == s->sequence + 1) {
			return true;
		}
	}
	return false;
}

/*
 * Looks for what is missing before the packet: it may lie where the list had been
 * made already when it began. Else it is in the file, or was given up.
 */
static enum ctf_step fill_hole(
	struct ctf_stream *s, const struct ctf_trace *t, struct buffer_packet *p)
{
	uint64_t sequence = p->header.sequence;
	struct buffer_packet found;

	if (s->is_new || sequence <= s->sequence + 1 || sequence == s->hole) {
		return CTF_PACKET;
	}
	if (buffer_source_find(t->buffer, s->instance, s->sequence + 1, &found)) {
		*p = found;
		return CTF_PACKET;
	}
	s->hole = sequence;
	return CTF_SKIPPED;
}

/* The packet, with what of it was not read, in memory of our own. */
static bool copy(struct ctf_stream *s, const struct ctf_trace *t, struct buffer_packet *p)
{
	if (!buffer_source_look_again(t->buffer, p)) {
		return false;
	}
	bool goes_on = ctf_stream_goes_on(s, &p->header, p->content_bytes);

	free(s->copy);
	s->copy = xrealloc(NULL, p->content_bytes);
	return buffer_source_copy_from(
		t->buffer, p, goes_on ? s->resume : sizeof(p->header), s->copy);
}

/* Takes the packet out of the copy. */
static enum ctf_step take(struct ctf_stream *s, const struct ctf_trace *t,
	const struct buffer_packet *p, struct read_error *error)
{
	ctf_packet_load(&s->header, s->copy, false);
	s->packet_offset = p->offset;
	s->number++;
	const char *why = ctf_packet_fault(&s->header, t, s->instance);

	if (why) {
		return ctf_stream_broken(s, why, error);
	}
	if (!ctf_stream_goes_on(s, &s->header, p->content_bytes)) {
		uint64_t more = p->evicted - s->evicted; /* modulo 2^64, as both are */

		s->given_up = more <= INT64_MAX ? more : 0;
		s->evicted += s->given_up;
	}
	ctf_stream_take(s, t, s->copy, p->content_bytes);
	s->is_open &= !ctf_left_has_next(s); /* which is shown when this one is final */
	return CTF_PACKET;
}

/*
 * The first of the list. One that was open when it was looked at, though the list has the one
 * behind it, was closed while the list was made: it is looked at again, for what came to it.
 * False: it has left memory.
 */
static bool look_at_first(
	const struct ctf_stream *s, const struct ctf_trace *t, struct buffer_packet *p)
{
	*p = *s->left;
	bool was_closed = p->header.sequence == s->sequence &&
			  p->header.timestamp_end == PACKET_OPEN && ctf_left_has_next(s);

	return !was_closed || buffer_source_look_again(t->buffer, p);
}

/* The first packet that has something new; CTF_LAST: there is none. */
static enum ctf_step find_new(
	struct ctf_stream *s, const struct ctf_trace *t, struct buffer_packet *p)
{
	while (s->left_count > 0) {
		bool is_there = look_at_first(s, t, p);

		if (is_there && !is_read(s, p)) {
			return fill_hole(s, t, p);
		}
		drop(s);
		if (!is_there) {
			return CTF_SKIPPED;
		}
		s->is_open &=
			p->header.sequence != s->sequence || p->header.timestamp_end == PACKET_OPEN;
	}
	return CTF_LAST;
}

enum ctf_step ctf_left_next(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	struct buffer_packet p;
	enum ctf_step step = find_new(s, t, &p);

	if (step != CTF_PACKET) {
		return step;
	}
	if (p.offset == s->left->offset) {
		drop(s);
	}
	return copy(s, t, &p) ? take(s, t, &p, error) : CTF_SKIPPED;
}
