/* SPDX-License-Identifier: MIT */
/*
 * One stream of a native trace: its packets in sequence, out of its files (mapped one at a time)
 * and then out of its process's memory. The bytes between `pos` and `end` are always events of one
 * packet, whose header was checked. Private to src/read/ctf.
 *
 * A stream is open from its first packet to its last. Before and after, it has no descriptor and no
 * mapping, so a trace may have any number of streams.
 */
#ifndef READ_CTF_STREAM_H
#define READ_CTF_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "format/packet.h"
#include "read/buffer.h"
#include "read/reader.h"

struct ctf_file {
	const char *name;
	uint64_t instance;
	uint64_t sequence; /* of its first packet */
	uint64_t begin; /* timestamp of its first packet */
	uint32_t tid; /* of its first packet */
	unsigned int piece; /* number of the file in a rotated trace */
};

/* State shared by the streams of a trace. */
struct ctf_trace {
	int directory;
	bool swap; /* the trace's byte order is not this host's */
	bool overwrites; /* losses before a stream's first packet were overwritten events */
	bool continues; /* a stream may begin with any packet: another trace has the earlier ones */
	uint8_t uuid[16];
	uint64_t last_ticks; /* largest value that can be converted to nanoseconds */
	struct buffer_source *buffer; /* NULL: memory has no packets */
	bool is_live; /* its process still writes: an incomplete packet will be completed */
	bool is_bounded; /* read only packets from before the last scan of memory */
	bool is_rotated; /* old files may have been removed */
};

/* Events that were read from a packet in memory, which may be overwritten later. */
struct ctf_credit {
	uint64_t sequence;
	uint64_t events;
};

/* Replaces a number of events that is unknown. */
#define CTF_UNKNOWN UINT64_MAX

struct ctf_stream {
	const unsigned char *pos; /* the next event */
	const unsigned char *end; /* end of the packet's events that are present */
	uint64_t ticks; /* time of the last event, or of the packet's start */
	uint64_t last_ticks; /* largest time that an event of the packet may have */
	const unsigned char *packet; /* start of the open packet; NULL: none is open */
	const unsigned char *begin; /* start of the part of it that is read now */
	uint64_t packet_offset; /* offset in its file, or in the buffer */
	uint32_t tid;
	bool is_waiting; /* the stream is in the heap */
	bool is_cut; /* the file ends before the packet's content does */
	bool has_gap; /* report `gap` before this packet */
	bool has_broken; /* bytes before it are no packet */
	struct packet_header header; /* in this host's byte order */
	uint64_t instance;
	const struct ctf_file *files; /* in sequence */
	size_t file_count;
	size_t file; /* index of the current file; file_count: all were read */
	unsigned char *map; /* of the current file; NULL: none */
	size_t map_size;
	size_t next; /* offset of the next packet in the file named `at` */
	const char *at; /* NULL: no file was begun */
	bool is_pointed; /* its files were listed */
	bool is_reopened; /* they were listed again: packets read from memory may be in them, too */
	size_t released; /* released bytes of the map */
	unsigned int number; /* of the packet in its file, from 1 */
	unsigned int number_read; /* packets of the file before `next` */
	const struct buffer_packet
		*left; /* packets in memory, not read yet; part of the buffer's scan */
	size_t left_count;
	uint64_t newest; /* sequence of the last packet in memory at the scan; 0: none */
	bool is_passed; /* its file has more packets, which are not wanted */
	unsigned char *copy; /* of a packet in memory */
	uint64_t hole; /* sequence of a packet before which others are missing for sure */
	bool is_open; /* the last packet was open when read: it may have grown */
	bool is_new; /* ignore everything before its first packet */
	uint64_t sequence; /* of the last packet; 0: there was none */
	size_t resume; /* offset of the first unread event of the last packet; SIZE_MAX: none */
	unsigned int waits; /* rounds for which the next event has waited for its declaration */
	uint64_t discarded; /* events_discarded of the last packet */
	uint64_t file_discarded; /* of the last packet in a file; CTF_UNKNOWN: none was read */
	uint64_t evicted; /* overwritten part of `discarded`, as the process last published it */
	uint64_t overwritten; /* most since the last packet; CTF_UNKNOWN: it is from a file */
	VEC(struct ctf_credit) credits; /* oldest first */
	/* The last thread: a packet without thread reports what it lost before it ended. */
	uint32_t owner;
	struct losses gap;
	uint64_t gap_from; /* time of the event before `gap`; CTF_UNKNOWN: there is none */
};

enum ctf_step {
	CTF_PACKET, /* the next packet's events are between `pos` and `end` */
	CTF_TRAILING_GAP, /* no packets are left, but a gap */
	CTF_LAST, /* nothing is left */
	CTF_SKIPPED, /* packets have left memory: list the files, and call ctf_stream_point() */
	CTF_BROKEN, /* the next bytes are no packet, as `error` says; the next call skips them */
};

/* Moves to the next packet. */
enum ctf_step ctf_stream_next(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error);

/*
 * Sets the stream's files to the current list. The stream continues at its place, or where its next
 * packet must be.
 */
void ctf_stream_point(struct ctf_stream *s, const struct ctf_file *files, size_t count);

/* Sets an error about the current packet: `stream-3: packet 7 at byte N: ...`. */
void ctf_stream_fail(const struct ctf_stream *s, struct read_error *error, const char *fmt, ...)
	PRINTF(3, 4);

/*
 * Frees the mapping and the copy until more packets come; keeps the state of reading and reporting.
 */
void ctf_stream_rest(struct ctf_stream *s);
void ctf_stream_close(struct ctf_stream *s);

/* Ends the current packet before its next event; ctf_stream_next() reads it again. */
void ctf_stream_hold(struct ctf_stream *s);

/* True if a packet with that header and `content` bytes has unread events. */
static inline bool ctf_stream_goes_on(
	const struct ctf_stream *s, const struct packet_header *h, uint64_t content)
{
	return h->sequence == s->sequence && s->sequence > 0 && content > s->resume;
}

/* Returns the file offset of a place in the packet. */
static inline uint64_t ctf_stream_offset(const struct ctf_stream *s, const unsigned char *p)
{
	return s->packet_offset + (uint64_t)(p - s->packet);
}

/* Opens a stream file; -1 with errno. */
int ctf_file_open(const struct ctf_file *f, const struct ctf_trace *t, uint64_t *size);

/* Returns a file's size; 0 if there is none. */
uint64_t ctf_file_size(const struct ctf_file *f, const struct ctf_trace *t);

/* True if the `left` bytes begin like a packet of the trace. */
bool ctf_packet_begins(const unsigned char *bytes, size_t left, const struct ctf_trace *t);

/* Loads a header in this host's byte order. */
void ctf_packet_load(struct packet_header *h, const unsigned char *bytes, bool swap);

/* ---- gap.c: the events and packets that are missing ---- */

/* Notes that events of the last packet were read from memory. */
void ctf_gap_credit(struct ctf_stream *s, uint64_t events);

/* Notes that a packet is in a file, so it was not overwritten. */
void ctf_gap_found(struct ctf_stream *s, uint64_t sequence);

/*
 * Sets the gap before the current packet. Before the first packet, that is since the trace's start.
 */
void ctf_gap_note(struct ctf_stream *s, const struct ctf_trace *t);

/* Sets the gap after the last packet, which only the process's table shows. */
enum ctf_step ctf_gap_trailing(struct ctf_stream *s, const struct ctf_trace *t);

#endif
