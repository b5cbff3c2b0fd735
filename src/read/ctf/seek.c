/* SPDX-License-Identifier: MIT */
/*
 * Moves streams that were not begun to the packets of a time, so that a part of a long trace is
 * read without the headers before it. The indexes say where those packets are; the headers there
 * must agree, else the stream begins at its start. Called by section.c and bind.c.
 */
#include <unistd.h>

#include "read/ctf/ctf.h"
#include "read/ctf/index.h"

/* Loads a packet's header from its file; false if it is not the one of the index. */
static bool load_header(const struct ctf_trace *t, int fd, const struct ctf_index_record *record,
	struct packet_header *h)
{
	unsigned char bytes[sizeof(*h)];

	if (pread(fd, bytes, sizeof(bytes), (off_t)record->offset) != (ssize_t)sizeof(bytes) ||
		!ctf_packet_begins(bytes, sizeof(bytes), t)) {
		return false;
	}
	ctf_packet_load(h, bytes, t->swap);
	return h->sequence == record->sequence && h->packet_size == record->packet_size;
}

/* Does what reading all packets up to the one before `place` would do. */
static void move(struct ctf_stream *s, const struct ctf_index_place *place,
	const struct packet_header *before)
{
	s->at = s->files[s->file].name;
	s->next = place->record.offset;
	s->number = s->number_read = (unsigned int)place->number;
	s->sequence = before->sequence;
	s->discarded = s->file_discarded = before->events_discarded;
	s->tid = before->tid;
	s->owner = before->tid;
	s->ticks = before->timestamp_end;
}

/*
 * Moves the stream to the packet of the current file that has the time, or to its last one; false
 * if that is its first one, or if the file or its index is not as it should be.
 */
static bool move_in_file(const struct ctf_reader *r, struct ctf_stream *s, uint64_t ticks)
{
	const struct ctf_file *f = &s->files[s->file];
	struct ctf_index_place place;
	struct packet_header before;
	struct packet_header first;
	uint64_t size;

	if (!ctf_index_place(r->trace.directory, f->name, ticks, &place) || place.number == 0) {
		return false;
	}
	int fd = ctf_file_open(f, &r->trace, &size);
	bool is_right = fd >= 0 && load_header(&r->trace, fd, &place.before, &before) &&
			load_header(&r->trace, fd, &place.record, &first) &&
			before.timestamp_end < ticks &&
			place.before.offset + before.packet_size / 8 == place.record.offset &&
			before.stream_instance_id == s->instance;

	if (fd >= 0) {
		close(fd);
	}
	if (is_right) {
		move(s, &place, &before);
	}
	return is_right;
}

void ctf_seek(const struct ctf_reader *r, struct ctf_stream *s, uint64_t ticks)
{
	size_t file = 0;

	if (s->at || s->sequence > 0 || r->trace.buffer || r->follow.is_on) {
		return;
	}
	for (size_t i = 1; i < s->file_count; i++) {
		if (s->files[i].sequence > 0 && s->files[i].begin <= ticks) {
			file = i;
		}
	}
	/* If the first packet of a file has the time, the last one of the file before is next. */
	for (size_t tries = 0; tries < 2 && tries <= file; tries++) {
		s->file = file - tries;
		if (move_in_file(r, s, ticks)) {
			return;
		}
	}
	s->file = 0;
}
