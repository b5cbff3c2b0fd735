/* SPDX-License-Identifier: MIT */
/*
 * What the headers of a native trace's packets tell without an event: which threads recorded, and
 * in which time. open.c names this in the table of formats.
 */
#include <unistd.h>

#include "format/packet.h"
#include "read/ctf/ctf.h"

static void add_packet(
	const struct ctf_reader *r, struct reader_outline *o, const struct packet_header *h)
{
	/* A packet that is still recorded into has no end. */
	uint64_t end = h->timestamp_end <= r->trace.last_ticks ? h->timestamp_end : 0;
	uint64_t last = end > h->timestamp_begin ? end : h->timestamp_begin;

	if (h->timestamp_begin <= r->trace.last_ticks) {
		outline_add(o, h->tid, (int64_t)ctf_ns(r, h->timestamp_begin),
			(int64_t)ctf_ns(r, last));
	}
}

/* Adds the packets of a file, up to the first bytes that are none. */
static void add_file(const struct ctf_reader *r, struct reader_outline *o, const struct ctf_file *f)
{
	unsigned char bytes[sizeof(struct packet_header)];
	struct packet_header h;
	uint64_t size;
	uint64_t at = 0;
	int fd = ctf_file_open(f, &r->trace, &size);

	if (fd < 0) {
		return;
	}
	while (pread(fd, bytes, sizeof(bytes), (off_t)at) == (ssize_t)sizeof(bytes) &&
		ctf_packet_begins(bytes, sizeof(bytes), &r->trace)) {
		ctf_packet_load(&h, bytes, r->trace.swap);
		if (h.packet_size / 8 < sizeof(h) || h.packet_size / 8 > PACKET_FILE_BYTES_MAX) {
			break;
		}
		add_packet(r, o, &h);
		at += h.packet_size / 8;
	}
	close(fd);
}

bool ctf_outline(const struct reader *base, struct reader_outline *o)
{
	const struct ctf_reader *r = (const struct ctf_reader *)base;

	vec_foreach (const struct ctf_file *, f, &r->files) {
		add_file(r, o, f);
	}
	vec_foreach (const struct ctf_stream *, s, &r->streams) {
		for (size_t i = 0; i < s->left_count; i++) {
			add_packet(r, o, &s->left[i].header);
		}
	}
	return true;
}
