/* SPDX-License-Identifier: MIT */
/*
 * What the headers of a native trace's packets tell without an event: which threads recorded, in
 * which time, and how many bytes. open.c names this in the table of formats.
 */
#include <unistd.h>

#include "format/packet.h"
#include "read/ctf/ctf.h"
#include "read/ctf/index.h"

/* What is done with each packet: `data` is its argument. */
typedef void packet_function(const struct ctf_reader *r, void *data, const struct packet_header *h);

/* Visits the packets of a file, up to the first bytes that are none. */
static void visit_file(
	const struct ctf_reader *r, const struct ctf_file *f, packet_function *visit, void *data)
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
		if (h.timestamp_begin <= r->trace.last_ticks) {
			visit(r, data, &h);
		}
		at += h.packet_size / 8;
	}
	close(fd);
}

/* Returns a packet's last time. One that is still recorded into has no end. */
static uint64_t end_of(const struct ctf_reader *r, const struct packet_header *h)
{
	uint64_t end = h->timestamp_end <= r->trace.last_ticks ? h->timestamp_end : 0;

	return end > h->timestamp_begin ? end : h->timestamp_begin;
}

static void add_thread(const struct ctf_reader *r, void *outline, const struct packet_header *h)
{
	outline_add(outline, h->tid, (int64_t)ctf_ns(r, h->timestamp_begin),
		(int64_t)ctf_ns(r, end_of(r, h)));
}

bool ctf_outline(const struct reader *base, struct reader_outline *o)
{
	const struct ctf_reader *r = (const struct ctf_reader *)base;

	vec_foreach (const struct ctf_file *, f, &r->files) {
		visit_file(r, f, add_thread, o);
	}
	vec_foreach (const struct ctf_stream *, s, &r->streams) {
		for (size_t i = 0; i < s->left_count; i++) {
			if (s->left[i].header.timestamp_begin <= r->trace.last_ticks) {
				add_thread(r, o, &s->left[i].header);
			}
		}
	}
	return true;
}

/* The loads of a reader's packets. */
struct loading {
	const struct ctf_reader *r;
	struct reader_loads *loads;
	uint32_t tid; /* of the file's first packet */
};

/* Adds a packet. */
static void add_load(const struct loading *l, uint64_t begin, uint64_t end, uint64_t bits)
{
	uint64_t last = l->r->trace.last_ticks;

	if (begin <= last) {
		uint64_t known = end > begin && end <= last ? end : begin;
		uint64_t span = ctf_ns(l->r, known) - ctf_ns(l->r, begin);

		vec_push(&l->loads->all, ((struct reader_load){ .ns = (int64_t)ctf_ns(l->r, begin),
						 .span_ns = span,
						 .bytes = bits / 8,
						 .tid = l->tid }));
	}
}

static void add_indexed(void *loading, const struct ctf_index_record *record)
{
	add_load(loading, record->timestamp_begin, record->timestamp_end, record->packet_size);
}

static void add_packet(const struct ctf_reader *r, void *loading, const struct packet_header *h)
{
	add_load(loading, h->timestamp_begin, end_of(r, h), h->packet_size);
}

/* Reads indexes where there are any: headers are all over the files. */
bool ctf_loads(const struct reader *base, struct reader_loads *loads)
{
	const struct ctf_reader *r = (const struct ctf_reader *)base;
	struct loading l = { .r = r, .loads = loads };

	/* Packets in memory may be counted as lost only once all were read. */
	if (r->trace.buffer || r->follow.is_on || r->metadata.problems.count > 0) {
		return false;
	}
	vec_foreach (const struct ctf_file *, f, &r->files) {
		l.tid = f->tid;
		if (!ctf_index_visit(r->trace.directory, f->name, add_indexed, &l)) {
			visit_file(r, f, add_packet, &l);
		}
	}
	return true;
}
